"""Damaged inputs for every reader, and random graphs and chips, under sanitizers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


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
