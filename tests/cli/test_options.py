"""No option is taken and ignored: each one by itself changes something, or is refused."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.ground import USUAL
from tests.cli.values import FLAG, VALUES

from lanescope.cli import COMMANDS, _parser, main

Output = pytest.CaptureFixture[str]
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Traces are synced when they are stored, which takes a disk much longer."""

SAME = {
    **{
        (command, "--force"): "nothing is there that could be replaced; see test_writing.py"
        for command in ("run", "import", "view", "export", "recover", "probe")
    },
    **{
        (command, "--quiet"): "it keeps a terminal from showing progress; see test_colour.py"
        for command in ("import", "view", "export", "recover")
    },
    ("import", "--keep-damaged"): "the run has no damaged records; see tests/formats",
    ("import", "--per-rank"): "the run has one rank; see tests/formats",
    ("what-if", "--anyway"): "the replay of this run is not refused",
    ("predict", "--ignore-unknown"): "the program has no unknown opcode",
}
"""Options for which no change can be shown here, with the reason."""


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command, or action of a command, with its parser."""
    for command in COMMANDS:
        yield from leaves(_parser([command], command), "")


def leaves(
    parser: argparse.ArgumentParser, name: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    inner = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    if not inner:
        yield name, parser
    for action in inner:
        for word, one in action.choices.items():
            yield from leaves(one, f"{name} {word}".strip())


OPTIONS = [
    (name, next(word for word in action.option_strings if word.startswith("--")))
    for name, parser in parsers()
    for action in parser._actions
    if action.option_strings and action.dest not in ("help", "json", "workers")
    if name not in ("agent", "collect")
]
"""Without --workers, which says who reads, so that no answer changes, and without those of
`agent` and `collect`: a real program is never the same twice."""


def observed(words: list[str], ground: Path, capsys: Output) -> tuple[object, ...]:
    """Exit code, output, and what was written, in a folder that looks like the ground."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        for one in ground.iterdir():
            (folder / one.name).symlink_to(one)
        os.chdir(folder)
        try:
            code: object = main(words)
        except SystemExit as stop:
            code = stop.code
        finally:
            os.chdir(before)
        printed = capsys.readouterr()
        files = {
            str(path.relative_to(folder)): contents(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        return code, steady(printed.out, folder), steady(printed.err, folder), files


def contents(path: Path) -> str:
    """A sum of a file's bytes; of an index, which says when it was made, the labels."""
    if path.parent.name == "index":
        return str(pq.read_table(path)["labels"]) if path.stem == "traces" else ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def steady(text: str, folder: Path) -> str:
    """Without what changes from call to call: the folder's name, and measured seconds."""
    return re.sub(r'"(seconds|\w+_s)":[0-9.e-]+', "", text.replace(str(folder), ""))


@pytest.fixture(scope="module")
def usual() -> dict[tuple[str, ...], tuple[object, ...]]:
    """What was observed of the usual calls, each made once."""
    return {}


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_an_option_changes_something_or_is_refused(
    command: str,
    option: str,
    ground: Path,
    usual: dict[tuple[str, ...], tuple[object, ...]],
    capsys: Output,
) -> None:
    more = [option, *VALUES.get(command, {}).get(option, FLAG)]
    changed = False
    for json in ([], ["--json"]):
        words = called(command, json)
        if tuple(words) not in usual:
            usual[tuple(words)] = observed(words, ground, capsys)
        changed |= observed(called(command, json, more), ground, capsys) != usual[tuple(words)]
        if changed:
            break
    assert changed != ((command, option) in SAME), SAME.get((command, option), "ignored")


@pytest.mark.stress
@pytest.mark.parametrize("command", sorted({command for command, _ in OPTIONS}))
def test_a_call_by_itself_changes_nothing(command: str, ground: Path, capsys: Output) -> None:
    """Otherwise every option would seem to."""
    words = called(command, ["--json"])
    assert observed(words, ground, capsys) == observed(words, ground, capsys)


def called(command: str, json: list[str], more: list[str] | None = None) -> list[str]:
    return [*USUAL[command], *json, *(more or [])]
