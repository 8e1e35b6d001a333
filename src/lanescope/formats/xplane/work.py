"""What a device's event does: computation, communication, copy or fill; its numbers."""

from __future__ import annotations

import math
import re

import numpy as np

from lanescope.formats.streams.kernels import HLO_COLLECTIVES, collective_kind, communicates
from lanescope.formats.streams.recording import WORK as KINDS
from lanescope.formats.streams.recording import CollectiveRows
from lanescope.formats.xplane.space import Space
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_OP = re.compile(rf"%?({'|'.join(HLO_COLLECTIVES)})(-start|-done)?(?=[.\s(=]|$)")
_COPY = re.compile(r"memcpy|copyBuffer|^copy(-start|-done|\.|$)", re.IGNORECASE)
_FILL = re.compile(r"memset|fillBuffer", re.IGNORECASE)
_NUMBERS = re.compile(r"flops|bytes|occupancy|_pct$|percent|utilization")
_DETAIL = re.compile(r"(\w+):([\d,]+)")
_LONGEST = 4096
_DETAILS = {
    "regs": "registers",
    "static_shared": "shared memory",
    "dynamic_shared": "shared memory",
    "group_mem": "shared memory",
    "occ_pct": "occupancy",
    "size": "bytes",
}


def work_of_names(names: list[str]) -> Array:
    """Index into the kinds of work for each name."""
    works = np.array([_work(name) for name in names], np.int64)
    return np.where(communicates(names), KINDS.index("communication"), works)


def _work(name: str) -> int:
    if _OP.match(name):
        return KINDS.index("communication")
    if _COPY.search(name):
        return KINDS.index("copy")
    return KINDS.index("fill" if _FILL.search(name) else "compute")


def work_of(space: Space, rows: Array) -> Array:
    """The work of these events: told by the event's HLO operation, by its details, by its name."""
    names = work_of_names(space.kinds.names)
    name = space.kinds.name[space.kind[rows]] if len(rows) else np.empty(0, np.int64)
    found = np.where((space.kind[rows] >= 0) & (name >= 0), names[name], KINDS.index("compute"))
    for stat, kind in (("memcpy_details", "copy"), ("Memset_details", "fill")):
        has, _ = space.text(stat)
        found = np.where(has[rows] >= 0, KINDS.index(kind), found)
    op, ops = space.text("hlo_op")
    if ops:
        talks = np.array([_OP.match(one) is not None for one in ops])
        found = np.where((op[rows] >= 0) & talks[op[rows]], KINDS.index("communication"), found)
    return found


def numbers_of(space: Space, rows: Array) -> dict[str, Array]:
    """Numbers of these events: stats that measure something, and details of kernels and copies."""
    names = {*space.stats.named(), *space.kind_stats.named()}
    values = {
        name: space.real(name)[rows] for name in sorted(names) if _NUMBERS.search(name.lower())
    }
    for stat in ("kernel_details", "memcpy_details"):
        code, texts = space.text(stat)
        used = np.unique(code[rows])
        known = {int(one): _details(texts[int(one)]) for one in used if one >= 0}
        for name in sorted({name for one in known.values() for name in one}):
            of_code = np.full(len(texts) + 1, np.nan)
            for place, one in known.items():
                of_code[place] = one.get(name, np.nan)
            values[name] = of_code[code[rows]]
    return {name: column for name, column in values.items() if np.isfinite(column).any()}


def _details(text: str) -> dict[str, float]:
    """A text such as "grid:16,1,1 block:512,1,1 regs:32" as numbers."""
    found = {}
    for one in _DETAIL.finditer(text, 0, _LONGEST + 1):
        if one.end() > _LONGEST:
            break  # The number may go on.
        key, value = one.groups()
        parts = [float(one) for one in value.split(",") if one]
        if key == "grid":
            found["blocks"] = math.prod(parts)
        elif key == "block":
            found["threads"] = math.prod(parts)
        elif key == "occ_pct" and not any(parts):
            continue  # What did not compute the occupancy writes 0.
        elif key in _DETAILS and parts:
            found[_DETAILS[key]] = found.get(_DETAILS[key], 0.0) + parts[0]
    return found


def collectives_of(space: Space, rows: Array, device: Array) -> CollectiveRows:
    """The operations among devices, each counted per program and operation on its device.

    Of an operation in two parts the first one counts.
    """
    op, ops = space.text("hlo_op")
    matches = [_OP.match(one) for one in ops]
    counts = [match is not None and match[2] != "-done" for match in matches]
    mine = np.flatnonzero((op[rows] >= 0) & np.array([*counts, False])[op[rows]])
    mine = mine[np.argsort(space.start[rows[mine]], kind="stable")]
    program = space.whole("program_id")[rows[mine]]
    module, modules = space.text("hlo_module")
    groups, kinds, sequence = [], [], []
    seen: dict[tuple[int, str], int] = {}
    for place, row in enumerate(mine.tolist()):
        event = int(rows[row])
        number = int(program[place])
        text = modules[int(module[event])] if module[event] >= 0 else ""
        which = text if number == MISSING else f"{text}({number})" if text else str(number)
        group = f"{which} {ops[int(op[event])]}".strip()
        key = int(device[row]), group
        groups.append(group)
        sequence.append(seen.get(key, 0))
        seen[key] = sequence[-1] + 1
        match = matches[int(op[event])]
        assert match is not None
        kinds.append(collective_kind(match[1]))
    moved = space.real("bytes_accessed")[rows[mine]]
    return CollectiveRows(
        row=mine,
        group=groups,
        sequence=np.array(sequence, np.int64),
        kind=kinds,
        bytes=np.where(np.isfinite(moved), np.nan_to_num(moved), MISSING).astype(np.int64),
        matched="group",
    )
