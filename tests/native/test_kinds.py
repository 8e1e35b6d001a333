"""Kinds of record: one list in kinds.h, from which C and Python have everything they know."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lanescope.device.layouts import constants, layout
from lanescope.native.replay import LANES
from lanescope.native.tables import RecordKind, record_kinds
from lanescope.trace.flags import Feature

ROOT = Path(__file__).parents[2]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

KINDS = [
    ("core_task", "core", "core", 32, Feature.CHIP_SWIMLANE_CORE_TIMING),
    ("controller_task", "core", "scheduler", 32, Feature.CHIP_SWIMLANE_TASK_LIFECYCLE),
    ("scheduler_phase", "scheduler", "scheduler", 64, Feature.CHIP_SWIMLANE_PHASE_BUFFERS),
    (
        "orchestrator_phase",
        "orchestrator",
        "orchestrator",
        32,
        Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES,
    ),
    ("pmu", "core", "scheduler", 64, Feature.PMU),
    ("slice", "pipe", "core", 16, Feature.CHIP_SWIMLANE_CORE_TIMING),
    ("burst", "core", "scheduler", 32, Feature.CORE_SWIMLANE),
    ("edge", "orchestrator", "orchestrator", 32, Feature.CHIP_SWIMLANE_TASK_LIFECYCLE),
    ("host_phase", "host", "host", 64, Feature.CHIP_SWIMLANE_PHASE_BUFFERS),
    ("tensor", "scheduler", "scheduler", 128, Feature.DUMP_TENSOR),
]
"""By code, which is in every region that was ever recorded: lines are added, none is changed."""


def described(kind: RecordKind) -> tuple[str, str, str, int, Feature]:
    return kind.name, kind.owner, kind.producer, kind.record_bytes, Feature(kind.feature)


def test_the_kinds_are_those_of_the_regions_there_are() -> None:
    assert [described(kind) for kind in record_kinds()] == KINDS


def test_a_kind_stands_at_the_place_of_its_code() -> None:
    kinds = record_kinds()
    assert [kind.code for kind in kinds] == list(range(constants()["LS_KIND_COUNT"]))
    assert [constants()[kind.constant] for kind in kinds] == [kind.code for kind in kinds]


def test_the_struct_of_a_kind_is_as_large_as_its_record() -> None:
    sizes = {kind.name: layout(f"ls_{kind.name}").itemsize for kind in record_kinds()}
    assert sizes == {kind.name: kind.record_bytes for kind in record_kinds()}


def test_a_replay_records_tasks_and_phases() -> None:
    assert LANES == ("core_task", "controller_task", "scheduler_phase", "orchestrator_phase")


# ---- A kind that is not everywhere does not compile ------------------------------------------

LINE = "    KIND(LS_EXTRA, 10, extra, 16, LS_PMU, LS_OWNER_CORE, LS_BY_CORE)\n"
STRUCT = "typedef struct {\n    uint64_t start, end;\n} ls_extra;\n\n"


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """A copy of the C sources whose list has a kind more."""
    copied = tmp_path / "native"
    shutil.copytree(ROOT / "native", copied)
    kinds = copied / "include/lanescope/kinds.h"
    text = kinds.read_text()
    last = re.search(r"^    KIND\(LS_TENSOR_PART, .*\)$", text, re.MULTILINE)
    assert last is not None
    kinds.write_text(text.replace(last[0], f"{last[0]} \\\n{LINE.rstrip()}"))
    return copied


def add(file: Path, before: str, text: str) -> None:
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, text + before, 1))


def complaints(native: Path, source: str) -> str:
    """What the compiler says about a file of the library."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    include = ["-I", native / "include", "-I", native / "src"]
    words = [compiler, "-std=c11", "-fsyntax-only", *STRICT, *include, native / "src" / source]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False).stderr


def test_a_kind_without_a_struct_does_not_compile(native: Path) -> None:
    assert "ls_extra" in complaints(native, "drain.c")


def test_a_kind_without_fields_in_the_table_does_not_compile(native: Path) -> None:
    """Nor does it with room for 10 kinds in ls_config: its size is asserted."""
    add(native / "include/lanescope/kinds.h", "#define LS_NO_TASK", STRUCT)
    assert "sizeof(ls_config) == 152" in complaints(native, "drain.c")
    region = native / "include/lanescope/region.h"
    region.write_text(region.read_text().replace("sizeof(ls_config) == 152", "1"))
    assert complaints(native, "drain.c") == ""
    assert "FIELDS_extra" in complaints(native, "layouts.c")
    fields = "#define FIELDS_extra LS_FIELD(ls_extra, start), LS_FIELD(ls_extra, end)\n"
    add(native / "src/layouts.c", "#define FIELDS_OF_KIND", fields)
    assert [complaints(native, source) for source in ("layouts.c", "constants.c")] == ["", ""]


def test_a_kind_whose_code_leaves_a_gap_does_not_compile(native: Path) -> None:
    kinds = native / "include/lanescope/kinds.h"
    kinds.write_text(kinds.read_text().replace("KIND(LS_EXTRA, 10,", "KIND(LS_EXTRA, 11,"))
    add(kinds, "#define LS_NO_TASK", STRUCT)
    assert "codes are 0, 1, 2 and so on" in complaints(native, "drain.c")
