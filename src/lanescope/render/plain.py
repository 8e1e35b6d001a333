"""Sections as plain text: aligned columns, no colour, lines of a given width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from lanescope.render.layout import GAP, Strip, pad, pieces, strips
from lanescope.render.names import LINE_LIMIT, clean
from lanescope.render.page import Section

_INDENT = "  "
_LEAST_WIDTH = 40


def render_sections(page: Iterable[Section], width: int = 100) -> str:
    """The sections as text, ending in a newline.

    A table that is wider than `width` letters is cut into pieces below each other.
    """
    width = max(width, _LEAST_WIDTH)
    blocks = ["\n".join(_section(section, width)) for section in page]
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, width: int) -> Iterator[str]:
    yield ("! " if section.is_warning else "") + clean(section.title, LINE_LIMIT)
    if section.facts:
        yield from _facts(section.facts, width)
    for line in section.lines:
        yield from _wrapped(line, width)
    if section.columns:
        for number, piece in enumerate(pieces(strips(section.columns), width - len(_INDENT))):
            if number or section.facts or section.lines:
                yield ""
            yield from _table(piece)
    for note in section.notes:
        yield from _wrapped(note, width)


def _facts(facts: tuple[tuple[str, str], ...], width: int) -> Iterator[str]:
    label_width = max(len(label) for label, _ in facts)
    for label, value in facts:
        lead = _INDENT + label.ljust(label_width + GAP)
        yield textwrap.fill(
            clean(value, LINE_LIMIT),
            width,
            initial_indent=lead,
            subsequent_indent=" " * len(lead),
            break_on_hyphens=False,
        )


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(
        clean(line, LINE_LIMIT),
        width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
    )


def _table(piece: list[Strip]) -> Iterator[str]:
    lines = zip(*((strip.title, *strip.cells) for strip in piece), strict=True)
    for number, line in enumerate(lines):
        cells = [
            pad(cell, strip.width, is_left=strip.is_left)
            for cell, strip in zip(line, piece, strict=True)
        ]
        yield (_INDENT + (" " * GAP).join(cells)).rstrip()
        if number == 0:
            yield _INDENT + (" " * GAP).join("-" * strip.width for strip in piece)
