"""On a real GPU: idle time whose cause is known, recorded by PyTorch, gets that reason."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lanescope
from lanescope.analyze.streams.idle import IdleTime
from lanescope.trace import Trace

pytestmark = [
    pytest.mark.gpu,
    # PyTorch warns once about what its profiler keeps.
    pytest.mark.filterwarnings("ignore:Warning. Profiler clears events"),
]

SLEEP_S = 0.002


class Known:
    """Programs that leave a GPU idle for one reason each."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.large = torch.randn(8192, 8192, device="cuda")
        self.small = torch.randn(256, 256, device="cuda")
        self.one, self.other = torch.cuda.Stream(), torch.cuda.Stream()
        for _ in range(3):
            self.large @ self.large
            self.small @ self.small
        torch.cuda.synchronize()

    def asleep(self) -> None:
        for _ in range(20):
            self.small @ self.small
            time.sleep(SLEEP_S)

    def full(self) -> None:
        for _ in range(20):
            self.large @ self.large

    def waiting(self) -> None:
        for _ in range(5):
            event = self.torch.cuda.Event()
            with self.torch.cuda.stream(self.one):
                self.large @ self.large
                event.record(self.one)
            with self.torch.cuda.stream(self.other):
                self.other.wait_event(event)
                self.small @ self.small
            self.torch.cuda.synchronize()


@pytest.fixture(scope="module")
def known() -> Known:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    return Known(torch)


def recorded(known: Known, program: Callable[[], None], path: Path, *, stack: bool) -> Trace:
    from torch._C._profiler import _ExperimentalConfig
    from torch.profiler import ProfilerActivity, profile

    known.torch.cuda.synchronize()
    options = _ExperimentalConfig(enable_cuda_sync_events=True)
    both = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=both, with_stack=stack, experimental_config=options) as found:
        program()
        known.torch.cuda.synchronize()
    found.export_chrome_trace(str(path))
    return lanescope.import_trace(path)


def share(one: IdleTime, *reasons: str) -> float:
    return sum(one.ns(what) for what in reasons) / one.idle_ns


def test_a_host_that_sleeps_without_being_recorded(known: Known, tmp_path: Path) -> None:
    trace = recorded(known, known.asleep, tmp_path / "a.json", stack=False)
    device = lanescope.report(trace).idle.devices[0]
    assert share(device, "host_unseen") > 0.9
    assert device.idle_ns > 19 * SLEEP_S * 1e9


def test_a_host_whose_sleep_is_recorded(known: Known, tmp_path: Path) -> None:
    trace = recorded(known, known.asleep, tmp_path / "a.json", stack=True)
    device = lanescope.report(trace).idle.devices[0]
    assert share(device, "host_busy") > 0.9
    assert "sleep" in device.host_rows[0].name


def test_a_device_that_is_full_is_not_idle(known: Known, tmp_path: Path) -> None:
    trace = recorded(known, known.full, tmp_path / "a.json", stack=False)
    report = lanescope.report(trace)
    device = report.breakdown.devices[0]
    assert device.idle_ns < 0.01 * device.span_ns
    parts = {part.what: part.ns for part in report.critical_path.parts}
    assert parts["compute"] > 0.95 * device.span_ns


def test_a_stream_that_waits_for_another_one(known: Known, tmp_path: Path) -> None:
    trace = recorded(known, known.waiting, tmp_path / "a.json", stack=False)
    report = lanescope.report(trace)
    short = min(report.breakdown.streams, key=lambda stream: stream.busy_ns)
    long = max(report.breakdown.streams, key=lambda stream: stream.busy_ns)
    waiting = next(one for one in report.idle.streams if one.core == short.core)
    assert share(waiting, "event") > 0.9
    assert waiting.events[0].name.startswith(long.name)
    parts = {part.what: part.ns for part in report.critical_path.parts}
    assert parts["compute"] > 0.9 * long.busy_ns
