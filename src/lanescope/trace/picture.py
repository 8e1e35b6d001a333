"""A small picture of a trace for notebooks: how busy every core was over time, as inline SVG.

Each lane is one core, or a few neighbours of one kind where a chip has many. The filled height at
a moment is the share of that time in which the core ran a task. Text and lines have the colour of
the text around them and the fills are of middle brightness, so the picture suits light and dark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from lanescope.trace.bins import Bins, covered_per_bin
from lanescope.trace.numbering import different, replaced
from lanescope.trace.schema import MISSING32
from lanescope.trace.summary import short, tasks_span
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace

_COLOURS = ("#4382c9", "#c47a1c", "#45957f", "#a06cc0", "#c75a5a", "#7d8a3c")
_LANES = 32
"""Most lanes of a picture: 32 of 160 bins stay below 60 kB whatever the cores did."""
_BINS = 160
_BIN_PX, _LANE_PX, _GAP_PX, _LEFT_PX = 4, 12, 2, 130
_KIND_LIMIT = 10
_NO_KIND = "(unknown)"
_DUST = 1e-6
"""A share below this comes from rounding."""


@dataclass(frozen=True, slots=True)
class Band:
    """One row of the picture: neighbouring cores of one kind."""

    kind: str
    cores: tuple[int, ...]


def picture(trace: Trace) -> str:
    """The picture as an `<svg>` element of at most 60 kB; empty where no task ran on a core.

    It reads the columns `core`, `start_ns` and `end_ns` of the tasks and no others.
    """
    span = tasks_span(trace)
    core, start, end = trace.of_runs("core", "start_ns", "end_ns")
    used = different(core[core != MISSING32])
    if span is None or not len(used):
        return ""
    drawn = lanes(_kinds(trace, used.tolist()))
    row_of_core = {core: row for row, lane in enumerate(drawn) for core in lane.cores}
    numbers = different(core)
    by = np.array([row_of_core.get(number, -1) for number in numbers.tolist()], np.int32)
    rows = replaced(core, numbers, by)
    bins = Bins(span[0], span[1] - span[0], _BINS)
    busy = []
    for row, lane in enumerate(drawn):
        mine = rows == row
        covered = covered_per_bin(start[mine], end[mine], bins)
        busy.append(covered / (bins.each_ns * len(lane.cores)))
    return _svg(drawn, busy, span)


def lanes(kinds: Mapping[int, str]) -> list[Band]:
    """Lanes for cores of these kinds: a core each, or as few cores each as 32 lanes allow.

    A chip of more than 32 kinds gets a lane for each of the first 32.
    """
    members: dict[str, list[int]] = {}
    for core, kind in kinds.items():
        members.setdefault(kind, []).append(core)
    each, largest = -(-len(kinds) // _LANES), max(map(len, members.values()), default=1)
    if len(members) > _LANES:
        each = largest
    while each < largest and sum(-(-len(cores) // each) for cores in members.values()) > _LANES:
        each += 1
    drawn = [
        Band(kind, tuple(cores[first : first + each]))
        for kind, cores in members.items()
        for first in range(0, len(cores), each)
    ]
    return drawn[:_LANES]


def _kinds(trace: Trace, used: list[int]) -> dict[int, str]:
    """Kind of every core, in the order of the cores table; then cores that only tasks name."""
    listed = zip(trace.cores["core"].tolist(), trace.cores.text("kind"), strict=True)
    kinds = {core: kind or _NO_KIND for core, kind in listed}
    return kinds | {core: _NO_KIND for core in used if core not in kinds}


def _svg(drawn: list[Band], busy: list[Array], span: tuple[int, int]) -> str:
    right, bottom = _LEFT_PX + _BINS * _BIN_PX, len(drawn) * (_LANE_PX + _GAP_PX)
    most = max(len(lane.cores) for lane in drawn)
    caption = "a lane per core" if most == 1 else f"a lane per {most} cores"
    colours = {kind: n for n, kind in enumerate(dict.fromkeys(lane.kind for lane in drawn))}
    shapes = [_label(row, drawn) for row in range(len(drawn))]
    for row, (lane, share) in enumerate(zip(drawn, busy, strict=True)):
        colour = _COLOURS[colours[lane.kind] % len(_COLOURS)]
        shapes.append(_area(share, row * (_LANE_PX + _GAP_PX), colour))
    shapes += [
        _text(_LEFT_PX, bottom + 13, f"{span[0]:,} ns"),
        _text((_LEFT_PX + right) // 2, bottom + 13, f"busy over time, {caption}", "middle"),
        _text(right, bottom + 13, f"{span[1]:,} ns", "end"),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right}" height="{bottom + 18}" '
        f'viewBox="0 0 {right} {bottom + 18}" role="img" style="max-width:100%">'
        f"<title>Busy over time, {caption}</title>"
        f'<g font-size="11" font-family="sans-serif" fill="currentColor">{"".join(shapes)}</g>'
        "</svg>"
    )


def _label(row: int, drawn: list[Band]) -> str:
    """The kind and its number of cores, beside the first lane of the kind."""
    kind = drawn[row].kind
    if row and drawn[row - 1].kind == kind:
        return ""
    cores = sum(len(lane.cores) for lane in drawn if lane.kind == kind)
    name = f"{short(kind, _KIND_LIMIT)}, {cores} core" + ("s" if cores > 1 else "")
    return _text(_LEFT_PX - 6, row * (_LANE_PX + _GAP_PX) + _LANE_PX - 2, name, "end")


def _area(share: Array, top: int, colour: str) -> str:
    """A pale band, and on it the share of each bin as a filled height; any share above 0 shows."""
    height = np.ceil(np.clip(share, 0, 1) * _LANE_PX - _DUST).astype(np.int64)
    first = np.flatnonzero(np.diff(height, prepend=-1))
    width = np.diff(np.append(first, len(height))) * _BIN_PX
    rises = np.diff(height[first], prepend=0)
    steps = "".join(
        (f"v{-rise}" if rise else "") + f"h{wide}"
        for rise, wide in zip(rises.tolist(), width.tolist(), strict=True)
    )
    band = f'x="{_LEFT_PX}" y="{top}" width="{_BINS * _BIN_PX}" height="{_LANE_PX}"'
    return (
        f'<rect {band} fill-opacity=".07"/>'
        f'<path d="M{_LEFT_PX} {top + _LANE_PX}{steps}V{top + _LANE_PX}z" fill="{colour}"/>'
    )


def _text(x: int, y: int, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
