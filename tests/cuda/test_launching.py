"""Launches and ranges of a recording, with the stand-in for the driver."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cuda.stand_in import StandIn
from tests.cuda.test_stand_in import ADDRESS, gpu, written

import lanescope
from lanescope.capture.host_log import LAUNCH_NUMBERS, read_host_log
from lanescope.errors import LanescopeError, UsageError

__all__ = ["gpu"]


def test_every_use_of_the_handle_is_a_new_launch_on_the_same_address(gpu: StandIn) -> None:
    with lanescope.cuda.record(cores=1, buffer_records=16) as rec:
        handles = [rec.handle, rec.launch("forward"), rec.handle, rec.launch()]
    assert {handle & ADDRESS for handle in handles} == {handles[0] & ADDRESS}
    assert [handle >> 48 for handle in handles] == [1, 2, 3, 4]
    with pytest.raises(UsageError, match="the recording has ended"):
        rec.launch("late")


def test_numbers_begin_again_and_never_make_a_handle_negative(gpu: StandIn) -> None:
    with lanescope.cuda.record(cores=1, buffer_records=16) as rec:
        rec._log._calls = LAUNCH_NUMBERS - 1
        handles = [rec.handle, rec.handle]
    assert [handle >> 48 for handle in handles] == [LAUNCH_NUMBERS, 1]
    assert all(handle < 1 << 63 for handle in handles)


def test_an_address_that_leaves_no_room_for_a_number_is_refused(
    gpu: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed: list[int] = []
    monkeypatch.setattr("lanescope.cuda.driver.allocate", lambda size: 1 << 48)
    monkeypatch.setattr("lanescope.cuda.driver.free", freed.append)
    with pytest.raises(LanescopeError) as refused:
        lanescope.cuda.record(cores=1, directory=tmp_path / "here")
    assert str(refused.value) == (
        "the GPU's memory is at 0x1000000000000, and a handle has room for addresses of 48 bits; "
        "lanescope cannot record on this GPU"
    )
    assert freed == [1 << 48]
    assert gpu.names()[-1] == "cuMemHostUnregister"
    assert not (tmp_path / "here").exists()


def test_launches_have_names_and_ranges_stand_on_the_same_axis(gpu: StandIn) -> None:
    with lanescope.cuda.record(cores=1, buffer_records=16) as rec:
        with rec.range("step"), rec.range("forward"):
            assert rec.launch("gemm") >> 48 == 1
            written(rec, launch=1)
    trace = rec.trace
    assert trace.text("launches", "name") == ["gemm"]
    assert trace.tasks["launch"].tolist() == [1]
    assert trace.text("phases", "kind") == ["step", "forward", "launch"]
    assert trace.phases["depth"].tolist() == [0, 1, 2]
    assert trace.text("controllers", "name") == ["MainThread"]
    start, end = (trace.phases[name] for name in ("start_ns", "end_ns"))
    assert np.all(start[1:] >= start[:-1]) and np.all(end[1:] <= end[:-1])


def test_a_range_ends_with_its_block(gpu: StandIn) -> None:
    with lanescope.cuda.record(cores=1, buffer_records=16) as rec:
        for name in ("first", "second"):
            with rec.range(name):
                pass
        written(rec)
    phases = rec.trace.phases
    assert phases["depth"].tolist() == [0, 0]
    assert phases["end_ns"][0] <= phases["start_ns"][1]


def test_a_range_outside_of_the_recording_leaves_no_row(gpu: StandIn) -> None:
    with lanescope.cuda.record(cores=1, buffer_records=16) as rec:
        written(rec)
    with rec.range("after"):
        pass
    assert len(rec.trace.phases) == 0


def test_a_recovered_capture_has_launches_and_ranges_too(gpu: StandIn, tmp_path: Path) -> None:
    rec = lanescope.cuda.record(cores=1, buffer_records=16, directory=tmp_path / "kept")
    with rec:
        with rec.range("step"):
            rec.launch("gemm")
        written(rec, launch=1)
    recovered = lanescope.recover(tmp_path / "kept").trace
    assert recovered.text("launches", "name") == ["gemm"]
    assert recovered.text("phases", "kind") == ["step", "launch"]
    assert recovered.phases["start_ns"].tolist() == rec.trace.phases["start_ns"].tolist()


def test_the_hosts_clock_and_its_rows_are_on_one_line(gpu: StandIn, tmp_path: Path) -> None:
    """When a range began by the host's clock is what the trace's clock says of its start."""
    rec = lanescope.cuda.record(cores=1, buffer_records=16, directory=tmp_path / "kept")
    gpu.rate = 1.0001
    with rec, rec.range("step"):
        written(rec)
    clock, events = rec.trace.meta.host_clock, read_host_log(tmp_path / "kept", [])
    assert clock is not None and events is not None
    start = int(rec.trace.phases["start_ns"][0])
    host_ns = clock.host_ns + round(start * (1 + clock.drift_ppb / 1e9))
    assert abs(host_ns - events.ranges[0].ns) <= 2
