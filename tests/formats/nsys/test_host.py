"""Rows of the host's threads: calls, overhead and ranges in one order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.nsys.files import OTHER, Row, call, nvtx, tables

from lanescope.errors import InputError
from lanescope.formats.nsys.host import NsysHost
from lanescope.formats.nsys.lanes import LaunchKeys, NsysThreads, process_of
from lanescope.formats.streams.recording import CATEGORIES
from lanescope.trace import MISSING

STRINGS = {4: "launch", 5: "", 8: "my range", 9: "aten::mm, op_id = 42"}


def host(folder: Path, **export: list[Row]) -> NsysHost:
    return NsysHost.of(tables(folder, **export), STRINGS)


def shown(rows: NsysHost) -> list[tuple[Any, ...]]:
    names = [rows.names[code] for code in rows.name.tolist()]
    category = [CATEGORIES[code] for code in rows.category.tolist()]
    return [*zip(names, category, rows.start.tolist(), rows.end.tolist(), strict=True)]


def test_calls_come_first_then_overhead_then_ranges(tmp_path: Path) -> None:
    found = host(
        tmp_path,
        NVTX_EVENTS=[nvtx(9, 10, textId=8)],
        PROFILER_OVERHEAD=[call(7, 8, 3, nameId=5)],
        CUPTI_ACTIVITY_KIND_OVERHEAD=[call(5, 6, 2, nameId=4)],
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(3, 4, 1), call(1, 2, 0, nameId=77)],
    )
    assert shown(found) == [
        ("launch", "call", 3, 4),
        ("(call without a name)", "call", 1, 2),
        ("launch", "overhead", 5, 6),
        ("(overhead without a name)", "overhead", 7, 8),
        ("my range", "annotation", 9, 10),
    ]
    assert found.correlation.tolist() == [1, 0, 2, 3, MISSING]
    assert found.op_id.tolist() == [MISSING] * 5
    assert found.open_ranges == 0


def test_a_range_is_called_by_its_own_text_or_by_a_string(tmp_path: Path) -> None:
    found = host(
        tmp_path,
        NVTX_EVENTS=[
            nvtx(1, 2, text="own", textId=8),
            nvtx(2, 3, text=None, textId=8),
            nvtx(3, 4, text=None, textId=77),
            nvtx(4, 5, text="", textId=8),
            nvtx(5, 6, text=None, textId=None),
            nvtx(6, 7, text=None, textId=9),
        ],
    )
    assert [name for name, *_ in shown(found)] == [
        *("own", "my range", "(no text)", "(no text)", "(no text)", "aten::mm"),
    ]
    assert found.op_id.tolist() == [*[MISSING] * 5, 42]
    assert [kind for _, kind, *_ in shown(found)] == [*["annotation"] * 5, "operator"]


@pytest.mark.parametrize(
    ("text", "name", "number"),
    [
        ("mm, op_id = 7", "mm", 7),
        ("mm, seq = 3, op_id = 7", "mm", 7),
        ("mm, op_id = 7, seq = 3", "mm", 7),
        ("mm, seq = 3", "mm", MISSING),
        ("mm, op_id = 7, sizes = [2]", "mm, sizes = [2]", 7),
        ("mm, op_id = 7x", "mm, op_id = 7x", MISSING),
        (", op_id = 7", "(no text)", 7),
        (f"mm, op_id = {10**17}", "mm", 10**17),
        (f"mm, op_id = {10**18}", f"mm, op_id = {10**18}", MISSING),
        (f"mm, seq = {10**18}", f"mm, seq = {10**18}", MISSING),
    ],
)
def test_an_operator_is_called_without_its_numbers(
    tmp_path: Path, text: str, name: str, number: int
) -> None:
    found = host(tmp_path, NVTX_EVENTS=[nvtx(1, 2, text=text)])
    assert ([found.names[code] for code in found.name], found.op_id.tolist()) == ([name], [number])


def test_only_marks_and_ranges_are_rows_and_those_that_are_open_are_counted(
    tmp_path: Path,
) -> None:
    """An open range ends with the last row, but not before its own start."""
    found = host(
        tmp_path,
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(1, 50, 1)],
        NVTX_EVENTS=[
            *(nvtx(kind, None, text=f"{kind}", eventType=kind) for kind in (33, 34, 35, 58)),
            *(nvtx(kind, None, text=f"{kind}", eventType=kind) for kind in (59, 60, 61)),
            nvtx(10, None, text="early"),
            nvtx(5, 7, text="mark", eventType=34),
        ],
    )
    assert shown(found) == [
        ("launch", "call", 1, 50),
        ("34", "annotation", 34, 34),
        ("59", "annotation", 59, 59),
        ("60", "annotation", 60, 60),
        ("early", "annotation", 10, 50),
        ("mark", "annotation", 5, 5),
    ]
    assert found.open_ranges == 3


def test_an_open_range_may_be_the_only_row(tmp_path: Path) -> None:
    assert shown(host(tmp_path, NVTX_EVENTS=[nvtx(-5, None, text="a")])) == [
        ("a", "annotation", -5, 0)
    ]


def test_a_range_that_ends_before_it_starts_stays_so(tmp_path: Path) -> None:
    found = host(tmp_path, NVTX_EVENTS=[nvtx(9, 3, text="a")])
    assert shown(found) == [("a", "annotation", 9, 3)]


def test_without_tables_there_are_no_rows(tmp_path: Path) -> None:
    found = host(tmp_path)
    assert (shown(found), found.names, found.open_ranges) == ([], [], 0)


def test_a_launch_is_of_a_call_alone_and_its_operator_is_around_it(tmp_path: Path) -> None:
    found = host(
        tmp_path,
        CUPTI_ACTIVITY_KIND_RUNTIME=[
            call(10, 11, 6),
            call(20, 21, 7, globalTid=OTHER + 6),
            call(95, 96, 8),
        ],
        CUPTI_ACTIVITY_KIND_OVERHEAD=[call(12, 13, 6)],
        NVTX_EVENTS=[nvtx(5, 90, text="a, op_id = 42"), nvtx(6, 80, text="b")],
    )
    threads = NsysThreads.of([found.thread], tables(tmp_path / "none"), {}, {})
    launches = LaunchKeys.of(process_of(found.thread))
    rows = found.rows(threads, launches)
    assert rows.thread.tolist() == [0, 1, 0, 0, 0, 0]
    assert rows.launch is not None
    assert rows.launch.tolist() == [6, (1 << 40) + 7, 8, MISSING, MISSING, MISSING]
    assert rows.op is not None
    assert rows.op.tolist() == [42, MISSING, MISSING, 42, 42, 42]


@pytest.mark.parametrize(
    ("table", "row", "sentence"),
    [
        ("CUPTI_ACTIVITY_KIND_RUNTIME", {"start": 1}, "has no column 'end'"),
        ("CUPTI_ACTIVITY_KIND_OVERHEAD", {"end": 1}, "has no column 'start'"),
        ("PROFILER_OVERHEAD", {"start": 1, "end": None}, "row 0, 'end': a whole number"),
        ("PROFILER_OVERHEAD", {"start": 1 << 61, "end": 1}, "row 0, 'start': the time is more"),
        ("NVTX_EVENTS", {"end": 1, "eventType": 59}, "has no column 'start'"),
        ("NVTX_EVENTS", {"start": 1, "end": 1 << 61}, "row 0, 'end': the time is more"),
    ],
)
def test_rows_without_times_are_refused(
    tmp_path: Path, table: str, row: Row, sentence: str
) -> None:
    with pytest.raises(InputError) as refused:
        host(tmp_path, **{table: [row]})
    assert str(refused.value).startswith(f"{tmp_path}: table {table} {sentence}")


def test_the_latest_time_is_below_73_years(tmp_path: Path) -> None:
    found = host(tmp_path, NVTX_EVENTS=[nvtx(1 - (1 << 61), (1 << 61) - 1, text="a")])
    assert shown(found) == [("a", "annotation", 1 - (1 << 61), (1 << 61) - 1)]
