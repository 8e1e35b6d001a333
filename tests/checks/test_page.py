"""A check as a page, and files that are verified, made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace
from tests.capture.runs import graph, recorded

from lanescope.checks.check import _is_stored
from lanescope.checks.finding import CheckedPath, CheckedRun, CheckFinding, ProducerAccount
from lanescope.checks.page import check_sections
from lanescope.checks.verify import verify
from lanescope.errors import InputError
from lanescope.trace import save


def account(**fields: Any) -> ProducerAccount:
    usual = {"producer": "core 0", "records": "core_task", "expected": 5, "delivered": 5}
    return ProducerAccount(**usual | fields)


def finding(kind: str = "missing", **fields: Any) -> CheckFinding:
    return CheckFinding(**{"producer": "core 0", "sentence": f"It is {kind}."} | fields, kind=kind)


def run(*accounts: ProducerAccount, **fields: Any) -> CheckedRun:
    return CheckedRun(**{"name": "a", "place": "a.lanes", "accounts": accounts} | fields)


def test_a_whole_run_is_two_sections_and_one_sentence() -> None:
    check = CheckedPath(path="x", runs=(run(account(), account(producer="core 1"), level=2),))
    outcome, only = check_sections(check)
    assert outcome.title == "Check of x"
    assert outcome.lines == ("Nothing is lost and nothing unknown: 10 records of 1 run.",)
    assert not outcome.is_warning
    assert (only.title, only.facts, only.lines) == ("a.lanes", (("level asked", "2"),), ())
    cells = {column.title: column.cells for column in only.columns}
    assert cells == {
        "records": ("core_task",),
        "producer": ("2 producers",),
        "expected": (10,),
        "delivered": (10,),
    }
    assert check.nothing_lost
    assert repr(check) == "<CheckedPath 'x': 1 run, nothing lost>"


def test_findings_come_with_their_causes_and_the_bad_ones_first() -> None:
    findings = (finding("harmless"), finding("dropped", cause="Why."))
    lossy = run(
        account(), account(producer="core 1", delivered=3, missing=2), findings=findings, level=1
    )
    check = CheckedPath(path="x", runs=(run(), lossy), findings=(finding("unknown"),))
    outcome, together, empty, own, producers, found = check_sections(check)
    assert outcome.lines == ("Something is lost or not known: 2 findings; 1 of 2 runs whole.",)
    assert outcome.is_warning
    assert (together.title, together.lines) == (
        "All runs together",
        ("1. unknown, core 0: It is unknown.",),
    )
    assert empty.lines == ("No records could be counted.",)
    assert own.lines == ()
    assert producers.title == "a.lanes: producers that are not whole"
    cells = {column.title: column.cells for column in producers.columns}
    assert cells["producer"] == ("core 1",)
    assert cells["missing"] == (2,)
    assert found.lines == (
        "1. dropped, core 0: It is dropped.",
        "Cause: Why.",
        "2. harmless, core 0: It is harmless.",
    )
    assert found.is_warning
    assert repr(check) == "<CheckedPath 'x': 2 runs, 2 findings>"
    assert (lossy.is_whole, run(findings=findings[:1]).is_whole) == (False, True)


def test_more_producers_than_twenty_are_counted() -> None:
    accounts = [account(producer=f"core {n}", missing=1) for n in range(22)]
    *_, producers = check_sections(CheckedPath(path="x", runs=(run(*accounts),)))
    assert len(producers.columns[0].cells) == 20
    assert len(producers.notes) == 1
    assert producers.notes[0].startswith("2 ") or "2 more" in producers.notes[0]
    *_, twenty = check_sections(CheckedPath(path="x", runs=(run(*accounts[:20]),)))
    assert twenty.notes == ()


@pytest.mark.parametrize(
    ("name", "place", "title"),
    [
        ("a", "b/a", "b/a"),
        ("a", "b/a.lanes", "b/a.lanes"),
        ("a", "b/a.capture", "b/a.capture"),
        ("a", "b/c", "a (b/c)"),
        ("a", "", "a"),
    ],
)
def test_a_run_is_called_by_its_place(name: str, place: str, title: str) -> None:
    check = CheckedPath(path="x", runs=(run(name=name, place=place, verdict="published"),))
    section = check_sections(check)[1]
    assert (section.title, section.facts) == (title, (("collector", "published"),))


@pytest.mark.parametrize(
    ("fields", "whole"),
    [
        ({}, True),
        ({"expected": None}, True),
        ({"expected": 6}, False),
        *(
            ({name: 1}, False)
            for name in (
                *("missing", "dropped", "unmatched", "duplicated"),
                *("zero", "backward", "disordered"),
            )
        ),
    ],
)
def test_a_producer_is_whole_when_all_that_was_expected_is_there(
    fields: dict[str, Any], whole: bool
) -> None:
    assert account(**fields).is_whole == whole


def test_accounts_of_one_kind_are_added_up_and_one_unknown_makes_the_sum_unknown() -> None:
    accounts = (account(expected=None), account(dropped=2, expected=7))
    cells = {
        column.title: column.cells
        for column in check_sections(CheckedPath(path="x", runs=(run(*accounts),)))[1].columns
    }
    assert (cells["expected"], cells["delivered"], cells["dropped"]) == ((None,), (10,), (2,))


def test_a_spool_is_verified_frame_by_frame(tmp_path: Path) -> None:
    recorded(tmp_path / "a.capture", graph(100), buffer_records=7)
    spool = tmp_path / "a.capture" / "spool"
    assert verify(tmp_path / "a.capture").whole
    data = bytearray(spool.read_bytes())
    frames = data.count(b"LSFR")
    data[60] ^= 1
    spool.write_bytes(data)
    [file] = verify(tmp_path / "a.capture").files
    assert file.name == "spool"
    assert "that are no frame, in 1 place (the first at byte 8: the checksum of frame 0" in (
        file.problem
    )
    assert (
        f"; {frames - 1} frames are whole, 'lanescope recover' reads what is whole" in file.problem
    )
    spool.write_bytes(b"something else")
    [file] = verify(tmp_path / "a.capture").files
    assert file.problem.startswith("is damaged (expected a spool")


def test_what_is_no_trace_and_no_capture_is_refused(tmp_path: Path) -> None:
    save(make_trace(), tmp_path / "a.lanes")
    assert verify(tmp_path / "a.lanes").whole
    with pytest.raises(InputError, match="is no trace and no capture; both are directories"):
        verify(tmp_path / "none")
    with pytest.raises(InputError, match=r"no meta\.json"):
        verify(tmp_path)


@pytest.mark.parametrize(
    ("name", "files", "stored"),
    [
        ("run", ("meta.json", "tasks.parquet"), True),
        ("run", ("meta.json",), False),
        ("run", ("tasks.parquet",), False),
        ("run.lanes", (), True),
        ("run", (), False),
    ],
)
def test_a_stored_trace_is_known_by_its_ending_or_by_both_its_files(
    name: str, files: tuple[str, ...], stored: bool, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    for file in files:
        (tmp_path / name / file).touch()
    assert _is_stored(tmp_path / name) is stored
