"""scope_stats.jsonl: how many records were announced, what is saturated, what was lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import SCOPE, lines

from lanescope.errors import InputError
from lanescope.formats.simpler.scopes import SATURATED, ScopeStats, read_scopes
from lanescope.trace import LedgerEntry

FULL = (1 << 32) - 1


def scopes(folder: Path, count: int, **header: Any) -> ScopeStats:
    """A file of these many boundaries; `scope` in the header is what each differs in."""
    scope = header.pop("scope", {})
    head = {"version": 6, "total": count, "task_window_max": [4], **header}
    path = folder / "scope_stats.jsonl"
    path.write_text(lines(head, *({**SCOPE, **scope} for _ in range(count))))
    return read_scopes(path)


def entry(**more: Any) -> LedgerEntry:
    return LedgerEntry(**{"lane": "scopes", "kind": "scope", "dropped": 0, **more})


def test_a_counter_stops_at_32_bits() -> None:
    assert SATURATED == FULL


def test_records_that_are_all_there_are_delivered(tmp_path: Path) -> None:
    found = scopes(tmp_path, 2)
    assert found.ledger() == entry(total=2, delivered=2)
    assert [row[:3] for row in found.rows()] == [
        (name, value, order)
        for order in (0, 1)
        for name, value in (
            ("task_window ring 0", 1.0),
            ("heap_bytes ring 0", 64.0),
            ("dep_pool ring 0", 1.0),
            ("tensormap", 1.0),
        )
    ]
    assert {row[3] for row in found.rows()} == {"a.cpp:7 begin"}


@pytest.mark.parametrize(("total", "dropped", "all_of"), [(3, 1, 3), (2, 1, 3), (2, 0, 2)])
def test_what_the_device_gave_up_is_dropped_whether_it_is_in_the_total_or_not(
    tmp_path: Path, total: int, dropped: int, all_of: int
) -> None:
    found = scopes(tmp_path, 2, total=total, dropped=dropped)
    assert found.ledger() == entry(total=all_of, delivered=2, dropped=all_of - 2)


@pytest.mark.parametrize(
    ("header", "numbers"),
    [
        ({"total": 3}, "3 records, 2 follow; cut off?"),
        ({"total": 4, "dropped": 1}, "3 or 4 records, 2 follow; cut off?"),
        ({"total": 1, "dropped": 5}, "0 or 1 record, 2 follow"),
        ({"total": 2, "host_retained_records": 5}, "5 records, 2 follow; cut off?"),
        ({"total": FULL, "host_retained_records": 1}, "1 record, 2 follow"),
    ],
)
def test_another_number_of_records_than_announced_is_refused(
    tmp_path: Path, header: dict[str, Any], numbers: str
) -> None:
    with pytest.raises(InputError) as caught:
        scopes(tmp_path, 2, **header)
    assert caught.value.problem == f"line 1 announces {numbers}"


def test_a_count_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        scopes(tmp_path, 1, counts_unknown=1)
    assert caught.value.problem == "line 1: Expected `bool`, got `int` - at `$.counts_unknown`"


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"total": FULL}, f"total is saturated at {FULL}; how many records were made is not known"),
        (
            {"total": FULL, "dropped": FULL},
            f"dropped is saturated at {FULL}; total is saturated at {FULL}; how many records were "
            "made is not known",
        ),
        ({"counts_unknown": True, "total": 9}, "how many records were made is not known"),
        (
            {"collection_verdict": "partial", "total": 9},
            "how many records were made is not known; collection partial",
        ),
    ],
)
def test_counts_that_are_not_known_are_told(
    tmp_path: Path, header: dict[str, Any], reason: str
) -> None:
    found = scopes(tmp_path, 2, **header)
    assert found.ledger() == entry(total=2, delivered=2, reason=reason, unknown=True)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"collection_verdict": "published"}, ""),
        ({"collection_verdict": "published_empty"}, "collection published_empty"),
        ({"collection_verdict": "published_short"}, "collection published_short"),
        ({"host_received_records": 2, "host_retained_records": 2}, ""),
        ({"host_received_records": 5}, ""),
        (
            {"host_received_records": 5, "host_retained_records": 2},
            "the host received 5 and kept 2",
        ),
        ({"scope": {"tensormap": FULL}}, "2 of the values left out, saturated"),
        (
            {"scope": {"task_window_end": FULL, "dep_pool_start": FULL}},
            "4 of the values left out, saturated",
        ),
        ({"scope": {"heap_end": FULL}}, ""),
    ],
)
def test_what_a_collection_says_is_the_reason(
    tmp_path: Path, header: dict[str, Any], reason: str
) -> None:
    found = scopes(tmp_path, 2, **header)
    assert found.ledger() == entry(total=2, delivered=2, reason=reason)


def test_the_limits_are_line_1_without_what_it_does_not_say(tmp_path: Path) -> None:
    common = {
        "fatal": False,
        "task_window_max": [4],
        "heap_max": [],
        "dep_pool_max": [],
        "tensormap_max": 0,
    }
    assert scopes(tmp_path, 1).limits() == {"version": 6, "total": 1, "dropped": 0, **common}
    said = scopes(
        tmp_path,
        1,
        version=None,
        total=FULL,
        counts_unknown=True,
        collection_verdict="cut",
        host_received_records=0,
        host_retained_records=1,
    )
    assert said.limits() == {
        **common,
        "total": None,
        "dropped": 0,
        "counts_unknown": True,
        "collection_verdict": "cut",
        "host_received_records": 0,
        "host_retained_records": 1,
    }


@pytest.mark.parametrize("version", [5, 7, 0])
def test_another_version_is_refused(tmp_path: Path, version: int) -> None:
    with pytest.raises(InputError) as caught:
        scopes(tmp_path, 1, version=version)
    expected = f"line 1: scope statistics of version {version}, expected 6 or none"
    assert caught.value.problem == expected


def test_blank_lines_are_no_records_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scope_stats.jsonl"
    head, scope = json.dumps({"total": 1, "task_window_max": []}), json.dumps(SCOPE)
    path.write_text(f"{head}\n\n{scope}\n  \n")
    assert len(read_scopes(path).boundaries) == 1
    path.write_text(f"{head}\n\n3\n")
    with pytest.raises(InputError, match="line 3: Expected `object`, got `int`"):
        read_scopes(path)
