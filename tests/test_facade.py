"""What `import lanescope` offers: everything public is exported, everything exported documented."""

from __future__ import annotations

import ast
import doctest
import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import lanescope
from lanescope.cli import COMMANDS
from lanescope.facade.opening import opened

ROOT = Path(__file__).parents[1]
NAMES = [name for name in lanescope.__all__ if name != "__version__"]
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(lanescope, name))]
VERBS = {
    "import": "import_trace",
    "what-if": "what_if",
    "tensors": "read_tensors",
    "probe": "probe_engine",
    "workloads": "list_workloads",
    "platforms": "list_platforms",
    "boards": "list_boards",
    "fleet": "open_fleet",
}
"""Commands whose function has another name: a keyword, a hyphen, or the name of a room."""


def test_every_command_has_its_function() -> None:
    of_the_shell = {"config", "completion", "agent"}
    assert {VERBS.get(name, name) for name in COMMANDS} - set(NAMES) == of_the_shell


def test_dir_shows_what_is_public_and_nothing_else() -> None:
    assert dir(lanescope) == sorted(lanescope.__all__)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(lanescope.__file__)).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"lanescope.{home}" for name, home in lanescope._HOMES.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_defined_where_it_is_said_to_be(name: str) -> None:
    assert getattr(lanescope, name).__module__ == f"lanescope.{lanescope._HOMES[name]}"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(lanescope, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_takes_gives_and_raises(name: str) -> None:
    function = getattr(lanescope, name)
    text = inspect.getdoc(function) or ""
    parameters = inspect.signature(function).parameters
    missing = [one for one in parameters if f"    {one}:" not in text.replace("*", "")]
    assert missing == []
    assert ("Args:" in text) == bool(parameters)
    assert "Returns:" in text or inspect.signature(function).return_annotation == "None"
    assert "Raises:" in text or not parameters


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_docstring_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    trace = opened(ROOT / "examples" / "small_run")
    lanescope.save(trace, tmp_path / "run.lanes")
    for rank in range(2):
        meta = msgspec.structs.replace(trace.meta, rank=rank, world=2)
        lanescope.save(replace(trace, meta=meta), tmp_path / "train.job" / f"rank{rank}.lanes")
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    finder = doctest.DocTestFinder(recurse=False)
    for test in finder.find(getattr(lanescope, name), name, globs={"lanescope": lanescope}):
        result = runner.run(test)
        assert result.failed == 0


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'lanescope' has no attribute 'nothing'"):
        _ = lanescope.nothing  # type: ignore[attr-defined]


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, lanescope; heavy = {'numpy', 'pyarrow', 'msgspec', 'rich', 'argparse'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
