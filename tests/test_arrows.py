"""The rooms of the house: who may import whom, and what every file must have."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "lanescope"

ARROWS: dict[str, set[str]] = {
    "native": set(),
    "render": set(),
    "trace": set(),
    "workers": set(),
    "chunks": {"trace"},
    "formats": {"trace", "native", "chunks"},
    "device": {"chunks", "native", "trace"},
    "capture": {"chunks", "device", "dump", "native", "trace"},
    "cuda": {"device", "capture", "trace"},
    "triton": set(),
    "checks": {"trace", "formats", "capture"},
    "dump": {"formats"},
    "workloads": {"native", "trace"},
    "probe": {"chunks", "device", "trace"},
    "platforms": {
        *("chunks", "device", "capture", "cuda", "dump", "probe", "workloads", "native", "trace"),
        "replay",
    },
    "analyze": {"trace", "native"},
    "replay": {"trace", "native", "analyze"},
    "overhead": {"device", "capture", "workloads", "platforms", "trace", "analyze", "replay"},
    "jobs": {"trace", "analyze", "native", "workers"},
    "fleet": {"trace", "analyze", "jobs", "workers"},
    "reports": {"trace", "analyze"},
    "model": {"trace", "native"},
    "viewer": {"trace", "analyze", "native"},
    "facade": {
        *("trace", "formats", "device", "capture", "analyze", "replay", "reports", "viewer"),
        "jobs",
    },
    "cli": {
        *("facade", "checks", "jobs"),
        *("chunks", "trace", "formats", "device", "capture", "cuda", "dump", "workloads"),
        *("platforms", "probe", "overhead", "analyze", "replay", "reports", "model", "viewer"),
        *("workers", "fleet"),
    },
}
LEAVES = {"render"}
"""Rooms that import nothing of ours and that every room may use."""
EVERYWHERE = {"errors", "plugins", "results", "__version__"}
VENDOR = re.compile(r"aicore|aicpu|l2_perf|l2_swimlane|reg_task_id", re.IGNORECASE)
FILES = sorted(SOURCE.rglob("*.py"))


def imported(tree: ast.Module) -> set[str]:
    """Rooms of lanescope that a module imports, wherever in the file it does so."""
    rooms = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "lanescope":
            names = [f"lanescope.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("lanescope.")}
    return rooms


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_room_imports_only_the_rooms_its_arrows_lead_to(file: Path) -> None:
    room = file.relative_to(SOURCE).parts[0]
    if room.endswith(".py"):
        return
    wrong = imported(ast.parse(file.read_text())) - ARROWS[room] - {room} - LEAVES - EVERYWHERE
    assert wrong == set()


def test_every_room_has_its_arrows_written_down() -> None:
    rooms = {file.relative_to(SOURCE).parts[0] for file in FILES if file.parent != SOURCE}
    assert rooms == set(ARROWS)


def test_architecture_shows_the_same_arrows() -> None:
    page = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| `(\w+)/` \| .* \| (.*) \|$", page, re.MULTILINE)
    shown = {room: set(re.findall(r"`(\w+)`", arrows)) for room, arrows in rows}
    shown["cli"] = ARROWS["cli"]
    assert shown == ARROWS


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_file_opens_with_what_lives_there(file: Path) -> None:
    assert ast.get_docstring(ast.parse(file.read_text()))


def test_vendor_words_stay_in_the_vendors_package() -> None:
    files = {
        str(file.relative_to(SOURCE))
        for file in FILES
        if VENDOR.search(file.read_text()) and not {"simpler", "ascend"} & {*file.parts}
    }
    assert files == {"words.py"}, "words.py says what others call our things; nobody else does"


def test_no_drawer_for_everything() -> None:
    names = {part for file in FILES for part in file.relative_to(SOURCE).with_suffix("").parts}
    assert names.isdisjoint({"utils", "util", "common", "helpers", "misc"})


def test_the_arrow_check_sees_a_wrong_import() -> None:
    assert imported(ast.parse("def f():\n    from lanescope.cli import main")) == {"cli"}
    assert imported(ast.parse("from lanescope import reports")) == {"reports"}
