"""Joins marks that are the two ends of something into one row with a begin and an end.

Two conventions are known from public decoders of this stream ("chip6"). Both set bit 10:

    region        bit 11 is 0 at its begin and 1 at its end; bits 0 to 9 are its number
    instruction   bit 9 is set, too; bits 0 to 8 are its number; begin and end are the same mark

A region of 512 or more begins with a mark that an instruction could have. It is a region where any
mark of that number on that pipe of that core has bit 11, and an instruction otherwise.

Two marks are a pair if they follow each other among the marks of their number on one pipe in one
task. All others stay as they are, and are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from lanescope.trace.meta import LedgerEntry
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace, Words

_PAIRED, _ENDS, _NUMBER = 1 << 10, 1 << 11, 0x7FF
_INSTRUCTION = 3 << 9
_REGIONS, _INSTRUCTIONS = 0x3FF, 0x1FF


@dataclass(frozen=True, slots=True)
class MarkNames:
    """What people call regions, instructions and other marks, by number."""

    regions: Mapping[int, str] = field(default_factory=dict)
    instructions: Mapping[int, str] = field(default_factory=dict)
    marks: Mapping[int, str] = field(default_factory=dict)


def join_marks(trace: Trace, names: MarkNames | None = None) -> Trace:
    """Return the trace with pairs of marks as one row each, and an account per core of the rest.

    Rows that are no mark (`mark` is null) stay as they are.
    """
    names = names or MarkNames()
    marks, words = trace.marks, Words(trace.words)
    number = marks["mark"]
    rows = np.flatnonzero((number != MISSING32) & (number & _PAIRED != 0))
    order, group = _groups(marks, rows)
    owned = marks["task"][order] != MISSING
    starts, ends, is_region = _pairs(number[order], owned, group)
    # Parts of a damaged stream may lie backwards in time.
    forward = marks["start_ns"][order[starts]] <= marks["start_ns"][order[ends]]
    starts, ends, is_region = starts[forward], ends[forward], is_region[forward]
    first, last = order[starts], order[ends]
    end_ns, end_cycles = marks["end_ns"].copy(), marks["end_cycles"].copy()
    end_ns[first], end_cycles[first] = marks["end_ns"][last], marks["end_cycles"][last]
    keep = np.ones(len(marks), bool)
    keep[last] = False
    new = marks.replace(
        end_ns=end_ns, end_cycles=end_cycles, name=_called(trace, words, names, (first, is_region))
    )
    entries = _entries(marks["core"], rows, np.concatenate([first, last]))
    return replace(trace, words=words.freeze(), marks=new.rows(keep)).with_meta(
        ledger=(*trace.meta.ledger, *entries)
    )


def _called(trace: Trace, words: Words, names: MarkNames, pairs: tuple[Array, Array]) -> Array:
    """Return the column `name`: regions and instructions are called so, other marks as before."""
    first, is_region = pairs
    number = trace.marks["mark"]
    sort = np.where(number == MISSING32, 0, 1)
    sort[first] = np.where(is_region, 2, 3)
    key = np.stack([trace.marks["name"], np.where(sort > 0, number, 0), sort])
    used, place = np.unique(key, axis=1, return_inverse=True)
    codes = []
    for code, value, kind in used.T.tolist():
        if kind == 0:
            codes.append(code)
            continue
        old = trace.words[code]
        name = _name(kind, value, names)
        # What is said behind the number, such as the control code of fixp, stays.
        codes.append(code if name is None else words.code(name + old.removeprefix(f"mark {value}")))
    return np.array(codes, np.int32)[place.reshape(-1)]


def _name(kind: int, value: int, names: MarkNames) -> str | None:
    """Return the new name of a mark (1), a region (2) or an instruction (3); None: the old one."""
    if kind == 1:
        return names.marks.get(value)
    if kind == 2:
        return names.regions.get(value & _REGIONS, f"region {value & _REGIONS}")
    return names.instructions.get(value & _INSTRUCTIONS, f"instruction {value & _INSTRUCTIONS}")


def _groups(marks: Table, rows: Array) -> tuple[Array, tuple[Array, Array]]:
    """Sort rows by core, pipe and number, then by task; return them, and both groups' numbers.

    Rows of one task keep their order, which is that of the stream.
    """
    keys = [marks["core"][rows], marks["pipe"][rows], marks["mark"][rows] & _NUMBER]
    within = [marks["task"][rows], marks["token"][rows]]
    order = np.lexsort((*within[::-1], *keys[::-1]))
    kinds = _numbered([key[order] for key in keys])
    runs = _numbered([kinds, *(key[order] for key in within)])
    return rows[order], (kinds, runs)


def _numbered(keys: list[Array]) -> Array:
    """Number the runs of equal rows."""
    new = np.zeros(len(keys[0]), bool)
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    numbers: Array = np.cumsum(new)
    return numbers


def _pairs(number: Array, owned: Array, group: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """Return the places of begins and of their ends, and which pairs are regions."""
    kinds, runs = group
    ends = number & _ENDS != 0
    has_end = np.zeros(int(kinds[-1]) + 1 if len(kinds) else 0, bool)
    has_end[kinds[ends]] = True
    region = has_end[kinds]
    instruction = ~region & (number & _INSTRUCTION == _INSTRUCTION)
    place = np.arange(len(number))
    new = np.ones(len(number), bool)
    new[1:] = runs[1:] != runs[:-1]
    even = (place - np.maximum.accumulate(np.where(new, place, 0))) % 2 == 0
    follows = np.zeros(len(number), bool)
    follows[:-1] = (runs[1:] == runs[:-1]) & owned[:-1]
    ended = np.zeros(len(number), bool)
    ended[:-1] = ends[1:]
    begins = np.flatnonzero(follows & (region & ~ends & ended | instruction & even))
    return begins, begins + 1, region[begins]


def _entries(core: Array, rows: Array, joined: Array) -> list[LedgerEntry]:
    """Return one account per core of the marks that may be one of two."""
    cores, total = np.unique(core[rows], return_counts=True)
    paired = np.searchsorted(np.sort(core[joined]), [cores, cores + 1])
    return [
        LedgerEntry(
            lane=f"core {one}",
            kind="paired mark",
            total=count,
            delivered=whole,
            unmatched=count - whole,
            reason=f"{count - whole} have no partner" if count > whole else "",
        )
        for one, count, whole in zip(
            cores.tolist(), total.tolist(), (paired[1] - paired[0]).tolist(), strict=True
        )
    ]
