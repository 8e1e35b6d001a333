"""Names the parts of a program, by its `; region NAME` markers or by its comments.

The first line of a comment block names the instructions after it. Its numbers become #, so that
the same step of different tiles is one section.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.model.isa.parse import Program

Array = npt.NDArray[Any]

_REGION = re.compile(r"region\s+(\S.*)", re.IGNORECASE)
_END = re.compile(r"end\s*region\b.*", re.IGNORECASE)
_BEGINNINGS = (b"reg", b"end")
"""First letters of the two."""
_NUMBERS = re.compile(r"\d+(?:, *\d+)*")
_LONGEST = 60


class Sections(NamedTuple):
    """The sections of a program."""

    names: tuple[str, ...]
    which: Array
    """Per line of the text: number of its section in `names`."""


def regions(program: Program) -> Sections | None:
    """Sections by the markers; None where there are no markers."""
    rows = _maybe_markers(program)
    comments, which = program.comments(rows)
    marks = [_mark(comment) for comment in comments]
    if not any(marks):
        return None
    starts = [(0, "")]
    for row, number in zip(rows.tolist(), which, strict=True):
        if (name := marks[number]) is not None:
            starts.append((row, name))
    names = [name or "(outside)" for _, name in starts]
    return _spread(np.array([row for row, _ in starts]), names, program.source_lines)


def sections(program: Program) -> Sections:
    """Sections by the comments: each block of comment lines starts one."""
    is_title = (program.opcode == -1) & (program.comment >= 0)
    rows = np.flatnonzero(is_title & ~np.concatenate(([False], is_title[:-1])))
    comments, which = program.comments(rows)
    titles = [_title(comment) for comment in comments]
    names = ["(start)", *(titles[number] for number in which)]
    return _spread(np.append([0], rows), names, program.source_lines)


def _maybe_markers(program: Program) -> Array:
    """Lines whose comment begins like a marker's, or with a letter that is not ASCII."""
    rows = np.flatnonzero(program.comment >= 0)
    if not len(rows):
        return rows
    text = np.frombuffer(program.text, np.uint8)
    first, second, third = (
        text[np.minimum(program.comment[rows] + place, len(text) - 1)] | 0x20 for place in range(3)
    )
    maybe: Array = first >= 128
    for a, b, c in _BEGINNINGS:
        maybe |= (first == a) & (second == b) & (third == c)
    found: Array = rows[maybe]
    return found


def _mark(comment: str) -> str | None:
    """Name of the region that a marker starts, empty for its end; None for no marker."""
    if match := _REGION.fullmatch(comment):
        return match[1].strip()
    return "" if _END.fullmatch(comment) else None


def _title(comment: str) -> str:
    text = _NUMBERS.sub("#", comment.strip("=- \t")) or "(comment)"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _spread(rows: Array, names: list[str], total: int) -> Sections:
    """Sections that start in these rows, the first in row 0."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in names]
    return Sections(
        tuple(numbers), np.repeat(np.array(codes, np.int32), np.diff(rows, append=total))
    )
