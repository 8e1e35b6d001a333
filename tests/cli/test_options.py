"""No option is taken and ignored: each one by itself changes something, or is refused."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.ground import USUAL, make_ground
from tests.cli.values import FLAG, VALUES

from lanescope.cli import COMMANDS, _parser, main

Output = pytest.CaptureFixture[str]

SAME: dict[tuple[str, str], str] = {}
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
    if action.option_strings and action.dest not in ("help", "json")
]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_ground(tmp_path_factory.mktemp("ground"))


def observed(words: list[str], ground: Path, capsys: Output) -> tuple[object, ...]:
    """Exit code, output, and what was written, in a folder that looks like the ground."""
    import tempfile

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
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
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        return code, steady(printed.out, folder), steady(printed.err, folder), files


def steady(text: str, folder: Path) -> str:
    """Without what changes from call to call: the folder's name, and measured seconds."""
    return re.sub(r'"(seconds|\w+_s)":[0-9.e-]+', "", text.replace(str(folder), ""))


@pytest.fixture(scope="module")
def usual() -> dict[str, tuple[object, ...]]:
    return {}


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_an_option_changes_something_or_is_refused(
    command: str,
    option: str,
    ground: Path,
    usual: dict[str, tuple[object, ...]],
    capsys: Output,
) -> None:
    words = USUAL[command]
    if command not in usual:
        usual[command] = observed(with_json(words), ground, capsys)
    tried = observed(
        with_json(words, option, *VALUES.get(command, {}).get(option, FLAG)), ground, capsys
    )
    if (command, option) in SAME:
        assert tried == usual[command], f"take {option} out of SAME"
    else:
        assert tried != usual[command]


def with_json(words: list[str], *more: str) -> list[str]:
    length = 2 if words[0] == "fleet" else 1
    last = [*words[length:], *more] if words[0] != "collect" else [*more, *words[length:]]
    return [*words[:length], "--json", *last]
