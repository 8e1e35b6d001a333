"""Collectives of one rank: how many, how many bytes, how long.

How long a rank waited in a collective for its peers cannot be told from one rank's trace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import UNKNOWN
from lanescope.analyze.columns.groups import combine, group_by
from lanescope.render.cells import bytes_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.trace import Trace

_MOST = 20
_MATCHED = {
    "source": "the source numbers them",
    "group": "counted within the group",
    "stream": "counted on the stream by name",
    "name": "by the operation's name",
}


@dataclass(frozen=True, slots=True)
class CollectiveKind(Result):
    """All operations of one kind in one group."""

    kind: str
    group: str
    matched: str
    """How operations are numbered, as in the table `collectives`."""
    size: int | None
    """Number of ranks of the group."""
    count: int
    total_ns: int
    bytes: int | None
    """Bytes that the rank put in, of the operations that tell it; None where none does."""
    without_bytes: int
    bytes_per_s: float | None
    """Bytes over the time of the operations that tell them. It is no speed of the network: the
    time holds the wait for the peers."""

    def __repr__(self) -> str:
        total = time_text(self.total_ns)
        return (
            f"<CollectiveKind {clean(self.kind)} in {clean(self.group)}: {self.count:,}, {total}>"
        )


def collectives(trace: Trace) -> tuple[CollectiveKind, ...]:
    """Collectives by kind and group, the longest total time first."""
    table = trace.collectives
    timed = (table["start_ns"] != MISSING) & (table["end_ns"] != MISSING)
    table = table.rows(timed)
    if not len(table):
        return ()
    groups = group_by(combine(*(np.maximum(table[name], -1) for name in ("group", "kind"))))
    length, size = table["end_ns"] - table["start_ns"], table["bytes"]
    known = size != MISSING
    counts, told, sums = groups.counts(), groups.counts(known), groups.sums(length)
    moved = groups.sums(np.where(known, size, 0))
    spent = groups.sums(np.where(known, length, 0))
    found = []
    for k, row in enumerate(groups.order[groups.first].tolist()):
        ranks = int(table["size"][row])
        found.append(
            CollectiveKind(
                kind=trace.word(int(table["kind"][row])) or UNKNOWN,
                group=trace.word(int(table["group"][row])) or UNKNOWN,
                matched=trace.word(int(table["matched"][row])),
                size=None if ranks == MISSING32 else ranks,
                count=counts[k],
                total_ns=sums[k],
                bytes=moved[k] if told[k] else None,
                without_bytes=counts[k] - told[k],
                bytes_per_s=moved[k] / spent[k] * 1e9 if told[k] and spent[k] else None,
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.total_ns, one.group, one.kind)))


def _sections(kinds: tuple[CollectiveKind, ...], answers: Answers) -> list[Section]:
    if not kinds:
        return []
    shown = kinds[:_MOST]
    sizes = (None if one.bytes is None else bytes_text(one.bytes) for one in shown)
    rates = (None if one.bytes_per_s is None else one.bytes_per_s / 1e9 for one in shown)
    return [
        Section(
            title="Collectives",
            columns=(
                PageColumn("operation", "text", tuple(one.kind for one in shown), key=True),
                PageColumn("group", "text", tuple(one.group for one in shown), key=True),
                PageColumn("ranks", "count", tuple(one.size for one in shown)),
                PageColumn("count", "count", tuple(one.count for one in shown)),
                PageColumn("time", "time", tuple(one.total_ns for one in shown)),
                PageColumn("bytes", "figure", tuple(sizes)),
                PageColumn("GB/s", "number", tuple(rates)),
                PageColumn(
                    "numbered", "text", tuple(_MATCHED.get(one.matched, "") for one in shown)
                ),
            ),
            notes=(
                "The time of a collective holds the wait for the slowest rank, which a trace of "
                "one rank cannot tell apart.",
            ),
        )
    ]


def _answer(basis: Basis) -> tuple[CollectiveKind, ...]:
    return collectives(basis.trace)


COLLECTIVES = Analysis(
    name="collectives",
    detail=True,
    question="Which collectives ran, how many bytes did they move, and how long did they take?",
    answer=_answer,
    sections=_sections,
    families=frozenset({"streams"}),
    place=270,
    keys="[kind, group, matched, size, count, total_ns, bytes, without_bytes, bytes_per_s]",
)
