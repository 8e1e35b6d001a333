"""The largest and smallest numbers that a log and a report may have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import rows
from tests.formats.ttmetal.test_log import log, zone
from tests.formats.ttmetal.test_operations import report

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.formats.ttmetal.operations import is_report, operation_names

LATEST = 1 << 62
COUNTER = "a counter from 0 to 2^62 was expected"
CHIP = "the number of a chip from 0 to 65535 was expected"
LENGTH = "a length of 0 or more and below 2^62 was expected"
PLACE = "a number from 0 to 65535 was expected"


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        import_trace(path)
    return str(refused.value).removeprefix(f"{path}: ")


def row(
    *, code: str = "Add", chip: Any = 0, start: Any = 1000, end: Any = 2000, ns: Any = 1000
) -> str:
    return f"{code},tt,5,{chip},blackhole,64,{start},{end},{ns},,1[1]"


@pytest.mark.parametrize(
    ("change", "column", "problem"),
    [
        ({"start": -1}, "DEVICE FW START CYCLE", f"{COUNTER}, found '-1'"),
        ({"start": LATEST + 1}, "DEVICE FW START CYCLE", f"{COUNTER}, found '{LATEST + 1}'"),
        ({"end": -1}, "DEVICE FW END CYCLE", f"{COUNTER}, found '-1'"),
        ({"end": LATEST + 1}, "DEVICE FW END CYCLE", f"{COUNTER}, found '{LATEST + 1}'"),
        ({"chip": -1}, "DEVICE ID", f"{CHIP}, found '-1'"),
        ({"chip": 65536}, "DEVICE ID", f"{CHIP}, found '65536'"),
        ({"chip": ""}, "DEVICE ID", f"{CHIP}, found none"),
        ({"ns": -1}, "DEVICE FW DURATION [ns]", f"{LENGTH}, found '-1'"),
        ({"ns": LATEST}, "DEVICE FW DURATION [ns]", f"{LENGTH}, found '{LATEST}'"),
        ({"ns": ""}, "DEVICE FW DURATION [ns]", f"{LENGTH}, found none"),
        ({"code": ""}, "OP CODE", "a name was expected, found none"),
        (
            {"end": 999},
            "DEVICE FW END CYCLE",
            "the operation ends before it starts; keep such rows, flagged, with --keep-damaged",
        ),
    ],
)
def test_a_number_that_cannot_be_right_is_refused_with_its_line(
    tmp_path: Path, change: dict[str, Any], column: str, problem: str
) -> None:
    elsewhere = "from_torch,host,8,,,,,,,,"
    path = report(tmp_path, row(), elsewhere, row(**change), row(**change))
    assert refusal(path) == f"line 4, {column!r}: {problem}"


def test_the_largest_numbers_are_taken(tmp_path: Path) -> None:
    path = report(tmp_path, row(chip=65535, start=LATEST - 1000, end=LATEST))
    trace = import_trace(path)
    assert (trace.meta.device, trace.meta.clock_hz) == (65535, 10**9)
    assert rows(trace, "tasks", "end_cycles", "end_ns") == [(LATEST, 1000)]


def test_an_operation_may_take_no_time(tmp_path: Path) -> None:
    trace = import_trace(report(tmp_path, row(), row(start=3000, end=3000, ns=0)))
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 1000), (2000, 2000)]


@pytest.mark.parametrize(
    ("cycles", "ns", "hz"),
    [
        (1000, 1000, 10**9),
        (1350, 1000, 1_350_000_000),
        (1351, 1000, 1_351_000_000),
        (1_350_400, 1_000_000, 1_350_400_000),
        (1_350_001, 1_000_000, 1_350_001_000),
        (1_350_000_1, 10_000_000, 1_350_000_100),
        (1, 10**9, 1),
        (1, 10**6, 1000),
        (1350, 999, 1_351_000_000),
        (13500, 9999, 1_350_000_000 + 135_014),
    ],
)
def test_the_rate_is_that_of_all_cycles_in_whole_mhz_where_that_is_as_good(
    tmp_path: Path, cycles: int, ns: int, hz: int
) -> None:
    trace = import_trace(report(tmp_path, row(start=0, end=cycles, ns=ns)))
    assert trace.meta.clock_hz == hz


@pytest.mark.parametrize(
    ("cycles", "ns", "problem"),
    [
        (0, 5, "'DEVICE FW START CYCLE' and 'DEVICE FW END CYCLE' are equal in every row"),
        (5, 0, "'DEVICE FW DURATION [ns]' is 0 in every row"),
        (100001, 1000, "expected a counter of 0.000001 to 100,000 MHz, found 1e+05 MHz"),
        (1 << 61, 1, "expected a counter of 0.000001 to 100,000 MHz, found 2.31e+21 MHz"),
        (1, 1_100_000_000, "expected a counter of 0.000001 to 100,000 MHz, found 9.09e-07 MHz"),
    ],
)
def test_a_rate_that_no_counter_has_is_refused(
    tmp_path: Path, cycles: int, ns: int, problem: str
) -> None:
    found = refusal(report(tmp_path, row(start=0, end=cycles, ns=ns)))
    by = " by 'DEVICE FW END CYCLE' and 'DEVICE FW DURATION [ns]'"
    unknown = ", so the rate of the counter is not known"
    assert found == problem + (by if problem.startswith("expected") else unknown)


def test_the_fastest_counter_has_100_ghz(tmp_path: Path) -> None:
    assert import_trace(report(tmp_path, row(start=0, end=100000))).meta.clock_hz == 10**11


def test_a_backward_row_says_nothing_of_the_rate(tmp_path: Path) -> None:
    path = report(tmp_path, row(), row(start=5000, end=4000, ns=1), row(start=6000, end=7000))
    trace = import_trace(path, keep_damaged=True)
    assert trace.meta.clock_hz == 10**9
    assert rows(trace, "tasks", "start_ns", "end_ns", "start_cycles") == [
        (0, 1000, 1000),
        (None, None, 5000),
        (5000, 6000, 6000),
    ]
    [entry] = trace.meta.ledger
    assert (entry.lane, entry.total, entry.delivered, entry.unmatched) == ("chip 0", 3, 2, 1)


def test_operations_among_chips_are_counted_by_name(tmp_path: Path) -> None:
    kinds = {
        "AllGatherAsync": "all_gather",
        "ReduceScatterMinimal": "reduce_scatter",
        "AllReduce": "all_reduce",
        "AllToAllDispatch": "all_to_all",
        "AllBroadcast": "all_broadcast",
        "PointToPoint": "point_to_point",
        "Gather": None,
    }
    lines = [
        row(code=code, start=1000 * k, end=1000 * k + 500, ns=500)
        for k, code in enumerate([*kinds, "AllReduce"])
    ]
    trace = import_trace(report(tmp_path, *lines))
    named = [(code, 0, kind) for code, kind in kinds.items() if kind]
    assert rows(trace, "collectives", "group", "sequence", "kind") == [
        *named,
        ("AllReduce", 1, "all_reduce"),
    ]
    assert rows(trace, "collectives", "task")[-1] == (7,)
    work = dict(rows(trace, "functions", "name", "work"))
    assert work == {code: "communication" if kind else "compute" for code, kind in kinds.items()}


def test_the_names_of_operations_are_by_their_number(tmp_path: Path) -> None:
    path = report(tmp_path, "a,t,5,,,,,,,,", "b,t,6,,,,,,,,", ",t,7,,,,,,,,", "c,t,,,,,,,,,")
    assert operation_names(path) == {5: "a", 6: "b"}
    other = report(tmp_path, "a,1", head="OP CODE,OTHER")
    assert operation_names(other) == {}
    other = report(tmp_path, "a,1", head="OTHER,GLOBAL CALL COUNT")
    assert operation_names(other) == {}


@pytest.mark.parametrize("absent", ["OP CODE", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE"])
def test_three_columns_make_a_report(absent: str) -> None:
    names = ["OP CODE", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE"]
    assert is_report(",".join(names).encode() + b"\n")
    assert not is_report(",".join(name for name in names if name != absent).encode() + b"\n")


def test_a_log_takes_the_largest_numbers(tmp_path: Path) -> None:
    lines = zone(LATEST - 80, LATEST, "BRISC-KERNEL", core="65535,65535,65535")
    trace = import_trace(log(tmp_path, *lines))
    assert rows(trace, "cores", "name", "device") == [("core 65535,65535", 65535)]
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 100)]


@pytest.mark.parametrize(
    ("core", "time", "problem"),
    [
        ("65536,1,2", 5, f"'PCIe slot': {PLACE}, found '65536'"),
        ("0,-1,2", 5, f"'core_x': {PLACE}, found '-1'"),
        ("0,1,65536", 5, f"'core_y': {PLACE}, found '65536'"),
        ("0,1,2", LATEST + 1, f"'time[cycles since reset]': {COUNTER}, found '{LATEST + 1}'"),
        ("0,1,2", -1, f"'time[cycles since reset]': {COUNTER}, found '-1'"),
    ],
)
def test_a_log_with_other_numbers_is_refused(
    tmp_path: Path, core: str, time: int, problem: str
) -> None:
    path = log(tmp_path, *zone(1, 2, "BRISC-KERNEL"), *zone(time, time, "a", core=core))
    assert refusal(path) == f"line 5, {problem}"


@pytest.mark.parametrize(
    ("mhz", "hz"),
    [
        *[("100000", 10**11), ("0.000001", 1), ("1000.5", 1_000_500_000)],
        *[("100001", 0), ("-1", 0), ("0", 0), ("soon", 0)],
    ],
)
def test_a_rate_is_above_0_and_at_most_100_ghz(tmp_path: Path, mhz: str, hz: int) -> None:
    first = f"ARCH: a.b-c_1, CHIP_FREQ[MHz]: {mhz}, Max Compute Cores: 64"
    path = log(tmp_path, *zone(1, 2, "BRISC-KERNEL"), first=first)
    if hz:
        meta = import_trace(path).meta
        assert (meta.clock_hz, meta.chip) == (hz, "a.b-c_1")
    else:
        assert refusal(path) == (
            "line 1, 'CHIP_FREQ[MHz]': a rate above 0 and at most 100,000 was expected, found "
            f"{mhz!r}; without it cycles are no time"
        )
