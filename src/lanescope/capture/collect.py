"""Records another program: the program makes the region, and this process drains it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lanescope.capture.directory import REGION, SessionNote, make_directory
from lanescope.capture.session import Session
from lanescope.device.region import Region, open_region
from lanescope.errors import LanescopeError, UsageError
from lanescope.results import Result
from lanescope.trace import Trace
from lanescope.trace.flags import Feature

_POLL_S = 0.0005
"""Pause between two looks for the region's file, in seconds."""


@dataclass(frozen=True, slots=True)
class Collected(Result):
    """How the program ended, and what it recorded."""

    exit_code: int
    """The program's exit code; a negative number is the signal that killed it."""
    trace: Trace

    def to_dict(self) -> dict[str, Any]:
        """Return the exit code; the trace is left out."""
        return {"exit_code": self.exit_code}


def collect(
    command: Sequence[str], *, directory: Path, flags: Feature, on_full: str, note: SessionNote
) -> Collected:
    """Start a program, drain the region that it makes, and return its trace.

    The program reads from its environment where to make the region, which features to record, and
    what to do without a free buffer: ls_region_from_environment() of lanescope/file.h does that.

    Raises:
        UsageError: the program could not be started.
        LanescopeError: the program ended without making a region.
    """
    directory = directory.absolute()
    make_directory(directory, note)
    try:
        program = _start(command, directory, flags, on_full)
        region = _wait_for_region(program, directory / REGION, command[0])
        session = Session(directory, region)
    except BaseException:
        shutil.rmtree(directory)
        raise
    with session:
        code = _wait(program)
    trace = session.reconcile()
    return Collected(code, trace)


def _start(
    command: Sequence[str], directory: Path, flags: Feature, on_full: str
) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "LANESCOPE_REGION": str(directory / REGION),
        "LANESCOPE_FLAGS": str(int(flags)),
        "LANESCOPE_ON_FULL": on_full,
    }
    try:
        return subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UsageError(f"{command[0]} could not be started: {error.strerror}") from error


def _wait_for_region(program: subprocess.Popen[bytes], path: Path, name: str) -> Region:
    """Map the region as soon as the program has made it."""
    while not path.exists():
        if program.poll() is not None and not path.exists():
            raise LanescopeError(
                f"{name} ended with exit code {program.returncode} and made no region, so nothing "
                "was recorded; it should call ls_region_from_environment() of lanescope/file.h"
            )
        time.sleep(_POLL_S)
    return open_region(path)


def _wait(program: subprocess.Popen[bytes]) -> int:
    """Wait until the program ends; return its exit code.

    An interrupt also reaches the program itself. After the second one this process ends it.
    """
    interrupts = 0
    while True:
        try:
            return program.wait()
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts > 1:
                program.terminate()
