"""Collectives of a job, and the arrival of every rank at each, as columns.

A collective is one joint operation; an arrival is one rank's part in it. `matching.py` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.streams.kernel_names import short_name
from lanescope.trace.table import Array

TOGETHER, FROM_ROOT, TO_ROOT, MESSAGE, UNKNOWN = range(5)
"""How the parts of a collective hang together.

TOGETHER: nobody ends before everybody has begun, and all end at about the same moment.
FROM_ROOT: nobody ends before the root has begun. TO_ROOT: the root does not end before everybody
has begun. MESSAGE: the receiver does not end before the sender has begun. UNKNOWN: nothing is sure.
"""
_TIES = {
    "all_reduce": TOGETHER,
    "all_gather": TOGETHER,
    "reduce_scatter": TOGETHER,
    "all_to_all": TOGETHER,
    "barrier": TOGETHER,
    "broadcast": FROM_ROOT,
    "scatter": FROM_ROOT,
    "reduce": TO_ROOT,
    "gather": TO_ROOT,
    "message": MESSAGE,
    # NCCL runs an all-to-all as a group of sends and receives in one kernel. Where that is not so,
    # the ends do not agree, and `clock.py` leaves the group out.
    "send_recv": TOGETHER,
}


def tie_of(kind: str) -> int:
    """How the parts of a kind of collective hang together."""
    return _TIES.get(kind, UNKNOWN)


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """Collectives with two or more arrivals here, by group and sequence; then their arrivals."""

    groups: tuple[str, ...]
    """Names of the groups."""
    kinds: tuple[str, ...]
    group: Array
    """By collective: place in `groups`."""
    sequence: Array
    kind: Array
    """Place in `kinds`."""
    bytes: Array
    """The most that a rank put in; MISSING where it is not known."""
    size: Array
    """How many ranks it had; 0 where it is not known."""
    root: Array
    """Place of the root, or of a message's sender, in the job's ranks; -1 where it is not known."""
    tie: Array
    first: Array
    """Its arrivals are those from first[k] to before first[k + 1]."""
    collective: Array
    """By arrival: the collective."""
    rank: Array
    """Place in the job's ranks."""
    row: Array
    """Row in the rank's own `RankFacts.arrivals`."""
    start: Array
    """On the rank's own clock, in ns."""
    end: Array
    alone: int
    """Arrivals at collectives at which no other rank of this job was seen."""
    notes: tuple[str, ...]

    def __len__(self) -> int:
        """Number of collectives."""
        return len(self.group)

    @property
    def present(self) -> Array:
        """Number of arrivals of each collective."""
        result: Array = np.diff(self.first)
        return result

    @property
    def complete(self) -> Array:
        """Mask of the collectives at which nobody is missing, as far as their size is known."""
        result: Array = (self.size == 0) | (self.present >= self.size)
        return result

    def title(self, collective: int) -> str:
        """What people call a collective: its kind, its number and its group."""
        kind, group = self.kinds[self.kind[collective]], self.groups[self.group[collective]]
        return f"{kind} {int(self.sequence[collective])} of {short_name(group)}"

    def of(self, mask: Array) -> Arrivals:
        """Only some of the collectives."""
        chosen = np.flatnonzero(mask)
        rows = np.flatnonzero(mask[self.collective])
        number = np.full(len(mask), -1)
        number[chosen] = np.arange(len(chosen))
        first = np.append(0, np.cumsum(self.present[chosen]))
        return replace(
            self,
            **{
                name: getattr(self, name)[chosen]
                for name in ("group", "sequence", "kind", "bytes", "size", "root", "tie")
            },
            first=first,
            collective=number[self.collective[rows]],
            **{name: getattr(self, name)[rows] for name in ("rank", "row", "start", "end")},
        )
