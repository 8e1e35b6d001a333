"""Pages that are made when the site is built: nothing is missing in them, and links are turned."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
import yaml
from tests.native.test_promise import PUBLIC
from tools.site.commands import commands_page
from tools.site.headers import HEADERS, headers_page, public_functions
from tools.site.offline import foreign_in_page, foreign_in_style
from tools.site.outside import outside_pages, place_of, turned_links
from tools.site.python_api import GROUPS

import lanescope
from lanescope.cli import COMMANDS, _parser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def options(parser: argparse.ArgumentParser) -> set[str]:
    """Every option of a command and of its actions."""
    found: set[str] = set()
    for action in parser._actions:
        found |= {name for name in action.option_strings if name.startswith("--")} - {"--help"}
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                found |= options(inner)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_stands_there_with_every_option(name: str) -> None:
    page = f"{commands_page()}\n## end"
    section = page.split(f"\n## lanescope {name}\n")[1].split("\n## ")[0]
    parser = _parser([name], name)._subparsers._group_actions[0].choices[name]  # type: ignore[union-attr,index]
    words = re.split(r"[` ,]", section)
    assert [one for one in options(parser) if one not in words] == []


def test_every_public_name_of_python_stands_there_once() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert sorted(names) == sorted({*lanescope.__all__} - {"__version__"})


def test_every_public_function_of_c_stands_there_with_a_comment() -> None:
    page = headers_page()
    public = {
        name for files in PUBLIC.values() for names in files.values() for name in names.split()
    }
    found = [
        one for file in sorted(HEADERS.glob("*.*h")) for one in public_functions(file.read_text())
    ]
    assert {one.name for one in found} == public
    assert [one.name for one in found if not one.comment] == []
    assert [one.name for one in found if f"```c\n{one.declaration}\n```" not in page] == []


def test_the_navigation_has_every_page() -> None:
    def pages(entry: object) -> set[str]:
        if isinstance(entry, str):
            return {entry}
        entries = entry.values() if isinstance(entry, dict) else entry
        return {page for one in entries for page in pages(one)}  # type: ignore[attr-defined]

    shown = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    there = {file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md")}
    made = {"reference/commands.md", "reference/python.md", "reference/c.md", *outside_pages()}
    assert there - shown == set()
    assert shown - there - made == set()


def test_files_outside_become_pages_with_what_they_hold() -> None:
    pages = outside_pages()
    program = place_of(ROOT / "examples" / "own_runtime" / "own_runtime.c")
    assert "ls_core_open(&core" in pages[program]
    assert "(gemm.cu)" in pages[place_of(ROOT / "examples" / "cuda")]
    assert place_of(ROOT / "examples" / "cuda" / "gemm.cu") in pages


def test_links_lead_to_where_the_site_has_their_target() -> None:
    rest = "[b](fit.md) [c](https://a.b) [d](nowhere.md)\n```\n[e](../LICENSE)\n```\n"
    turned = turned_links("predict.md", f"[a](../SECURITY.md#x) {rest}")
    assert turned == f"[a](source/SECURITY.md#x) {rest}"
    assert turned_links("howto/fit.md", "[a](../fit.md)") == "[a](../fit.md)"
    assert turned_links("source/SECURITY.md", "[a](docs/fit.md)") == "[a](../fit.md)"


def test_what_a_page_loads_from_others_is_found() -> None:
    page = """<a href="https://a.b">go</a><img src="x.svg"><script src="//c.d/e.js"></script>
    <link href="https://f.g/h.css"><style>@import "https://i.j/k.css";</style>
    <p style="background: url(http://l.m/n.png)">"""
    assert foreign_in_page(page) == [
        "<script src=//c.d/e.js>",
        "<link href=https://f.g/h.css>",
        "https://i.j/k.css",
        "http://l.m/n.png",
    ]
    assert foreign_in_style("a { background: url('x.png') url(data:image/png;base64,//x) }") == []
