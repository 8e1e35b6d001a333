"""The host's clock laid over the device's, and host phases on the common axis."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import lines, open_entries, read, records, rows

from lanescope.errors import InputError
from lanescope.formats.simpler.host import Anchors, ClockFit, Sample, fit_clock
from lanescope.trace import HostClock, LedgerEntry

BEFORE, AFTER = "pre_host_orchestration", "post_device_execution"
PHASE = ("lane", "controller", "kind", "start_ns", "end_ns", "task", "submit", "bytes")


def sample(position: str, before: int, after: int, cycles: int | None) -> Sample:
    return Sample(position, before, after, cycles)


def test_the_fit_takes_the_shortest_round_trip_on_each_side() -> None:
    anchors = Anchors(
        [
            sample(BEFORE, 0, 900, 1),
            sample(BEFORE, 1000, 1100, 500),
            sample(AFTER, 1_000_900, 1_001_200, 50_500),
            sample(AFTER, 0, 1 << 40, 7),
        ]
    )
    assert fit_clock(anchors, 50_000_000) == ClockFit(
        host=Fraction(1050),
        cycles=500,
        slope=Fraction(1_000_000, 1_000_000),
        error_ns=150,
    )


def test_the_fit_measures_the_drift() -> None:
    anchors = Anchors([sample(BEFORE, 100, 101, 50), sample(AFTER, 1_000_110, 1_000_111, 50_050)])
    fit = fit_clock(anchors, 50_000_000)
    assert fit is not None
    assert fit.host == Fraction(201, 2)
    assert fit.slope == Fraction(1_000_000, 1_000_010)
    assert fit.clock(0) == HostClock(100, 10_000, 1, "calibrated")


UNUSABLE = {
    "none": [],
    "only before": [sample(BEFORE, 0, 10, 5)],
    "only after": [sample(AFTER, 0, 10, 5)],
    "no device time": [sample(BEFORE, 0, 10, 5), sample(AFTER, 100, 110, None)],
    "host stands still": [sample(BEFORE, 0, 10, 5), sample(AFTER, 0, 10, 50)],
    "host runs back": [sample(BEFORE, 100, 110, 5), sample(AFTER, 0, 10, 50)],
    "device stands still": [sample(BEFORE, 0, 10, 5), sample(AFTER, 100, 110, 5)],
    "device runs back": [sample(BEFORE, 0, 10, 50), sample(AFTER, 100, 110, 5)],
    "device at thrice the clock": [sample(BEFORE, 0, 10, 0), sample(AFTER, 2000, 2010, 300)],
    "reading that ends before it begins": [sample(BEFORE, 10, 0, 5), sample(AFTER, 20, 30, 6)],
    "negative host time": [sample(BEFORE, -10, -5, 5), sample(AFTER, 20, 30, 6)],
    "beyond 64 bits": [sample(BEFORE, 0, 1, 5), sample(AFTER, 1 << 70, 1 << 70, 1 << 70)],
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_unusable_anchors_give_no_fit(case: str) -> None:
    assert fit_clock(Anchors(UNUSABLE[case]), 50_000_000) is None


def test_no_anchors_give_no_fit() -> None:
    assert fit_clock(None, 50_000_000) is None


def hosted(*anchors: tuple[str, int, int, int | None], **sections: Any) -> dict[str, Any]:
    """Device at 50 MHz; the host's clock is at 1 000 000 ns when the counter is at 5000."""
    content = records(
        4,
        aicore_tasks=[[0, 7, 1, 5100, 5200, 2]],
        aicpu_tasks=[[0, 1, 5090, 5210]],
        host_orchestrator_phases=[
            [
                {
                    "submit_idx": 0,
                    "task_id": 7,
                    "start_host_ns": 1_000_205,
                    "end_host_ns": 1_000_505,
                },
            ]
        ],
        host_device_uploads=[
            {
                "phase": "arena_h2d",
                "start_host_ns": 1_000_605,
                "end_host_ns": 1_000_705,
                "detail": 64,
            }
        ],
        **sections,
    )
    samples = [
        {"position": p, "host_before_ns": a, "host_after_ns": b, "device_cycles": c}
        for p, a, b, c in anchors
    ]
    content["metadata"]["clock_anchors"] = {"schema_version": 1, "samples": samples}
    capture = {"status": "complete", "expected_records": 1, "recorded_records": 1}
    content["metadata"]["host_capture"] = capture
    return content


GOOD = ((BEFORE, 999_995, 1_000_005, 5000), (AFTER, 1_019_990, 1_020_010, 6000))


def test_host_phases_lie_on_the_device_axis(tmp_path: Path) -> None:
    trace = read(tmp_path, records=hosted(*GOOD))
    assert rows(trace, "phases", *PHASE) == [
        ("orchestrator", 0, "submit", 0, 300, 7, 0, None),
        ("host", 0, "arena_h2d", 400, 500, None, None, 64),
    ]
    assert rows(trace, "tasks", "dispatch_ns", "start_ns") == [(5090 * 20 - 100_205, 1795)]
    # The host's first phase is the base: 205 ns after cycle 5000 is 5 ns after cycle 5010.
    assert (trace.meta.base_cycles, trace.meta.base_shift_ns) == (5010, 5)
    assert trace.meta.host_clock == HostClock(1_000_205, 0, 10, "calibrated")
    assert LedgerEntry("host orchestrator", "orchestrator_phase", 1, 1) in trace.meta.ledger


