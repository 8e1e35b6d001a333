"""A collector that never comes, is killed, stands still for a while, hangs, or leaves in order."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from tests.capture.programs import COLLECT, built, collected

import lanescope
from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.capture.spool import SpoolWriter
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import constant, layout
from lanescope.device.region import Region, RegionConfig
from lanescope.trace import load

LANES = 8
CONFIG = RegionConfig(flags=level_features(1), cores=(Core("aic"),), buffer_records=4, buffers=2)
MANY = 1_000_000
"""Rounds that keep a program busy for seconds."""


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("patient.c")
    return built(source, tmp_path_factory.mktemp("program") / "patient")


def collecting(folder: Path, program: Path, rounds: int) -> subprocess.Popen[str]:
    """A collector that runs the program."""
    command = [*COLLECT, "-o", str(folder), "--chip-swimlane=1", "--", str(program), str(LANES)]
    return subprocess.Popen([*command, str(rounds)], stdout=subprocess.PIPE, text=True)


def times(said: str) -> tuple[int, int]:
    """The milliseconds that the program took, and how many records it dropped."""
    found = re.search(r"(\d+) ms, (\d+) dropped", said)
    assert found, said
    return int(found[1]), int(found[2])


def test_nobody_collects_and_the_program_waits_once(patient: Path, tmp_path: Path) -> None:
    """Eight lanes of one thread: each for itself would wait as long again."""
    environment = {"LANESCOPE_CAPTURE": str(tmp_path), "LANESCOPE_FLAGS": "1"}
    done = subprocess.run(
        [patient, str(LANES), "1000"], env=environment, capture_output=True, text=True, timeout=60
    )
    took, dropped = times(done.stdout)
    assert 700 <= took < 8 * 700
    assert dropped == LANES * (1000 - 2 * 16)


def test_a_killed_collector_is_missed_once(patient: Path, tmp_path: Path) -> None:
    with collecting(tmp_path, patient, MANY) as collector:
        assert collector.stdout is not None
        assert collector.stdout.readline() == "half\n"
        collector.kill()
        killed = time.monotonic()
        _, dropped = times(collector.stdout.readline())
        assert time.monotonic() - killed < 8 * 0.8
        assert dropped > 0


def test_a_collector_that_stands_still_for_a_moment_loses_nothing(
    patient: Path, tmp_path: Path
) -> None:
    with collecting(tmp_path, patient, 100_000) as collector:
        assert collector.stdout is not None
        assert collector.stdout.readline() == "half\n"
        for _ in range(3):
            collector.send_signal(signal.SIGSTOP)
            time.sleep(0.15)
            collector.send_signal(signal.SIGCONT)
            time.sleep(0.05)
        said, _ = collector.communicate(timeout=60)
    assert times(said)[1] == 0
    assert collector.returncode == 0


def test_a_process_that_goes_on_is_neither_waited_for_nor_held_up(
    patient: Path, tmp_path: Path
) -> None:
    """The shell ends as soon as its child is recorded."""
    script = f'"{patient}" {LANES} {MANY} & until ls sh.capture/*/spool 2> /dev/null; do :; done'
    done = subprocess.run(  # the pipe stays open until the child has ended
        [*COLLECT, "--", "sh", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert times(done.stdout)[1] > 0
    trace = load(tmp_path / "sh.lanes")
    assert "The process went on after the end of the collected program." in trace.meta.notes


def host_words(region: Region) -> tuple[int, int]:
    header = region.memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0]
    return int(header["host_beat"]), int(header["host_gone"])


def wait_for_beats(region: Region, count: int) -> None:
    first, until = host_words(region)[0], time.monotonic() + 30
    while host_words(region)[0] < first + count:
        assert time.monotonic() < until, "the heart does not beat"
        time.sleep(0.01)


def opened(tmp_path: Path) -> CaptureSession:
    return create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("a"))


def test_the_heart_beats_until_the_host_leaves(tmp_path: Path) -> None:
    session = opened(tmp_path)
    assert host_words(session.region) == (0, 0)
    with session:
        assert host_words(session.region)[0] >= 1
        wait_for_beats(session.region, 2)
        assert host_words(session.region)[1] == 0
    assert host_words(session.region)[1] == 1


def test_a_simulated_host_shows_itself_with_every_look(tmp_path: Path) -> None:
    session = opened(tmp_path)
    for look in range(3):
        assert host_words(session.region) == (look, 0)
        session.tick()
    session.stop()
    assert host_words(session.region) == (3, 1)


def test_a_slow_disk_does_not_stop_the_heart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path)
    held, append = threading.Event(), SpoolWriter.append

    def slow(spool: SpoolWriter, *arguments: object) -> None:
        held.wait()
        append(spool, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(SpoolWriter, "append", slow)
    session.region.lanes["published"] = 1
    with session:
        wait_for_beats(session.region, 4)
        held.set()


def test_a_drain_that_hangs_stops_the_heart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path)
    monkeypatch.setattr("lanescope.capture.drain._STUCK_S", 0.0)
    with session:
        before = host_words(session.region)[0]
        time.sleep(0.3)
        assert host_words(session.region)[0] == before
        monkeypatch.setattr("lanescope.capture.drain._STUCK_S", 10.0)
        wait_for_beats(session.region, 1)


def test_a_program_whose_region_is_refused_is_not_held_up(tmp_path: Path) -> None:
    headers = shutil.copytree(lanescope.include_directory(), tmp_path / "include")
    layout_h = headers / "lanescope" / "layout.h"
    line = f"#define LS_REGION_VERSION {constant('LS_REGION_VERSION')}"
    assert line in layout_h.read_text()
    layout_h.write_text(layout_h.read_text().replace(line, "#define LS_REGION_VERSION 99"))
    source = Path(__file__).with_name("patient.c")
    foreign = built(source, tmp_path / "foreign", headers)
    done = collected(tmp_path, foreign, str(LANES), "1000", options=("--chip-swimlane=1",))
    took, dropped = times(done.stdout)
    assert took < 8 * 700
    assert dropped > 0
    assert done.returncode == 1
    assert "the region is of version 99, this lanescope reads version" in done.stderr
    assert len(list((tmp_path / "foreign.capture").glob("*/region"))) == 1
