"""`run --view` and `collect --view`: the same traces, the same output and the same exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

from lanescope import load
from lanescope.cli import main
from lanescope.trace import SCHEMA

RUN = ["run", "paged_attention", "--quiet", "--no-perfetto"]


def lanescope(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lanescope", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_run_with_a_page_stores_and_prints_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RUN, "-o", str(tmp_path / "a.lanes")]) == 0
    printed = capsys.readouterr().out
    done = lanescope(*RUN, "--view", "-o", str(tmp_path / "b.lanes"))
    assert done.returncode == 0
    assert done.stdout.replace("b.lanes", "a.lanes") == printed
    [line] = done.stderr.splitlines()
    assert line.startswith("http://127.0.0.1:")
    assert line.endswith("(shows the lanes while they grow)")
    one, other = load(tmp_path / "a.lanes"), load(tmp_path / "b.lanes")
    assert one.words == other.words
    for name in SCHEMA:
        for column in one.table(name).present():
            left, right = one.table(name)[column.name], other.table(name)[column.name]
            assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f"), column.name
    assert one.meta.ledger == other.meta.ledger
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.lanes", "b.lanes"]
    with pytest.raises(OSError, match="refused"):
        urlopen(line.split()[0], timeout=5)


def test_a_program_that_fails_ends_the_command_with_its_own_sentence(tmp_path: Path) -> None:
    done = lanescope("collect", "--view", "-o", str(tmp_path / "a.lanes"), "--", "false")
    assert done.returncode == 1
    assert "false ended with exit code 1 and made no region" in done.stderr
    assert list(tmp_path.iterdir()) == []
