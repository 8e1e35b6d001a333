"""Builds and runs the mock device: mock_memory.h says what it is."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
HEADERS = ROOT / "native" / "include" / "lanescope"
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
FLAGS = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-I", str(ROOT / "native/include")]


@dataclass(frozen=True)
class Run:
    """One run of the mock device."""

    protocol: str
    on_full: str = "block"
    tasks: int = 60
    """per core, of three"""
    records: int = 4
    buffers: int = 2
    pre_dispatch: int = 1
    seed: int = 1
    evicts: int = 0
    """one step in so many evicts a line; 0: none does"""
    arrives: int = 0
    """one step in so many lets a flushed line arrive; 0: only a barrier does"""

    def words(self) -> list[str]:
        codes = (PROTOCOLS.index(self.protocol), ("block", "drop").index(self.on_full))
        numbers = (self.tasks, self.records, self.buffers, self.pre_dispatch, self.seed)
        return list(map(str, (*codes, *numbers, self.evicts, self.arrives)))


@dataclass(frozen=True)
class Outcome:
    """What the host found wrong, "" where nothing is; else what was counted."""

    wrong: str
    counts: dict[str, int]
    """What core 0 did: stores, loads, flushes, barriers, clocks."""
    hooks: dict[tuple[str, int], str]
    """File and line of every hook that was called, and which one it is."""


def build(folder: Path) -> Path:
    """The program; only the cores' part is compiled so that its stores are counted."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    cores, program = folder / "mock_core.o", folder / "mock_run"
    command = [compiler, *FLAGS, "-fsanitize=thread", "-c", str(HERE / "mock_core.cpp")]
    subprocess.run([*command, "-o", str(cores)], check=True)
    others = [str(HERE / f"mock_{name}.cpp") for name in ("memory", "stores", "controller", "run")]
    subprocess.run([compiler, *FLAGS, *others, str(cores), "-o", str(program)], check=True)
    return program


def outcome(program: Path, run: Run, without: tuple[str, int] | None = None) -> Outcome:
    """Run once; `without` is the file and line of a hook that is left out."""
    words = run.words() + (list(map(str, without)) if without else [])
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    if done.returncode:
        return Outcome(done.stdout.strip() or "no words", {}, {})
    core = re.search(r"^core (.*)$", done.stdout, re.MULTILINE)
    assert core is not None
    numbers = dict(zip(*[iter(core[1].split())] * 2, strict=True))
    hooks = re.findall(r"^hook (\S+):(\d+) (\S+)", done.stdout, re.MULTILINE)
    return Outcome(
        "",
        {name: int(number) for name, number in numbers.items()},
        {(file, int(line)): kind for file, line, kind in hooks},
    )


def hooks_in_headers() -> set[tuple[str, int]]:
    """Where the headers call a hook of lines, by their text."""
    call = re.compile(r"^\s+(?:if .*|for .*)?LS_(?:LOAD_LINE|INVALIDATE_LINE|FLUSH_LINE|BARRIER)\(")
    return {
        (file.name, number)
        for file in HEADERS.glob("*.h")
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if call.match(line)
    }
