"""Power is lost after every single file operation: what is on the disk is old or new, and whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.capture.programs import EXAMPLE, built
from tests.faults.power import Disk, Step, Tree, read_journal, tree_of
from tests.faults.shim import built_shim

from lanescope.fleet.parts import FleetFolder
from lanescope.trace import Trace, load, save

ROOT = Path(__file__).parents[2]
JOURNAL = """
import ctypes, os, shutil, sys
from pathlib import Path
folder = Path(sys.argv[1])
def begin():
    "Keep what is there, and write down all operations from now on."
    shutil.copytree(folder, folder.with_name("before"))
    handle = os.open(folder.with_name("journal"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ctypes.CDLL(None).faults_journal(os.fsencode(folder), handle)
"""
SAVE = """
from lanescope.trace import load, save
new = load(folder / "run.lanes").with_meta(level=1)
begin()
save(new, folder / "run.lanes")
"""
SAVE_FIRST = """
from lanescope.trace import load, save
new = load(folder / "run.lanes")
begin()
save(new, folder / "deep" / "x.lanes")
"""
COLLECT = """
import lanescope.cli.stored as command
from lanescope.cli import main
os.environ.pop("LD_PRELOAD")
real = command.store
def store(*arguments):
    begin()
    return real(*arguments)
command.store = store
sys.exit(main(["collect", "-o", str(folder), "--name", "run", "--", sys.argv[2], "300"]))
"""
COMPACT = """
from lanescope.fleet.parts import FleetFolder
begin()
FleetFolder(folder).compact()
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_shim(tmp_path_factory.mktemp("shim") / "shim.so")


def journal(shim: Path, folder: Path, script: str, *words: str) -> list[Step]:
    """The operations of a script on a folder that lies in a folder of its own."""
    environment = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", JOURNAL + script, str(folder), *words]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return read_journal(folder.with_name("journal"))


def moments(folder: Path, steps: list[Step]) -> Iterator[Tree]:
    """What may be on the disk, after each operation, each possibility once."""
    shutil.rmtree(folder)
    folder.with_name("before").rename(folder)
    disk = Disk(folder)
    seen = set()
    for step in [None, *steps]:
        if step is not None:
            disk.apply(step)
        for tree in disk.images():
            key = frozenset((name, hash(data)) for name, data in tree.items())
            if key not in seen:
                seen.add(key)
                yield tree


def below(tree: Tree, folder: str) -> Tree:
    return {name: data for name, data in tree.items() if name.startswith(f"{folder}/")}


def put(tree: Tree, folder: Path) -> Path:
    for name, data in tree.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_trace_that_is_replaced_is_the_old_or_the_new_one(
    shim: Path, trace: Trace, tmp_path: Path
) -> None:
    folder = tmp_path / "disk"
    save(trace, folder / "run.lanes")
    old = tree_of(folder)
    steps = journal(shim, folder, SAVE)
    new = tree_of(folder)
    found = [below(tree, "run.lanes") for tree in moments(folder, steps)]
    assert all(tree in (old, new) for tree in found)
    assert old in found and new in found
    assert len(found) > 50
    assert load(put(new, tmp_path / "again") / "run.lanes").meta.level == 1


def test_a_first_trace_is_not_there_or_whole(shim: Path, trace: Trace, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    save(trace, folder / "run.lanes")
    steps = journal(shim, folder, SAVE_FIRST)
    new = below(tree_of(folder), "deep/x.lanes")
    *before, last = (below(tree, "deep/x.lanes") for tree in moments(folder, steps))
    assert all(tree in ({}, new) for tree in before)
    assert last == new


def test_a_capture_is_there_until_its_trace_is(
    shim: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")
    folder = tmp_path / "disk"
    folder.mkdir()
    steps = journal(shim, folder, COLLECT, str(program))
    new = below(tree_of(folder), "run.lanes")
    capture = below(tree_of(folder.with_name("before")), "run.capture")
    stored = kept = 0
    for tree in moments(folder, steps):
        trace = below(tree, "run.lanes")
        assert trace in ({}, new)
        stored += trace == new
        if trace != new:
            assert below(tree, "run.capture") == capture
            kept += 1
    assert stored and kept
    assert not below(tree, "run.capture")


def test_an_index_that_takes_in_its_parts_has_them_or_they_are_there(
    shim: Path, trace: Trace, tmp_path: Path
) -> None:
    from lanescope.cli import main

    traces, folder = tmp_path / "traces", tmp_path / "disk"
    for number in range(3):
        save(trace.with_meta(name=f"run {number}"), traces / f"{number}.lanes")
    assert main(["fleet", "index", str(traces), "-o", str(folder)]) == 0
    fleet = FleetFolder(folder)
    index = put(tree_of(folder / "index"), folder / "parts" / "000001")
    shutil.rmtree(folder / "index")
    wanted = fleet.traces().sort_by("trace").to_pylist(), len(fleet.measures())
    assert index.is_dir() and len(wanted[0]) == 3
    steps = journal(shim, folder, COMPACT)
    looks = 0
    for number, tree in enumerate(moments(folder, steps)):
        image = FleetFolder(put(tree, tmp_path / f"image {number}"))
        assert (image.traces().sort_by("trace").to_pylist(), len(image.measures())) == wanted
        looks += 1
    assert looks > 5
