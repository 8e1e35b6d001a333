"""Memory of storing and reporting a capture: bounded by pieces, not by records."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.long_capture import compile_program, drained

_SMALL, _LARGE = 500_000, 4_000_000


def peak_bytes(*arguments: str | Path) -> int:
    """Resident memory of a command of lanescope at its highest."""
    command = [sys.executable, "-m", "lanescope", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_maxrss * 1024


def peaks(tmp_path: Path, program: Path, tasks: int) -> tuple[int, int]:
    """Those of recovering a capture, and of reporting its trace."""
    capture, trace = tmp_path / f"{tasks}.capture", tmp_path / f"{tasks}.lanes"
    drained([str(program), str(tasks), "4"], capture)
    recovering = peak_bytes("recover", capture, "-o", trace)
    return recovering, peak_bytes("report", trace, "--memory", "1MB")


def test_memory_does_not_grow_with_the_records(tmp_path: Path) -> None:
    """Eight times the records; joining them at once would need 250 bytes for each, 1.75 GB more."""
    program = compile_program(tmp_path)
    small, large = (peaks(tmp_path, program, tasks) for tasks in (_SMALL, _LARGE))
    grown = [after - before for before, after in zip(small, large, strict=True)]
    assert max(grown) < 2 * (_LARGE - _SMALL) * 40
