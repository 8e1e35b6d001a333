"""A lack of memory in the C library is a MemoryError and no more, whichever call for it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.shim import built_shim
from tests.native.starved import PARTS

ROOT = Path(__file__).parents[2]
Found = dict[str, tuple[int, bool, bool, bool]]
"""By part: its calls for memory, and the three answers that starved.py describes."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    shim = built_shim(tmp_path_factory.mktemp("shim") / "shim.so")
    command = [sys.executable, "-m", "tests.native.starved"]
    environment = {**os.environ, "LD_PRELOAD": str(shim)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {name: (*facts,) for name, facts in json.loads(done.stdout).items()}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_without_memory_says_so_and_works_again_afterwards(found: Found, name: str) -> None:
    calls, always_said, same, _ = found[name]
    assert (calls > 0, always_said, same) == (True, True, True)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_gives_its_memory_back_also_where_it_got_too_little(found: Found, name: str) -> None:
    assert found[name][3]
