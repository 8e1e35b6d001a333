"""Which runs a check finds below a path, what they are called, and where their findings go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.analyze.hand import make_trace, task
from tests.capture.runs import graph, recorded
from tests.checks.folders import (
    RECORDS,
    RING1,
    bad,
    deps,
    identity,
    put,
    records,
)
from tests.formats.simpler.logs import run_lines
from tests.formats.simpler.runs import SCOPE, lines

from lanescope.checks import check as module
from lanescope.checks.check import _is_capture, _Walk, check
from lanescope.checks.finding import CheckFinding
from lanescope.errors import InputError
from lanescope.formats.registry import IMPORTERS
from lanescope.trace import save


def places(root: Path) -> list[tuple[str, str]]:
    return [(run.place, run.name) for run in check(root).runs]


def test_every_run_below_a_path_is_found_in_order(tmp_path: Path) -> None:
    """Hidden folders are passed over, and what lies in a stored trace is its own."""
    for place in ("b", "a/deep", ".hidden", "c.lanes/inner", "."):
        put(tmp_path / place, records=records(1))
    head = {"total": 1, "dropped": 0, "task_window_max": [4]}
    (tmp_path / "a" / "scope_stats").mkdir()
    put(tmp_path / "a", records=records(1))
    (tmp_path / "a" / "scope_stats" / "scope_stats.jsonl").write_text(lines(head, SCOPE))
    save(make_trace({"ledger": ()}), tmp_path / "d.lanes")
    assert places(tmp_path) == [
        ("", tmp_path.name),
        *(("a", "a"), ("a/deep", "deep"), ("b", "b")),
        *(("c.lanes", "c"), ("d.lanes", "hand")),
    ]
    kinds = {run.place: [a.records for a in run.accounts] for run in check(tmp_path).runs}
    assert "scope" in kinds["a"][-1] and kinds["b"] == ["core_task"] * 3


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        check(tmp_path / "none")
    assert caught.value.problem == "no such file or directory"


def test_a_path_without_any_run_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    nothing = CheckFinding(
        producer="file of records",
        kind="missing",
        count=1,
        sentence="There is no file here that lanescope knows.",
        cause="Nothing was written, or this is not the folder of a run.",
    )
    checked = check(tmp_path)
    assert (checked.path, checked.runs, checked.findings) == (str(tmp_path), (), (nothing,))


def test_a_file_alone_is_a_run_by_its_name_and_says_nothing_of_its_folder(tmp_path: Path) -> None:
    folder = put(tmp_path / "rank1" / "d3", records=records(2), identity=identity(0))
    put(folder, deps=deps((1, 2)))
    assert places(folder / RECORDS) == [("", RECORDS.removesuffix(".json"))]
    assert check(folder / RECORDS).all_findings == ()
    assert [one.kind for one in bad(check(folder))] == ["contradiction"] * 3
    assert check(folder / "deps.json").all_findings == ()


def test_records_of_several_runs_in_one_folder_are_called_by_their_files(tmp_path: Path) -> None:
    """What is wrong with the folder goes with the first of them."""
    put(tmp_path, a=records(1), b=records(1))
    names = {"callable_id_to_name": {"0": "QK"}}
    put(tmp_path, name_map_x=names, name_map_y={"callable_id_to_name": {"0": "PV"}})
    runs = check(tmp_path).runs
    assert [(run.name, [one.kind for one in run.findings]) for run in runs] == [
        ("a", ["contradiction"]),
        ("b", []),
    ]


def test_a_finding_says_where_its_run_lies(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b", records='{"chip_swimlane_level": 2')
    put(tmp_path / "a" / "c", deps=deps((1, 2)))
    assert [(one.place, one.kind) for one in check(tmp_path).all_findings] == [
        ("a/b", "unreadable"),
        ("a/c", "missing"),
    ]
    assert places(tmp_path) == [("a/b", "b"), ("a/c", "c")]


def test_a_graph_in_a_folder_beside_the_records_is_checked_with_them(tmp_path: Path) -> None:
    put(tmp_path / "d0", deps=deps((RING1, RING1 + 1)))
    put(tmp_path / "d1", records=records(2))
    checked = check(tmp_path)
    assert [run.place for run in checked.runs] == ["d1"]
    assert [one.producer for one in checked.all_findings] == ["graph"]
    put(tmp_path / "d0", deps=deps((1, 2)))
    assert [one.kind for one in check(tmp_path).all_findings] == ["missing", "contradiction"]


def test_a_folder_of_a_rank_without_records_is_told_once(tmp_path: Path) -> None:
    put(tmp_path / "job" / "rank0" / "d0", records=records(2))
    put(tmp_path / "job" / "rank1" / "d0", deps=deps((1, 2)))
    checked = check(tmp_path)
    assert [(one.producer, one.place) for one in checked.findings] == [("rank 1", "job")]
    assert checked.all_findings == checked.findings


def test_logs_above_a_folder_speak_of_it_and_those_beside_do_not(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / name / "run", deps=deps((1, 2)))
    text = "".join(f"{line}\n" for line in run_lines((1000, 900), 70))
    (tmp_path / "a" / "host.1.log").write_text(text)
    causes = {one.place: one.cause for one in bad(check(tmp_path))}
    assert "device_wall of 70 ns" in causes["a/run"]
    assert "No host log is there" in causes["b/run"]


def test_a_stored_trace_keeps_its_graph_and_its_place(tmp_path: Path) -> None:
    rows = [task(0, None, None, 1, 2, None, task=number) for number in (1, 2)]
    stray = make_trace({"level": 1}, tasks=rows, edges=[{"pred": 7, "succ": 8}])
    save(stray, tmp_path / "deep" / "a.lanes")
    checked = check(tmp_path)
    assert [(run.place, run.name) for run in checked.runs] == [("deep/a.lanes", "hand")]
    assert [one.producer for one in checked.all_findings] == ["all", "graph"]
    assert places(tmp_path / "deep" / "a.lanes") == [("", "hand")]
    (tmp_path / "deep" / "a.lanes" / "meta.json").write_text("{")
    assert places(tmp_path) == [("deep/a.lanes", "a")]
    [damaged] = check(tmp_path).all_findings
    assert (damaged.kind, damaged.producer) == ("unreadable", "file meta.json")


def test_a_capture_that_cannot_be_read_is_one_finding(tmp_path: Path) -> None:
    kept = tmp_path / "deep" / "run.capture"
    recorded(kept, graph(tasks=40), chip_swimlane=4)
    [run] = check(tmp_path).runs
    assert (run.place, run.notes, run.findings) == ("deep/run.capture", (), ())
    (kept / "region").write_bytes(b"x")
    (kept / "spool").write_bytes(b"x")
    [run] = check(tmp_path).runs
    [finding] = run.findings
    assert (run.name, run.place) == ("run", "deep/run.capture")
    assert replace(finding, sentence="") == CheckFinding(
        producer="capture", kind="unreadable", count=1, sentence="", place="deep/run.capture"
    )
    assert finding.sentence.endswith(".")


def test_a_capture_that_was_cut_says_who_was_killed(tmp_path: Path) -> None:
    kept = tmp_path / "run.capture"
    recorded(kept, graph(tasks=40), chip_swimlane=4)
    (kept / "region").unlink()
    (kept / "spool").write_bytes((kept / "spool").read_bytes()[:-200])
    first = check(tmp_path).runs[0].findings[0]
    assert (first.producer, first.kind, first.place) == ("capture", "missing", "run.capture")
    assert first.cause == "The recorded program or the collector was killed before it was done."
    assert first.sentence.endswith(".") and check(kept).runs[0].place == ""


@pytest.mark.parametrize(
    ("files", "is_one"),
    [
        (("session.json", "region"), True),
        (("session.json", "spool"), True),
        (("session.json",), False),
        (("region", "spool"), False),
        ((), False),
    ],
)
def test_a_capture_has_a_note_and_a_region_or_a_spool(
    files: tuple[str, ...], is_one: bool, tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).touch()
    assert _is_capture(tmp_path) is is_one


def test_importers_of_other_packages_are_asked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = next(one for one in IMPORTERS if one.name == "simpler")
    other = replace(own, name="other", package="other 1.0", recognises=lambda look: "records")
    monkeypatch.setattr(module, "importers", lambda: (own, other))
    put(tmp_path, records=records(1))
    [folder] = _Walk.of(tmp_path).folders
    assert [one.importer and one.importer.name for one in folder.files] == ["other"]


def test_files_with_other_endings_are_not_looked_into(tmp_path: Path) -> None:
    put(tmp_path, records=records(1))
    (tmp_path / RECORDS).rename(tmp_path / "records.txt")
    (tmp_path / "folder.json").mkdir()
    assert [folder.files for folder in _Walk.of(tmp_path).folders] == [(), ()]