def test_a_drifting_host_clock_is_stretched(tmp_path: Path) -> None:
    # 20 000 ns on the device take 22 000 ns on the host.
    drift = (GOOD[0], (AFTER, 1_021_990, 1_022_010, 6000))
    trace = read(tmp_path, records=hosted(*drift))
    assert trace.meta.host_clock is not None
    assert trace.meta.host_clock.drift_ppb == 100_000_000
    # (1 000 205 - 1 000 000) / 1.1 is 186.4; the second lies 300 / 1.1 later.
    assert rows(trace, "phases", "start_ns", "end_ns")[0] == (0, 273)
    assert (trace.meta.base_cycles, trace.meta.base_shift_ns) == (5009, 6)


def test_unusable_anchors_keep_host_phases_without_times(tmp_path: Path) -> None:
    trace = read(tmp_path, records=hosted(GOOD[0], (AFTER, 1_019_990, 1_020_010, None)))
    assert rows(trace, "phases", "lane", "kind", "start_ns", "end_ns", "task", "bytes") == [
        ("orchestrator", "submit", None, None, 7, None),
        ("host", "arena_h2d", None, None, None, 64),
    ]
    assert trace.meta.host_clock == HostClock(0, 0, 0, "unaligned")
    assert rows(trace, "tasks", "dispatch_ns", "start_ns") == [(0, 200)]
    assert trace.meta.notes[-1] == (
        "The host's and the device's clocks could not be aligned (no usable anchors): host "
        "phases are kept without times."
    )


def test_lost_host_records_are_in_the_ledger(tmp_path: Path) -> None:
    content = hosted(*GOOD)
    content["metadata"]["host_capture"] = {
        "status": "dropped",
        "expected_records": 5,
        "recorded_records": 1,
        "dropped_records": 4,
        "error": "pool_overflow",
    }
    trace = read(tmp_path, records=content)
    entry = LedgerEntry(
        "host orchestrator", "orchestrator_phase", 5, 1, dropped=4, reason="pool_overflow"
    )
    assert entry in trace.meta.ledger


def test_more_host_records_than_announced_are_all_delivered(tmp_path: Path) -> None:
    content = hosted(*GOOD)
    content["metadata"]["host_capture"] = {
        "status": "incomplete",
        "expected_records": 0,
        "error": "record_count_mismatch",
    }
    trace = read(tmp_path, records=content)
    assert open_entries(trace) == []
    assert trace.meta.ledger[-1].delivered == 1


def test_a_host_time_beyond_73_years_is_refused(tmp_path: Path) -> None:
    content = hosted(*GOOD)
    content["host_orchestrator_phases"][0][0]["end_host_ns"] = 1 << 61
    with pytest.raises(InputError) as caught:
        read(tmp_path, records=content)
    assert caught.value.problem == (
        f"host_orchestrator_phases[0] row 0, 'end_host_ns': {1 << 61} ns is no time of a host"
    )


def test_a_backward_host_phase_is_refused_or_kept_without_times(tmp_path: Path) -> None:
    content = hosted(*GOOD)
    content["host_orchestrator_phases"][0][0]["end_host_ns"] = 3
    with pytest.raises(InputError, match=r"phase 0 \(submit\) of orchestrator 0 ends before"):
        read(tmp_path, records=content)
    trace = read(tmp_path, records=content, keep_damaged=True)
    assert rows(trace, "phases", "kind", "start_ns", "end_ns") == [
        ("submit", None, None),
        ("arena_h2d", 0, 100),
    ]


def host_pass(*records: tuple[str, int, int, int, int], dropped: int = 0) -> dict[str, Any]:
    keys = ("phase", "start_ns", "end_ns", "detail", "tid")
    return {
        "pid": 1,
        "inv": 1,
        "clock": "host_monotonic_ns",
        "dropped": dropped,
        "records": [dict(zip(keys, record, strict=True)) for record in records],
    }


def test_host_phase_records_join_the_axis_without_repeating_submits(tmp_path: Path) -> None:
    text = lines(
        host_pass(
            ("gm_heap", 1_000_105, 1_000_155, 4096, 11),
            ("submit_task", 1_000_205, 1_000_505, 1, 11),
            ("record_node", 1_000_210, 1_000_220, 1, 12),
        )
    )
    trace = read(tmp_path, records=hosted(*GOOD), host_phase_records=text)
    assert rows(trace, "phases", *PHASE) == [
        ("orchestrator", 0, "submit", 0, 300, 7, 0, None),
        ("host", 0, "arena_h2d", 400, 500, None, None, 64),
        ("host", 0, "gm_heap", -100, -50, None, None, 4096),
        ("host", 1, "record_node", 5, 15, None, None, 0),
    ]
    assert trace.meta.ledger[-1] == LedgerEntry("host", "host_phase", 3, 3)


def test_host_phase_records_alone_count_from_their_first(tmp_path: Path) -> None:
    text = lines(
        host_pass(("args", 500, 600, 0, 11), dropped=2), host_pass(("args", 300, 400, 0, 11))
    )
    trace = read(tmp_path, host_phase_records=text)
    assert rows(trace, "phases", "lane", "kind", "start_ns", "end_ns") == [
        ("host", "args", 200, 300),
        ("host", "args", 0, 100),
    ]
    assert trace.meta.ledger == (
        LedgerEntry("host", "host_phase", 4, 2, dropped=2, reason="pool_overflow"),
    )


def test_host_phase_records_beside_a_run_without_anchors_have_no_times(tmp_path: Path) -> None:
    content = records(1, aicore_tasks=[[0, 7, 1, 10, 20]])
    text = lines(host_pass(("args", 500, 600, 0, 11)))
    trace = read(tmp_path, records=content, host_phase_records=text)
    assert rows(trace, "phases", "kind", "start_ns", "end_ns") == [("args", None, None)]
    assert trace.meta.host_clock == HostClock(0, 0, 0, "unaligned")
    assert len(trace.meta.notes) == 1
