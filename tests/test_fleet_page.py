"""docs/fleet.md: its commands print what is shown, its tables are the code's."""

from __future__ import annotations

import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.pages import page, require_links_lead_somewhere

import lanescope
from lanescope.cli import main
from lanescope.fleet.tables import COLUMNS, MEASURES, TRACES

PAGE = page("fleet.md")
BLOCKS = re.findall(r"^```console\n\$ lanescope (.+)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)


def make_nightly(folder: Path) -> None:
    """Two commits with ten runs of random graphs each; the tasks of the second take longer.

    In one run of the second commit they take longer still.
    """
    for commit, spin_ns in (("abc", 3000), ("def", 6000)):
        for seed in range(10):
            slow = 2 if (commit, seed) == ("def", 4) else 1
            settings = {"tasks": 200, "seed": seed, "min_spin_ns": slow * spin_ns}
            settings["max_spin_ns"] = 2 * settings["min_spin_ns"]
            trace = lanescope.run("random_dag", settings=settings)
            lanescope.save(trace, folder / commit / f"run{seed}.lanes")


def test_the_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_nightly(tmp_path / "nightly")
    monkeypatch.chdir(tmp_path)
    for command, shown in BLOCKS:
        code = main(shlex.split(command))
        assert capsys.readouterr().out == shown, command
        assert code == (1 if "FAILED" in shown else 0), command
    assert len(BLOCKS) == 8
    with ThreadPoolExecutor(1) as executor:
        names = {"lanescope": lanescope, "executor": executor}
        for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
            exec(compile(block, "docs/fleet.md", "exec"), names)


def test_the_tables_are_those_of_the_index() -> None:
    assert list(COLUMNS["traces"]) == TRACES.names
    assert list(COLUMNS["measures"]) == MEASURES.names
    for table, columns in COLUMNS.items():
        part = PAGE.split(f"| `{table}` |")[1].split("\n\n")[0]
        shown = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", part, re.MULTILINE))
        assert shown == columns


def test_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
