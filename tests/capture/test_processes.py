"""Many processes under one `collect`: each has a region, a capture and a trace of its own."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest
from tests.capture.programs import EXAMPLE, built, collected
from tests.capture.starts import TASKS

from lanescope.capture import recover
from lanescope.capture.directory import (
    REGION,
    SPOOL,
    process_directories,
    process_suffixes,
)
from lanescope.cli import main
from lanescope.device.region import open_region
from lanescope.errors import UsageError
from lanescope.facade.recordings import collect
from lanescope.trace import Trace, load


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def own_runtime(folder: Path) -> Path:
    return built(EXAMPLE, folder / "own_runtime")


@pytest.fixture(scope="module")
def forks(folder: Path) -> Path:
    return built(Path(__file__).with_name("forks.c"), folder / "forks")


def traces(folder: Path) -> list[Trace]:
    """All traces of a folder; each is whole."""
    found = [load(path) for path in sorted(folder.glob("*.lanes"))]
    for trace in found:
        assert (trace.tasks["flags"] == 0).all()
        for entry in trace.meta.ledger:
            assert (entry.closes, entry.dropped, entry.unmatched) == (True, 0, 0)
    return found


def test_eight_at_once_give_eight_whole_traces(own_runtime: Path, tmp_path: Path) -> None:
    script = f"for i in 1 2 3 4 5 6 7 8; do {own_runtime} 100 & done; wait"
    done = collected(tmp_path, "sh", "-c", script)
    assert (done.returncode, done.stderr) == (0, "")
    assert [len(trace.tasks) for trace in traces(tmp_path)] == [100] * 8
    assert done.stdout.count("level 4: 100 tasks, 2 cores") == 8
    assert not (tmp_path / "sh.capture").exists()


def test_a_region_of_a_program_has_the_host_clock(own_runtime: Path, tmp_path: Path) -> None:
    before = time.time_ns()
    assert collected(tmp_path, own_runtime, "100").returncode == 0
    after = time.time_ns()
    (trace,) = traces(tmp_path)
    clock = trace.meta.host_clock
    assert clock is not None and clock.status == "calibrated"
    last = int(trace.tasks["end_ns"].max())
    assert before < clock.host_ns < clock.host_ns + last < after
    assert 0 < clock.error_ns < after - before


def test_two_after_each_other_are_not_merged(own_runtime: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, "sh", "-c", f"{own_runtime} 3000; {own_runtime} 200")
    assert done.returncode == 0
    assert sorted(len(trace.tasks) for trace in traces(tmp_path)) == [200, 3000]


def test_a_program_that_becomes_another_has_two_traces(forks: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, forks, "exec", options=("--chip-swimlane=1",))
    assert done.returncode == 0
    [first] = [path for path in tmp_path.glob("*.lanes") if not path.stem.endswith("-2")]
    second = first.with_stem(f"{first.stem}-2")
    assert first.stem.removeprefix("forks-").isdecimal()
    assert [len(load(path).tasks) for path in (first, second)] == [10, 20]


def test_a_forked_child_cannot_touch_its_parents_records(forks: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, forks, "inherited", options=("--chip-swimlane=1",))
    assert (done.returncode, done.stderr) == (0, "")
    [trace] = traces(tmp_path)
    assert trace.tasks["task"].tolist() == list(range(20))


def test_a_forked_child_can_have_a_region_of_its_own(forks: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, forks, "own", options=("--chip-swimlane=1",))
    assert done.returncode == 0
    assert sorted(len(trace.tasks) for trace in traces(tmp_path)) == [20, 30]


def test_what_processes_leave_is_theirs_alone(own_runtime: Path, tmp_path: Path) -> None:
    kept = tmp_path / "run.capture"
    collect(["sh", "-c", f"{own_runtime} 50; {own_runtime} 60"], directory=kept)
    directories = process_directories(kept)
    assert len(directories) == 2
    for directory in directories:
        header = open_region(directory / REGION).head.header
        assert directory.name == f"{header['process']}-{header['region_id']:016x}"
        assert stat.S_IMODE((directory / REGION).stat().st_mode) == 0o600
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_several_processes_are_recovered_one_by_one(
    own_runtime: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "run.capture"
    collect(["sh", "-c", f"{own_runtime} 50; {own_runtime} 60"], directory=kept)
    with pytest.raises(UsageError, match=r"2 processes recorded; name the directory of one"):
        recover(kept)
    assert main(["recover", str(kept), "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("was left as it is") == 2
    names = [f"sh{suffix}" for suffix in process_suffixes(process_directories(kept))]
    assert [len(load(tmp_path / f"{name}.lanes").tasks) for name in names] == [50, 60]
    assert [load(tmp_path / f"{name}.lanes").meta.name for name in names] == names


def test_a_spool_of_another_region_is_left_out(own_runtime: Path, tmp_path: Path) -> None:
    kept = tmp_path / "run.capture"
    collect(["sh", "-c", f"{own_runtime} 50; {own_runtime} 60"], directory=kept)
    first, second = process_directories(kept)
    shutil.copy(second / SPOOL, first / f"{SPOOL}.1")
    found = recover(first)
    assert len(found.trace.tasks) == 50
    assert found.problems == (
        f"{first / SPOOL}.1: it was drained from region {second.name.partition('-')[2]}, and this "
        f"is region {first.name.partition('-')[2]}, so it was left out",
    )


def test_a_region_that_is_there_is_never_replaced(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "twice.c"
    source.write_text(
        """
