"""What the threads of the host did: which rows count, in which order, and which of them wait."""

from __future__ import annotations

import pytest
from tests.analyze.hand import Row
from tests.analyze.streams.made import did, of_streams, ran

from lanescope.analyze.streams.host_time import HostTime, host_time

TASKS = [ran(0, "gemm", 0, 5, 0)]


def host(rows: list[Row], **more: list[Row]) -> HostTime:
    return host_time(of_streams(TASKS, rows, **more))


def spans(found: HostTime) -> list[tuple[int, int]]:
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


ROWS = [
    did("outer", 10, 90),
    did("inner", 10, 40),
    did("later", 50, 60),
    did("other", 5, 95, controller=1),
    did("last", 95, 99, controller=1),
]


@pytest.mark.parametrize(
    "order", [(0, 1, 2, 3, 4), (1, 0, 2, 3, 4), (0, 2, 1, 3, 4), (3, 0, 1, 2, 4), (4, 3, 2, 1, 0)]
)
def test_rows_are_sorted_by_thread_then_start_then_the_longest_first(
    order: tuple[int, ...],
) -> None:
    found = host([ROWS[place] for place in order])
    assert spans(found) == [(10, 90), (10, 40), (50, 60), (5, 95), (95, 99)]
    assert [order[row] for row in found.row.tolist()] == [0, 1, 2, 3, 4]
    assert [(one.number, one.name, one.rows, one.start_ns) for one in found.threads] == [
        (0, "t0", slice(0, 3), 10),
        (1, "t1", slice(3, 5), 5),
    ]
    nesting = found.nesting
    assert [nesting.piece_row[one.pieces].tolist() for one in found.threads] == [
        [1, 0, 2, 0],
        [3, 4],
    ]


def test_annotations_other_lanes_and_rows_without_times_do_not_count() -> None:
    rows = [
        did("step", 0, 100, category="annotation"),
        did("backwards", 9, 8),
        {**did("never", 0, 1), "start_ns": None},
        did("dispatch", 1, 2, lane="scheduler"),
        did("empty", 7, 7),
        did("kept", 8, 9),
    ]
    kept = [{name: value for name, value in row.items() if value is not None} for row in rows]
    assert spans(host(kept)) == [(7, 7), (8, 9)]


def test_a_thread_without_a_name_has_its_number() -> None:
    found = host_time(of_streams(TASKS, [did("a", 0, 1, controller=7)]))
    assert found.thread(7) is found.threads[0] and found.thread(0) is None
    assert host([]).threads == ()


WAITS = [{"kind": "host waits device", "launch": 3}, {"kind": "stream waits event", "launch": 5}]


@pytest.mark.parametrize(
    ("row", "waits"),
    [
        (did("mm", 0, 9), False),
        (did("cudaDeviceSynchronize", 0, 9), True),
        (did("hipStreamSYNCHRONIZE", 0, 9), True),
        (did("cudaQuerySynchronize", 0, 9), False),
        (did("read", 0, 9, category="wait"), True),
        (did("queryRead", 0, 9, category="wait"), False),
        (did("aclrtFoo", 0, 9, 3), True),
        (did("aclrtFoo", 0, 9, 4), False),
        (did("aclrtFoo", 0, 9, 5), False),
        (did("aclrtQuery", 0, 9, 3), False),
    ],
)
def test_a_thread_waits_where_a_name_a_category_or_a_wait_says_so(row: Row, waits: bool) -> None:
    assert host([row], waits=WAITS).waiting.tolist() == [waits]
    beside = host([did("mm", 20, 30), did("launch", 40, 41, 9), row], waits=WAITS)
    assert beside.waiting.tolist() == [waits, False, False]
