"""Sections: what stands where."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections


def test_the_parts_of_a_section_stand_in_the_order_of_its_fields() -> None:
    parts: dict[str, object] = {
        "notes": ("the notes",),
        "columns": (PageColumn("the columns", "count", (1,)),),
        "lines": ("the lines",),
        "facts": (("the facts", "value"),),
        "title": "the title",
    }
    text = render_sections([Section(**parts)])  # type: ignore[arg-type]
    names = [field.name for field in fields(Section) if field.name in parts]
    assert sorted(parts, key=lambda name: text.index(f"the {name}")) == names


def test_a_section_of_a_title_alone_is_one_line() -> None:
    assert render_sections([Section(title="Title")]) == "Title\n"


def test_a_column_cannot_be_changed() -> None:
    column = PageColumn("n", "count", (1, None))
    with pytest.raises(FrozenInstanceError):
        column.title = "m"  # type: ignore[misc]
