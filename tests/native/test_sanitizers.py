"""Damaged inputs for every reader, and random graphs and chips, under sanitizers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.__main__ import build, environment

ROOT = Path(__file__).parents[2]
HAND_MADE = (
    "areas",
    "json_numbers",
    "native",
    "nesting",
    "reduce",
    "replay",
    "tiling",
    "machine_*",
)
"""Tests of this folder that give the library small inputs."""


@pytest.mark.stress
def test_no_input_makes_a_reader_fail(tmp_path: Path) -> None:
    """`make fuzz` for two minutes, from an empty corpus."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", "2", "--seed", "1"]
    done = subprocess.run(
        [*command, "--folder", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    counted = re.search(r"seed 1: ([\d,]+) inputs on (\d+) targets", done.stdout)
    assert counted is not None
    assert int(counted[1].replace(",", "")) > 2000 and int(counted[2]) > 50


@pytest.mark.sanitize
def test_no_small_input_makes_the_library_leave_its_memory(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = Path(__file__).parent
    files = [file for name in HAND_MADE for file in sorted(folder.glob(f"test_{name}.py"))]
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *files]
    variables = {**environment(), "LANESCOPE_LIBRARY": str(build(tmp_path))}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
