"""Which launches there were, of the openings of lanes and the host's uses of the handle.

A launch has the number of its handle. A handle may be launched again, as a CUDA graph does: then
each lane is opened again, and the k-th openings are the k-th launch. Numbers come again after
LAUNCH_NUMBERS uses of the handle; a launch belongs to the last use of its number before it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.capture.host_log import LAUNCH_NUMBERS
from lanescope.capture.openings import Openings
from lanescope.capture.pieces import NEVER
from lanescope.device.head import Array
from lanescope.trace.join import TaskKey
from lanescope.trace.numbering import numbered
from lanescope.trace.schema import MISSING, MISSING32, NO_WORD
from lanescope.trace.trace import Words

Columns = dict[str, Array]
_NO_FUNCTION = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Call:
    """A use of the handle."""

    number: int
    """From 1; the handle carries it modulo LAUNCH_NUMBERS."""
    cycles: int
    """When, on the device's clock."""
    name: str


class RecordedLaunches:
    """The launches of a capture, and which task and which CTA belongs to which."""

    def __init__(self, openings: Openings, calls: Sequence[Call], pipes: int) -> None:
        self._pipes, self._openings = pipes, openings
        self._names = {call.number: call.name for call in calls}
        self._rows = np.flatnonzero(openings.number > 0)
        number, start = openings.number[self._rows], openings.start[self._rows]
        end, slot = openings.end[self._rows], openings.slot[self._rows]
        again = _again(number, slot, start, end)
        known, self._of = numbered(number << 32 | again)
        self._start = np.full(len(known), NEVER)
        np.minimum.at(self._start, self._of, start)
        self._end = np.full(len(known), -1, np.int64)
        np.maximum.at(self._end, self._of, end)
        self._call = _calls(known >> 32, self._start, calls)
        self._launch = _launches(self._call, self._start)
        self._least = np.full(len(known), _NO_FUNCTION)
        self._most = np.full(len(known), MISSING)

    def moments(self) -> Array:
        """Return when each launch began, in cycles."""
        return self._start

    def of_tasks(self, key: TaskKey, func: Array) -> Array:
        """Return the launch of each task, MISSING where it has none; note their functions."""
        by_opening = np.full(len(self._openings.number) + 1, -1, np.int64)
        by_opening[self._rows] = self._of
        place = by_opening[self._openings.of_tasks(key, self._pipes)]
        np.minimum.at(self._least, place[place >= 0], func[place >= 0])
        np.maximum.at(self._most, place[place >= 0], func[place >= 0])
        return np.append(self._launch, MISSING)[place]

    def columns(self, words: Words) -> Columns:
        """Return the columns of the table of launches, by start; times are in cycles only.

        The tasks must have been asked for before.
        """
        order = np.lexsort((self._launch, self._start))
        launch, call = self._launch[order], self._call[order]
        names = [self._names.get(one, "") for one in call.tolist()]
        return {
            "launch": launch,
            "name": np.array([words.code(one) if one else NO_WORD for one in names], np.int32),
            "call": call,
            "func": np.where(self._least == self._most, self._least, MISSING32)[order].astype(
                np.int32
            ),
            "blocks": np.bincount(self._blocks()[0], minlength=len(order))[order].astype(np.int32),
            "start_cycles": self._start[order],
            "end_cycles": self._end[order],
        }

    def block_columns(self) -> Columns:
        """Return the columns of the table of CTAs, by launch and core; times are in cycles only."""
        of, core, first = self._blocks()
        rows = self._rows
        place = np.empty(len(rows), np.int64)
        order = np.lexsort((self._openings.core[rows], self._of))
        place[order] = np.cumsum(np.isin(np.arange(len(rows)), first)) - 1
        start, end = np.full(len(of), NEVER), np.full(len(of), -1, np.int64)
        np.minimum.at(start, place, self._openings.start[rows])
        np.maximum.at(end, place, self._openings.end[rows])
        by = np.lexsort((core, self._launch[of]))
        return {
            "launch": self._launch[of][by],
            "core": core[by].astype(np.int32),
            "physical_core": self._openings.unit[rows][order][first][by].astype(np.int32),
            "start_cycles": start[by],
            "end_cycles": end[by],
        }

    def _blocks(self) -> tuple[Array, Array, Array]:
        """Return of each CTA the place of its launch, its core, and where its openings begin."""
        core = self._openings.core[self._rows]
        order = np.lexsort((core, self._of))
        of, core = self._of[order], core[order]
        new = (of[1:] != of[:-1]) | (core[1:] != core[:-1])
        first = np.flatnonzero(np.append(True, new)[: len(of)])
        return of[first], core[first], first


def _again(number: Array, slot: Array, start: Array, end: Array) -> Array:
    """Return for each opening which launch of its number it belongs to, from 0."""
    again = np.zeros(len(number), np.int64)
    order = np.lexsort((start, slot, number))
    same = (number[order][1:] == number[order][:-1]) & (slot[order][1:] == slot[order][:-1])
    for repeated in np.unique(number[order][1:][same]).tolist():
        mine = np.flatnonzero(number == repeated)
        again[mine] = _turns(slot[mine], start[mine], end[mine])
    return again


def _turns(slot: Array, start: Array, end: Array) -> Array:
    """Return which launch of one number each opening belongs to.

    The lanes that were opened most often took part in all launches. Other lanes took part in some:
    their openings belong to the launch in whose time they began.
    """
    order = np.lexsort((start, slot))
    first = np.flatnonzero(np.append(True, np.diff(slot[order]) != 0))
    counts = np.diff(np.append(first, len(order)))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(first, counts)
    always = np.empty(len(order), bool)
    always[order] = np.repeat(counts == counts.max(), counts)
    begun, ended = np.full(counts.max(), NEVER), np.full(counts.max(), -1, np.int64)
    np.minimum.at(begun, turn[always], start[always])
    np.maximum.at(ended, turn[always], end[always])
    between = ended[:-1] + (begun[1:] - ended[:-1]) // 2
    return np.where(always, turn, np.searchsorted(np.sort(between), start, side="right"))


def _calls(number: Array, start: Array, calls: Sequence[Call]) -> Array:
    """Return the use of the handle that each launch belongs to: the last one of its number before.

    Without the host's notes it is the number itself.
    """
    uses: dict[int, list[Call]] = {}
    for call in calls:
        uses.setdefault((call.number - 1) % LAUNCH_NUMBERS + 1, []).append(call)
    found = number.copy()
    for carried in np.unique(number).tolist():
        own = sorted(uses.get(carried, ()), key=lambda call: call.number)
        if own:
            mine = number == carried
            moments = np.maximum.accumulate([call.cycles for call in own])
            at = np.searchsorted(moments, start[mine], side="right") - 1
            found[mine] = np.array([call.number for call in own])[np.maximum(at, 0)]
    return found


def _launches(call: Array, start: Array) -> Array:
    """Return a number for each launch that no other has: of the first of each use, the use's."""
    order = np.lexsort((start, call))
    repeated = np.append(False, call[order][1:] == call[order][:-1])[: len(call)]
    launch = call.copy()
    more = order[repeated]
    more = more[np.argsort(start[more], kind="stable")]
    launch[more] = int(call.max(initial=0)) + 1 + np.arange(len(more))
    return launch
