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
_NUMBERS = re.compile(r"\d+(?:, *\d+)*")
_LONGEST = 60


class Sections(NamedTuple):
    """The sections of a program."""

    names: tuple[str, ...]
    which: Array
    """Per line of the text: number of its section in `names`."""


def regions(program: Program) -> Sections | None:
    """Sections by the markers; None where there are no markers."""
    marks = {}
    for number, line in enumerate(program.lines):
        if match := _REGION.fullmatch(line.comment):
            marks[number] = match[1].strip()
        elif _END.fullmatch(line.comment):
            marks[number] = ""
    if not any(marks.values()):
        return None
    rows = np.flatnonzero(np.isin(program.which, list(marks))).tolist()
    starts = [(row, marks[int(program.which[row])] or "(outside)") for row in rows]
    return _spread([(0, "(outside)"), *starts], program.source_lines)


def sections(program: Program) -> Sections:
    """Sections by the comments: each block of comment lines starts one."""
    titles = {
        number: _title(line.comment)
        for number, line in enumerate(program.lines)
        if line.form is None and not line.problem and line.comment
    }
    is_title = np.isin(program.which, list(titles))
    first = is_title & ~np.concatenate(([False], is_title[:-1]))
    rows = np.flatnonzero(first).tolist()
    starts = [(row, titles[int(program.which[row])]) for row in rows]
    return _spread([(0, "(start)"), *starts], program.source_lines)


def _title(comment: str) -> str:
    text = _NUMBERS.sub("#", comment.strip("=- \t")) or "(comment)"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _spread(starts: list[tuple[int, str]], total: int) -> Sections:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for _, name in starts]
    lengths = np.diff([*(row for row, _ in starts), total])
    return Sections(tuple(numbers), np.repeat(np.array(codes, np.int32), lengths))
