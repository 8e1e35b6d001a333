"""A program that takes too long: it is asked to end, then killed; what it recorded is stored."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from tests.capture.programs import COLLECT, EXAMPLE, built

import lanescope
from lanescope.capture import time_limit
from lanescope.capture.time_limit import GRACE_S, TimeLimit
from lanescope.trace import load

FOR_EVER = "1000000000"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")


class Program:
    """What a TimeLimit needs of a program."""

    def __init__(self) -> None:
        self.got: list[str] = []

    def terminate(self) -> None:
        self.got.append("terminate")

    def kill(self) -> None:
        self.got.append("kill")


def looked_at(seconds: float | None, *moments: float) -> tuple[list[str], bool]:
    """What a program that began at 100 s got at these moments, and whether its time was over."""
    program, now = Program(), [100.0]
    limit = TimeLimit(cast(Any, program), seconds, clock=lambda: now[0])
    for now[0] in moments:
        limit.look()
    return program.got, limit.reached


def test_it_is_asked_to_end_once_and_killed_once() -> None:
    assert looked_at(7.0, 106.9) == ([], False)
    assert looked_at(7.0, 107.0) == (["terminate"], True)
    assert looked_at(7.0, 107.0, 107.0 + GRACE_S - 0.1) == (["terminate"], True)
    assert looked_at(7.0, 108.0, 108.0 + GRACE_S) == (["terminate", "kill"], True)
    assert looked_at(7.0, 108.0, 113.0, 120.0, 140.0) == (["terminate", "kill"], True)


def test_without_a_limit_it_runs_for_ever() -> None:
    assert looked_at(None, 1e9) == ([], False)


def test_a_program_whose_time_is_over_is_ended_and_its_trace_stored(
    program: Path, tmp_path: Path
) -> None:
    command = [*COLLECT, "--time-limit", "2s", "-o", str(tmp_path), "--", str(program), FOR_EVER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    target = tmp_path / "own_runtime.lanes"
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"lanescope: {program} was asked to end after its time limit of 2 s; what it "
        f"recorded is in {target}"
    )
    trace = load(target)
    assert len(trace.tasks) > 0 and all(entry.closes for entry in trace.meta.ledger)
    assert not (tmp_path / "own_runtime.capture").exists()


def test_a_program_that_does_not_listen_is_killed(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limit, "GRACE_S", 0.2)
    deaf = ["sh", "-c", f"trap '' TERM; exec {program} {FOR_EVER}"]
    found = lanescope.collect(deaf, time_limit_s=1.5)
    assert (found.exit_code, found.timed_out) == (-9, True)
    assert len(found.trace.tasks) > 0
    in_time = lanescope.collect([str(program), "100"], time_limit_s=60)
    assert (in_time.exit_code, in_time.timed_out) == (0, False)


def test_a_program_that_hangs_before_it_records_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        lanescope.LanescopeError, match="sleep was asked to end after its time limit"
    ):
        lanescope.collect(["sleep", "60"], time_limit_s=0.1, directory=tmp_path / "a.capture")
    assert not (tmp_path / "a.capture").exists()
