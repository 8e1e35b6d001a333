"""The shim of `shim.c`, built and spoken to: which calls fail, and which calls were made."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path

import pytest

SHORT = -1
"""In place of an errno: a write takes half of what it is given."""


class Kind(IntFlag):
    """Calls of one kind, as shim.c numbers them."""

    OPEN = 1
    WRITE = 2
    SYNC = 4
    RENAME = 8
    GROW = 16
    MKDIR = 32
    MAP = 64
    OWN_MEMORY = 128
    NUMPY_MEMORY = 256
    REMOVE = 512


@dataclass(frozen=True, slots=True)
class Fault:
    """The call that fails, counted from 1, and how; `sticky`: all after it fail, too."""

    kind: Kind
    problem: int
    sticky: bool
    at: int = 0

    @classmethod
    def read(cls, text: str) -> Fault:
        """A fault from its text."""
        kind, problem, sticky, at = text.split(":")
        return cls(Kind[kind], int(problem), sticky == "sticky", int(at))

    def __str__(self) -> str:
        """A text for the command line of a sweep."""
        return f"{self.kind.name}:{self.problem}:{'sticky' if self.sticky else 'once'}:{self.at}"


def built_shim(target: Path) -> Path:
    """Compile the shim; the test is skipped where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    source = Path(__file__).with_name("shim.c")
    options = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-shared"]
    subprocess.run([compiler, *options, "-fPIC", str(source), "-o", str(target)], check=True)
    return target


def arm(folder: Path, fault: Fault) -> None:
    """Let calls of this process about files below `folder` fail from now on."""
    arguments = (int(fault.kind), ctypes.c_long(fault.at), fault.problem, int(fault.sticky))
    ctypes.CDLL(None).faults_arm(os.fsencode(folder), *arguments)


def calls() -> dict[str, int]:
    """How many calls of each armed kind there were."""
    count = ctypes.CDLL(None).faults_calls
    count.restype = ctypes.c_long
    return {kind.name or "": int(count(int(kind))) for kind in Kind}


def in_environment(folder: Path, fault: Fault) -> str:
    """What arms the shim of a program, as the variable LANESCOPE_FAULTS."""
    return f"{int(fault.kind)} {fault.at} {fault.problem} {int(fault.sticky)} {folder}"
