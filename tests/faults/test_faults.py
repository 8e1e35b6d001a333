"""Calls that fail, one after the other: each ends in a sentence, and nothing is lost by it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.capture.programs import EXAMPLE, built, collected
from tests.faults.commands import COMMANDS, PROGRAM_SAYS, TASKS
from tests.faults.shim import SHORT, Fault, Kind, built_shim, in_environment

from lanescope.trace import load

ROOT = Path(__file__).parents[2]
Line: TypeAlias = dict[str, Any]
ALL = (
    Fault(Kind.OPEN, errno.EMFILE, False),
    Fault(Kind.OPEN, errno.EMFILE, True),
    Fault(Kind.OPEN, errno.EIO, False),
    Fault(Kind.WRITE, errno.ENOSPC, False),
    Fault(Kind.WRITE, errno.ENOSPC, True),
    Fault(Kind.WRITE, errno.EIO, False),
    Fault(Kind.WRITE, SHORT, False),
    Fault(Kind.WRITE, SHORT, True),
    Fault(Kind.SYNC, errno.EIO, False),
    Fault(Kind.SYNC, errno.EIO, True),
    Fault(Kind.RENAME, errno.EIO, False),
    Fault(Kind.RENAME, errno.ENOSPC, True),
    Fault(Kind.GROW, errno.ENOSPC, False),
    Fault(Kind.GROW, errno.EIO, True),
    Fault(Kind.MKDIR, errno.ENOSPC, False),
    Fault(Kind.MKDIR, errno.ENOSPC, True),
    Fault(Kind.MAP, errno.ENOMEM, False),
    Fault(Kind.MAP, errno.ENOMEM, True),
    Fault(Kind.OWN_MEMORY, errno.ENOMEM, False),
    Fault(Kind.OWN_MEMORY, errno.ENOMEM, True),
    Fault(Kind.NUMPY_MEMORY, errno.ENOMEM, False),
    Fault(Kind.REMOVE, errno.EIO, False),
    Fault(Kind.REMOVE, errno.EIO, True),
)
FEW = {
    "import": (ALL[4], ALL[10]),
    "threads": (ALL[1], ALL[18]),
    "collect": (ALL[0], ALL[20]),
    "recover": (ALL[16],),
    "perfetto": (ALL[5], ALL[22]),
}
"""What the short sweep tries of each command."""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_shim(tmp_path_factory.mktemp("shim") / "shim.so")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")


def swept(shim: Path, program: Path, folder: Path, most: int, cases: list[str]) -> list[Line]:
    """Sweep commands; return a line per call that failed."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(shim),
        "FAULTS_PROGRAM": str(program),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.sweep", str(folder), str(most), *cases],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_call_that_fails_costs_a_sentence_and_nothing_else(
    shim: Path, program: Path, tmp_path: Path
) -> None:
    cases = [f"{name}={fault}" for name, faults in FEW.items() for fault in faults]
    found = swept(shim, program, tmp_path, 3, cases)
    assert [line for line in found if line["problems"]] == []
    assert {line["case"].partition("=")[0] for line in found if line["code"]} == FEW.keys()


@pytest.mark.stress
@pytest.mark.parametrize("fault", ALL, ids=str)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_call_that_fails_costs_a_sentence_and_nothing_else(
    shim: Path, program: Path, tmp_path: Path, name: str, fault: Fault
) -> None:
    found = swept(shim, program, tmp_path, 1_000_000, [f"{name}={fault}"])
    assert [line for line in found if line["problems"]] == []


def test_a_program_that_cannot_record_runs_as_always(
    shim: Path, program: Path, tmp_path: Path
) -> None:
    """The first call of lanescope's headers fails inside the user's own program."""
    kinds = (Kind.MKDIR, Kind.OPEN, Kind.GROW, Kind.MAP, Kind.OWN_MEMORY)
    faults = [in_environment(tmp_path, Fault(kind, errno.ENOMEM, True, 1)) for kind in kinds]
    command = f"LD_PRELOAD={shim} {program} {TASKS}; echo ended $?\n"
    script = tmp_path / "run.sh"
    script.write_text("".join(f"LANESCOPE_FAULTS='{fault}' {command}" for fault in faults))
    done = collected(tmp_path, "sh", script)
    assert done.stdout == PROGRAM_SAYS * len(kinds)
    assert done.returncode == 1
    assert done.stderr.startswith("lanescope: sh ended with exit code 0 and made no region")
    assert [path.name for path in tmp_path.iterdir()] == ["run.sh"]


def test_a_program_without_links_records_as_always(
    shim: Path, program: Path, tmp_path: Path
) -> None:
    fault = in_environment(tmp_path, Fault(Kind.RENAME, errno.EPERM, False, 1))
    script = tmp_path / "run.sh"
    script.write_text(f"LANESCOPE_FAULTS='{fault}' LD_PRELOAD={shim} {program} {TASKS}")
    done = collected(tmp_path, "sh", script)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(load(tmp_path / "sh.lanes").tasks) == TASKS
