"""The host's side of a recording: its folder, and one clock against the other."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from lanescope.cuda import host
from lanescope.cuda.clock import ClockAnchor
from lanescope.cuda.host import anchor, host_clock, own_folder
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.region import RegionConfig, create_region
from lanescope.trace import HostClock, Meta

TOLD = HostClock(host_ns=7, drift_ppb=0, error_ns=1, status="calibrated")
FIRST = ClockAnchor(1_000, 50_000, 30)


def meta(base_cycles: int = 0) -> Meta:
    return Meta(name="a", tool="t", origin="measured", host_clock=TOLD, base_cycles=base_cycles)


@pytest.mark.parametrize(("memory", "where"), [("shm", "shm"), ("none", "tmp")])
def test_a_folder_is_in_memory_where_there_is_one(
    memory: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shm", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(host, "MEMORY_FOLDER", tmp_path / memory)
    folder = own_folder()
    assert folder.parent == tmp_path / where
    assert folder.is_dir() and folder.name.startswith("lanescope-")


def test_a_moment_on_both_clocks_is_written_into_the_region(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1), cores=(Core("sm"),), pipes=1, clock_hz=1_000_000_000
    )
    region = create_region(tmp_path / "region", config)
    anchor(region, ClockAnchor(11, 22, 33))
    header = region.fresh_head().header
    names = ("clock_cycles", "clock_unix_ns", "clock_error_ns")
    assert [int(header[name]) for name in names] == [11, 22, 33]


@pytest.mark.parametrize(
    ("base", "last", "host_ns", "drift_ppb", "error_ns"),
    [
        (1_500, ClockAnchor(2_000, 52_000, 40), 51_000, 1_000_000_000, 40),
        (1_500, ClockAnchor(2_000, 50_500, 20), 50_250, -500_000_000, 30),
        (900, ClockAnchor(2_000, 51_000, 30), 49_900, 0, 30),
        (0, ClockAnchor(2_000, 52_000, 30), 50_000, 1_000_000_000, 30),
        (2_000, ClockAnchor(1_001, 50_002, 0), 52_000, 1_000_000_000, 30),
    ],
)
def test_a_line_through_two_moments(
    base: int, last: ClockAnchor, host_ns: int, drift_ppb: int, error_ns: int
) -> None:
    """A trace without a begin of its own begins with the first moment."""
    assert host_clock(meta(base), FIRST, last) == HostClock(
        host_ns=host_ns, drift_ppb=drift_ppb, error_ns=error_ns, status="calibrated"
    )


@pytest.mark.parametrize("last", [None, ClockAnchor(1_000, 60_000, 1), ClockAnchor(999, 60_000, 1)])
def test_without_a_later_moment_the_clock_stays_as_it_is(last: ClockAnchor | None) -> None:
    assert host_clock(meta(1_500), FIRST, last) == TOLD


def test_a_trace_without_a_clock_gets_none() -> None:
    bare = Meta(name="a", tool="t", origin="measured", base_cycles=1_500)
    assert host_clock(bare, FIRST, ClockAnchor(2_000, 52_000, 1)) is None
