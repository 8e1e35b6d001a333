"""100 million records through the real collector, which pauses at random; its memory stays flat."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks.stream import compile_producer

from lanescope.capture import CaptureSession, SessionNote
from lanescope.capture.directory import (
    REGION,
    SPOOL,
    make_directory,
    process_directories,
    sole_capture,
)
from lanescope.capture.drain import Drain, counters
from lanescope.capture.gather import gather
from lanescope.capture.spool import FrameKind, SpoolReader
from lanescope.device.region import Region, open_region

CORES = 4


def private_kib() -> int:
    """Memory that is this process's alone: the mapped region and files do not count."""
    [line] = [
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("RssAnon:")
    ]
    return int(line.split()[1])


def collected(program: Path, directory: Path, records: int, on_full: str) -> tuple[Region, int]:
    """The region after the run, and by how many KiB the collector grew between its first round
    and its last."""
    make_directory(directory, SessionNote("long"))
    environment = {
        "LANESCOPE_CAPTURE": str(directory),
        "LANESCOPE_FLAGS": "1",
        "LANESCOPE_ON_FULL": on_full,
    }
    command = [str(program), str(records), str(CORES), "16", "4"]
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    while not process_directories(directory):
        time.sleep(0.001)
    [own] = process_directories(directory)
    region = open_region(own / REGION)
    session = CaptureSession(own, region)
    session.start()
    time.sleep(0.2)
    before = private_kib()
    assert running.wait() == 0
    grown = private_kib() - before
    session.stop()
    assert session.error is None
    return region, grown


def pausing(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng, tick = random.Random(seed), Drain.tick

    def tick_or_pause(drain: Drain) -> int:
        if rng.random() < 0.0005:
            time.sleep(rng.uniform(0, 0.003))
        return tick(drain)

    monkeypatch.setattr(Drain, "tick", tick_or_pause)


def require_accounted(region: Region, directory: Path, records: int) -> int:
    """Per lane: what is spooled is what was recorded, and with the dropped all there was.
    Returns the dropped."""
    reader = SpoolReader(sole_capture(directory) / SPOOL)
    seen = np.zeros(CORES, np.int64)
    last = np.full(CORES, -1)
    for frame in reader.frames():
        if frame.kind != FrameKind.BUFFERS:
            continue
        for lane, rows in enumerate(gather([frame.payload], region.head).records):
            seen[lane] += len(rows)
            if len(rows):
                tokens = rows["token"].astype(np.int64)
                assert tokens[0] > last[lane]
                assert (np.diff(tokens) > 0).all()
                assert (rows["task"] == rows["token"]).all()
                last[lane] = tokens[-1]
    lanes = counters(region.memory, region.head)
    assert reader.damage == []
    assert seen.tolist() == lanes["recorded"].tolist()
    assert (lanes["recorded"] + lanes["dropped"]).tolist() == [records // CORES] * CORES
    return int(lanes["dropped"].sum())


def run(tmp_path: Path, records: int, on_full: str) -> int:
    program = compile_producer(tmp_path)
    directory = tmp_path / "long.capture"
    region, grown = collected(program, directory, records, on_full)
    assert grown < 16 * 1024
    dropped = require_accounted(region, directory, records)
    (sole_capture(directory) / SPOOL).unlink()
    return dropped


def test_two_million_records_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pausing(monkeypatch, 1)
    assert run(tmp_path, 2_000_000, "block") == 0


def test_two_million_records_drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pausing(monkeypatch, 2)
    assert run(tmp_path, 2_000_000, "drop") > 0


@pytest.mark.stress
def test_a_hundred_million_records_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pausing(monkeypatch, 3)
    assert run(tmp_path, 100_000_000, "block") == 0


@pytest.mark.stress
def test_a_hundred_million_records_drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pausing(monkeypatch, 4)
    assert run(tmp_path, 100_000_000, "drop") > 0
