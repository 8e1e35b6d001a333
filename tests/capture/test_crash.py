"""kill -9 of the recorded program or of its collector, at random moments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.capture.programs import EXAMPLE, built

import lanescope
from lanescope.capture import recover
from lanescope.capture.directory import sole_capture
from lanescope.capture.rebuild import Recovery
from lanescope.device.region import open_region
from lanescope.trace import load, save
from lanescope.trace.schema import TaskFlag

ENDLESS = "1000000000"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example runtime, built as its own comment says."""
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")


class Victims:
    """A collector and the program it started, each in reach of a signal."""

    def __init__(self, program: Path, folder: Path, options: tuple[str, ...] = ()) -> None:
        command = [sys.executable, "-m", "lanescope", "collect", "-o", str(folder), *options]
        command += ["--", "/bin/sh"]
        # The shell tells the program's number and becomes the program.
        script = f'echo $$ > "{folder}/pid"; exec "{program}" {ENDLESS}'
        self.collector = subprocess.Popen(
            [*command, "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.folder = folder

    def wait_until_it_runs(self) -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if any(spool.stat().st_size for spool in (self.folder / "sh.capture").glob("*/spool")):
                return
            time.sleep(0.002)
        raise AssertionError("the collector did not start")

    @property
    def capture(self) -> Path:
        """The directory of the program's own capture."""
        return sole_capture(self.folder / "sh.capture")

    @property
    def program(self) -> int:
        return int((self.folder / "pid").read_text())

    def kill_program(self) -> None:
        try:
            os.kill(self.program, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def kill_collector(self) -> None:
        self.collector.kill()
        self.collector.wait()


def recover_when_gone(capture: Path) -> Recovery:
    """The kernel takes a moment to end a killed program's threads and give up its files."""
    until = time.monotonic() + 10
    while True:
        try:
            return recover(capture)
        except lanescope.UsageError:
            if time.monotonic() > until:
                raise
            time.sleep(0.002)


def require_sound(found: Recovery, folder: Path) -> None:
    """The trace loads; every record that was published is in it, and nothing that was not."""
    trace = load(save(found.trace, folder / "found.lanes"))
    assert all(entry.closes for entry in trace.meta.ledger)
    ran = trace.tasks["flags"] == 0
    both = trace.tasks["task"][ran]
    assert len(np.unique(both)) == len(both)
    assert (trace.tasks["start_ns"][ran] <= trace.tasks["end_ns"][ran]).all()
    damaged = TaskFlag.DUPLICATE_TOKEN | TaskFlag.BACKWARDS
    assert not (trace.tasks["flags"] & damaged).any()
    # A core at work when it was killed leaves one half of a pair at most.
    assert int((~ran).sum()) <= 2 * 2
    for core in range(2):
        tokens = trace.tasks["token"][trace.tasks["core"] == core]
        assert np.array_equal(tokens, np.arange(len(tokens)))


def crash(program: Path, folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    victims = Victims(program, folder)
    try:
        victims.wait_until_it_runs()
        time.sleep(rng.uniform(0, 0.3))
        if seed % 2:
            victims.kill_collector()
            published = open_region(victims.capture / "region").lanes["published"].copy()
            time.sleep(rng.uniform(0, 0.05))
            victims.kill_program()
            found = recover_when_gone(victims.capture)
            lanes = open_region(victims.capture / "region").lanes
            assert (lanes["published"] >= published).all()
            assert found.buffers >= int(lanes["published"].sum())
            arrived = [entry.total for entry in found.trace.meta.ledger]
            assert arrived == (lanes["recorded"] + lanes["dropped"]).tolist()
            require_sound(found, folder)
            return
        victims.kill_program()
        assert victims.collector.wait(60) == 1
        require_sound(Recovery(load(folder / "sh.lanes"), 0, 0), folder)
        assert not (folder / "sh.capture").exists()
    finally:
        victims.kill_collector()
        victims.kill_program()


@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_killed_every_published_record_is_found(
    program: Path, tmp_path: Path, seed: int
) -> None:
    crash(program, tmp_path, seed)


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(100, 150))
def test_fifty_random_moments(program: Path, tmp_path: Path, seed: int) -> None:
    crash(program, tmp_path, seed)


def test_a_capture_in_use_is_not_recovered(program: Path, tmp_path: Path) -> None:
    victims = Victims(program, tmp_path)
    try:
        victims.wait_until_it_runs()
        with pytest.raises(lanescope.UsageError, match="the collector is still running"):
            recover(victims.capture)
        victims.kill_collector()
        with pytest.raises(lanescope.UsageError, match="the recorded program is still running"):
            recover(victims.capture)
    finally:
        victims.kill_collector()
        victims.kill_program()


def test_the_example_records_by_itself_and_is_reported(program: Path, tmp_path: Path) -> None:
    alone = subprocess.run(
        [program, "50"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert alone.stdout == "50 tasks done\n"
    assert list(tmp_path.iterdir()) == []
    command = [sys.executable, "-m", "lanescope"]
    collect = [*command, "collect", "-o", str(tmp_path), "--chip-swimlane=2", "--", str(program)]
    subprocess.run([*collect, "5000"], check=True, capture_output=True)
    report = subprocess.run(
        [*command, "report", str(tmp_path / "own_runtime.lanes")],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "Nothing lost: all 10,000 records delivered." in report.stdout
    assert "worker" in report.stdout
    assert "load" in report.stdout
