"""Time of devices: compute first, then communication, copies and fills that nothing hides."""

from __future__ import annotations

from tests.analyze.streams.made import basis_of, ran

from lanescope.analyze.streams.breakdown import Breakdown, DeviceTime, StreamTime, breakdown


def answered(*rows: dict[str, object]) -> Breakdown:
    return breakdown(basis_of(list(rows)).work)


def test_the_parts_of_a_device_add_up_to_its_span() -> None:
    found = answered(
        ran(0, "gemm", 0, 100),
        ran(0, "copy", 180, 220),
        ran(0, "odd", 300, 400),
        ran(1, "reduce", 50, 200),
    )
    assert found.devices == (
        DeviceTime(
            rank=None,
            device=0,
            streams=2,
            span_ns=400,
            compute_ns=200,
            exposed_communication_ns=100,
            exposed_memory_ns=20,
            idle_ns=80,
            communication_ns=150,
            overlap_ns=50,
        ),
    )


def test_a_stream_has_its_own_span() -> None:
    rows = ran(1, "gemm", 10, 30), ran(1, "fill", 20, 40), ran(1, "gemm", 50, 60)
    (stream,) = answered(*rows).streams
    assert stream == StreamTime(
        core=1,
        name="s1",
        rank=None,
        device=0,
        rows=3,
        kernels=2,
        sum_ns=50,
        busy_ns=40,
        span_ns=50,
        idle_ns=10,
        gaps=1,
        overlapping=1,
    )


def test_devices_are_apart() -> None:
    found = answered(ran(0, "gemm", 0, 10), ran(2, "gemm", 5, 25))
    assert [(one.device, one.span_ns) for one in found.devices] == [(0, 10), (1, 20)]


def test_a_row_by_which_a_stream_waits_is_no_work() -> None:
    found = answered(ran(0, "gemm", 0, 10), ran(0, "stand", 10, 50), ran(0, "gemm", 50, 60))
    (device,) = found.devices
    assert (device.compute_ns, device.idle_ns) == (20, 40)
    assert [(one.rows, one.gaps) for one in found.streams] == [(2, 1)]


def test_nothing_ran() -> None:
    assert answered() == Breakdown((), ())