#define _GNU_SOURCE
#include <lanescope/file.h>
#include <lanescope/lanescope.h>
int main(int count, char **arguments)
{
    ls_config config = ls_default_config();
    config.clock_hz = 1000000000;
    (void)count;
    uint8_t *first = ls_region_create(arguments[1], &config);
    if (!first || ls_region_create(arguments[1], &config) || errno != EEXIST)
        return 1;
    if (symlink("elsewhere", arguments[2]) || ls_region_create(arguments[2], &config))
        return 2;
    return ((ls_header *)first)->region_id == 0 ? 3 : 0;
}
"""
    )
    program = built(source, tmp_path / "twice")
    (tmp_path / "made").mkdir()
    places = [str(tmp_path / "made" / "region"), str(tmp_path / "made" / "link")]
    assert subprocess.run([program, *places]).returncode == 0
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["link", "region"]


STARTS = [sys.executable, str(Path(__file__).with_name("starts.py"))]
PATIENCE_S = 1.0
"""The longest that a program may wait beyond its own time."""


def many_starts(program: Path, folder: Path, count: int) -> dict[str, list[float]]:
    """Start programs, eight at once, some of which are killed; return their times by kind."""
    done = collected(folder, *STARTS, program, str(count), timeout_s=2000)
    assert done.returncode == 0, done.stderr
    times: dict[str, list[float]] = {"recorded": [], "control": [], "killed": []}
    for kind, code, seconds in json.loads(done.stdout.splitlines()[0]):
        assert code == (-9 if kind == "killed" else 0)
        times[kind].append(seconds)
    found = [load(path) for path in folder.glob("*.lanes")]
    for trace in found:
        assert all(entry.closes and not entry.unknown for entry in trace.meta.ledger)
        stalls = trace.stalls
        assert int((stalls["end_ns"] - stalls["start_ns"]).sum()) < PATIENCE_S * 1e9
    # Who was killed just before the end has all tasks, and the last one's finish is not known.
    whole = [t for t in found if len(t.tasks) == int(TASKS) and not t.tasks["flags"].any()]
    assert not any(entry.dropped for trace in whole for entry in trace.meta.ledger)
    assert len(whole) >= len(times["recorded"]) >= len(found) - len(times["killed"])
    assert len(found) <= count
    return times


def test_programs_that_are_killed_harm_no_other(own_runtime: Path, tmp_path: Path) -> None:
    many_starts(own_runtime, tmp_path, 40)


@pytest.mark.stress
def test_a_thousand_starts_with_kills(own_runtime: Path, tmp_path: Path) -> None:
    times = many_starts(own_runtime, tmp_path, 1000)
    for kind, seconds in times.items():
        print(f"{kind}: {len(seconds)}, median {median(seconds):.3f} s, most {max(seconds):.3f} s")
    assert max(times["recorded"]) < max(times["control"]) + PATIENCE_S
