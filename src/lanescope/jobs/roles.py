"""Which ranks do the same work, so that they can be compared.

Ranks that meet in a collective of a part of the job do the same work on other data. Two that meet
may still differ, as the first and the last stage of a pipeline that share a table do: then their
messages go different ways. Where all collectives span the whole job, all ranks do the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import MESSAGE, TOGETHER, Arrivals
from lanescope.jobs.ends import Ends, islands
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

_REFINEMENTS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """By place of the rank: its role, and its number among the ranks of the role."""

    role: Array
    """0 … number of roles - 1, in the order of their first ranks."""
    member: Array

    @property
    def count(self) -> int:
        """Number of roles."""
        return int(self.role.max()) + 1 if len(self.role) else 0


def roles(job: Job) -> Roles:
    """Find which ranks of a job do the same work."""
    arrivals, count = job.arrivals, len(job.ranks)
    part = (
        (arrivals.tie == TOGETHER)
        & (arrivals.present < count)
        & ((arrivals.size == 0) | (arrivals.size < (job.world or count)))
    )
    ways = _ways(arrivals, job)
    if part.any():
        rows = np.flatnonzero(part[arrivals.collective])
        number = np.unique(arrivals.collective[rows], return_inverse=True)[1]
        joined = islands(Ends(number, arrivals.rank[rows], rows, rows, count))
    else:
        joined = np.zeros(count, np.int64)
    sizes = np.bincount(joined, minlength=count)
    alone = sizes[joined] == 1
    colours: list[object] = [
        (-1 if lonely else int(one), way)
        for one, way, lonely in zip(joined, ways, alone, strict=True)
    ]
    colours = _refined(arrivals, colours, np.flatnonzero(alone))
    order: dict[object, int] = {}
    role = np.array([order.setdefault(colour, len(order)) for colour in colours], np.int64)
    member = np.zeros(count, np.int64)
    for one in range(len(order)):
        mine = np.flatnonzero(role == one)
        member[mine] = np.arange(len(mine))
    return Roles(role, member)


def _refined(arrivals: Arrivals, colours: list[object], alone: Array) -> list[object]:
    """Ranks that no collective joins have one role where their messages' partners have one."""
    partners = _partners(arrivals)
    for _ in range(_REFINEMENTS if len(alone) else 0):
        new = list(colours)
        for place in alone.tolist():
            seen = {(sends, colours[other]) for sends, other in partners.get(place, ())}
            new[place] = colours[place], frozenset(seen)
        numbers = {colour: k for k, colour in enumerate(dict.fromkeys(new))}
        colours = [numbers[colour] for colour in new]
    return colours


def _partners(arrivals: Arrivals) -> dict[int, set[tuple[bool, int]]]:
    """By place of a rank: whom it sends to, and whom it receives from."""
    messages = np.flatnonzero(arrivals.tie == MESSAGE)
    first = arrivals.rank[arrivals.first[messages]]
    second = arrivals.rank[arrivals.first[messages] + 1]
    sender = arrivals.root[messages]
    found: dict[int, set[tuple[bool, int]]] = {}
    pairs = np.unique(np.stack([first, second, sender], axis=1), axis=0)
    for one, other, root in pairs.tolist():
        found.setdefault(one, set()).add((one == root, other))
        found.setdefault(other, set()).add((other == root, one))
    return found


def _ways(arrivals: Arrivals, job: Job) -> list[object]:
    """By rank: where its messages go to and come from: to lower or to higher ranks."""
    rows = np.flatnonzero(arrivals.tie[arrivals.collective] == MESSAGE)
    numbers = np.array(job.numbers)
    found: list[set[tuple[bool, bool]]] = [set() for _ in numbers]
    if not len(rows):
        return [frozenset(one) for one in found]
    collective = arrivals.collective[rows]
    sends = arrivals.rank[rows] == arrivals.root[collective]
    first = arrivals.first[collective]
    other = arrivals.rank[first] + arrivals.rank[first + 1] - arrivals.rank[rows]
    upward = numbers[other] > numbers[arrivals.rank[rows]]
    keys = np.unique(np.stack([arrivals.rank[rows], sends, upward], axis=1), axis=0)
    for place, sender, up in keys.tolist():
        found[place].add((bool(sender), bool(up)))
    return [frozenset(one) for one in found]
