"""Instrumented C programs, built as a user builds them, and the collector as a process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lanescope

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_runtime" / "own_runtime.c"
COLLECT = [sys.executable, "-m", "lanescope", "collect"]


def built(
    source: Path, target: Path, headers: Path | None = None, *, flags: tuple[str, ...] = ()
) -> Path:
    """Build a program with the headers of the package, or with others."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    include = ["-I", str(headers or lanescope.include_directory())]
    command = [compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", *flags, *include]
    subprocess.run([*command, str(source), "-o", str(target), "-lpthread"], check=True)
    return target


def collected(
    folder: Path, *command: str | Path, options: tuple[str, ...] = (), timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run `lanescope collect` with traces in `folder`."""
    return subprocess.run(
        [*COLLECT, "-o", str(folder), *options, "--", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
