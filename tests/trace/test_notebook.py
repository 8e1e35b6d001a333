"""Traces and tables as a notebook shows them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from lanescope.trace import MISSING, Table, Trace


class Page(HTMLParser):
    """The elements and the texts of a page; every element must be closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_trace_is_its_summary_and_a_picture(trace: Trace) -> None:
    page = Page(trace._repr_html_())
    assert page.texts[:4] == [
        "tiny",
        ": imported, level 2",
        "tasks 4, phases 2, marks 2, counters 2, edges 3, cores 2, functions 2, stalls 0",
        "tasks from 0 ns to 310 ns",
    ]
    assert page.elements.count("path") == 2
    assert trace._repr_html_() == trace._repr_html_()


def test_the_page_takes_its_colours_from_around_it(trace: Trace) -> None:
    """A style element would reach the whole notebook, so there is none."""
    html = trace._repr_html_()
    assert 'fill="currentColor"' in html
    assert "<style" not in html


def test_the_first_notes_follow_and_the_others_are_counted(trace: Trace) -> None:
    notes = tuple(f"Note {number}." for number in range(7))
    texts = Page(trace.with_meta(notes=notes)._repr_html_()).texts
    assert texts[-6:] == [*notes[:5], "and 2 more in trace.meta.notes"]


def test_names_and_notes_of_a_trace_are_text_and_not_markup(trace: Trace) -> None:
    bad = "<script>alert(1)</script>"
    page = Page(trace.with_meta(name=bad, chip=bad, origin=bad, notes=(bad,))._repr_html_())
    assert "script" not in page.elements
    assert page.texts[0] == page.texts[-1] == bad


def test_a_trace_of_nothing_is_shown(trace: Trace) -> None:
    page = Page(Trace(meta=trace.meta)._repr_html_())
    assert page.texts[:2] == ["tiny", ": imported, level 2"]
    assert "svg" not in page.elements


def test_a_table_is_its_first_rows() -> None:
    table = Table.build("functions", {"func": range(10), "name": [0] * 10}, words=("<QK>",))
    page = Page(table._repr_html_())
    assert page.texts[:5] == ["functions: 10 rows", ", the first 8", "func", "name", "work"]
    assert page.texts[5:] == [text for row in range(8) for text in (str(row), "<QK>")]


def test_a_missing_value_is_an_empty_cell() -> None:
    table = Table.build("edges", {"pred": [1], "succ": [MISSING]})
    rows = re.findall(r"<tbody>(.*)</tbody>", table._repr_html_())
    assert rows == ["<tr><td>1</td>" + "<td></td>" * 4 + "</tr>"]
