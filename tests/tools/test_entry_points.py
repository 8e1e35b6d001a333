"""What is started with `python -m` or as a script takes --help for a question, not for a name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRIES = (
    ("-m", "lanescope.cli.schemas"),
    ("-m", "lanescope.formats.document"),
    (str(ROOT / "examples" / "make_small_run.py"),),
    (str(ROOT / "tools" / "all_checks.py"),),
    (str(ROOT / "tools" / "build_wheels.py"),),
    (str(ROOT / "tools" / "check_wheels.py"),),
)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry[-1].rpartition("/")[2])
def test_help_is_printed_and_nothing_is_written(entry: tuple[str, ...], tmp_path: Path) -> None:
    stand_ins = tmp_path / "stand_ins"
    stand_ins.mkdir()
    for module in ("ziglang", "lief"):  # extras that only `make wheels` installs
        (stand_ins / f"{module}.py").touch()
    here = tmp_path / "here"
    here.mkdir()
    done = subprocess.run(
        [sys.executable, *entry, "--help"],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(stand_ins), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")
    assert list(here.iterdir()) == []
