"""One word per concept: the page, the columns and the classes agree with the table."""

from __future__ import annotations

import ast
import re
import runpy
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from lanescope.trace.tables import SCHEMA
from lanescope.words import WORDS, Word, words_page

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lanescope"
COLUMNS = [f"{table.name}.{column.name}" for table in SCHEMA.values() for column in table.columns]
OTHERS_WORDS = {"formats/perfetto", "formats/chrome"}
"""Folders of formats that have words of their own."""


def test_the_page_is_what_the_table_writes() -> None:
    page = (ROOT / "docs" / "words.md").read_text()
    assert page == words_page(), "run: python -m lanescope.words > docs/words.md"


def test_the_file_writes_the_page_where_it_is_run_and_nothing_where_it_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, printed in (("__main__", words_page()), ("words", "")):
        runpy.run_path(str(SOURCE / "words.py"), run_name=name)
        assert capsys.readouterr().out == printed


def test_a_word_stands_once() -> None:
    names = [word.name for word in WORDS]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_holds_one_word(column: str) -> None:
    table, name = column.split(".")
    words = [
        word.name
        for word in WORDS
        for pattern in word.columns
        if fnmatchcase(f"{table}.{name}", pattern)
    ]
    assert len(words) == 1


@pytest.mark.parametrize("word", [word for word in WORDS if word.columns], ids=lambda w: w.name)
def test_a_word_names_only_columns_that_exist(word: Word) -> None:
    for pattern in word.columns:
        assert any(fnmatchcase(column, pattern) for column in COLUMNS), pattern


def public_classes() -> dict[str, str]:
    return {
        node.name: str(file.relative_to(SOURCE))
        for file in sorted(SOURCE.rglob("*.py"))
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }


@pytest.mark.parametrize("word", [w for w in WORDS if w.instead_of], ids=lambda w: w.name)
def test_no_class_has_another_word_for_it(word: Word) -> None:
    wrong = {
        f"{file}: {name}"
        for name, file in public_classes().items()
        if set(re.findall(r"[A-Z][a-z0-9]*", name)) & set(word.instead_of)
        if not any(file.startswith(folder) for folder in OTHERS_WORDS)
    }
    assert wrong == set()
