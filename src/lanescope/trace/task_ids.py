"""How ids of tasks are read: the parts of one number, and how people and the runtime print them.

Two forms are known beside plain numbers. Which one a number has cannot be seen in it: the source
says so, and `Meta.task_ids` keeps it.

    ring    bits 39..32 ring, 31..0 local                              r1t5
    space   bits 63..62 space, 51..32 parent (space 1), 31..0 local    t5, g3t5, p5

Source: task ids of the two runtimes of hw-native-sys/simpler, September 2026.

Ids have 64 bits without a sign, columns have a sign. An id below 2^63 is itself; 2^63 + n, which
is the n-th id of space 2, is -1 - n.
"""

from __future__ import annotations

import re
from enum import StrEnum

import numpy as np

from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array

_LOCAL = (1 << 32) - 1
_SUB_TASK = 1 << 62
_NUMBER = re.compile(r"-?[0-9]{1,19}")
_RINGED = re.compile(r"r(?P<ring>[0-9]{1,3})t(?P<local>[0-9]{1,10})")
_SPACED = re.compile(
    r"p(?P<parameter>[0-9]{1,10})|(?:g(?P<parent>[0-9]{1,7}))?t(?P<local>[0-9]{1,10})"
)


class TaskIds(StrEnum):
    """The form of a trace's task ids."""

    PLAIN = ""
    RING = "ring"
    SPACE = "space"


def id_text(form: str, task: int) -> str:
    """An id as the runtime prints it; plain ids are decimal numbers."""
    if task == MISSING:
        return ""
    if form == TaskIds.RING:
        return f"r{task >> 32}t{task & _LOCAL}"
    if form == TaskIds.SPACE:
        if task < 0:
            return f"p{-1 - task}"
        parent = f"g{task >> 32 & 0xFFFFF}" if task >= _SUB_TASK else ""
        return f"{parent}t{task & _LOCAL}"
    return str(task)


def id_of(form: str, text: str) -> int | None:
    """The id that people write as `id_text` does, or as a number; None where it is neither."""
    if _NUMBER.fullmatch(text):
        return int(text) if abs(int(text)) < 1 << 63 else None
    match = (_RINGED if form == TaskIds.RING else _SPACED).fullmatch(text)
    if form == TaskIds.PLAIN or match is None:
        return None
    parts = {name: int(digits) for name, digits in match.groupdict().items() if digits}
    if "parameter" in parts:
        return -1 - parts["parameter"]
    high = parts.get("ring", 0) << 32
    if "parent" in parts:
        high = _SUB_TASK | parts["parent"] << 32
    return high | parts["local"]


def unsigned(task: int) -> int:
    """The id as its source writes it: 64 bits without a sign."""
    return task if task >= 0 else (1 << 63) - 1 - task


def signed(written: int) -> int:
    """An id of 64 bits as a column holds it; `2^64 - 1`, which means no id, is MISSING.

    Raises ValueError for what is no id: both upper bits are set, or it has more than 64 bits.
    """
    if written == (1 << 64) - 1:
        return MISSING
    if not 0 <= written < 3 << 62:
        raise ValueError(f"{written} is no task id")
    return written if written < 1 << 63 else (1 << 63) - 1 - written


def impossible(form: str, tasks: Array) -> Array:
    """Mask of the ids that this form does not have: bits are set that no part of it uses."""
    known = tasks != MISSING
    if form == TaskIds.RING:
        return np.asarray(known & ((tasks < 0) | (tasks >> 40 != 0)))
    if form == TaskIds.SPACE:
        plain = (tasks >= 0) & (tasks < 1 << 32)
        nested = (tasks >= _SUB_TASK) & (tasks >> 52 == _SUB_TASK >> 52)
        parameter = (tasks < 0) & (tasks >= -(1 << 32))
        return np.asarray(known & ~(plain | nested | parameter))
    return np.zeros(len(tasks), bool)
