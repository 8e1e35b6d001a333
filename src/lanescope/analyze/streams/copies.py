"""Copies and fills of memory: how many, how many bytes, how fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.functions import FunctionNames
from lanescope.analyze.streams.values import BYTES, row_values
from lanescope.analyze.streams.work import MEMORY
from lanescope.render.cells import bytes_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result

_MOST = 20


@dataclass(frozen=True, slots=True)
class Copy(Result):
    """All copies or fills of one name."""

    name: str
    work: str
    """`copy` or `fill`."""
    count: int
    total_ns: int
    bytes: int | None
    """Of the rows that tell them; None where none does."""
    without_bytes: int
    """Rows that do not tell how many bytes they moved."""
    bytes_per_s: float | None
    """Bytes over the time of the rows that tell them."""

    def __repr__(self) -> str:
        moved = "bytes not known" if self.bytes is None else bytes_text(self.bytes)
        return f"<Copy {clean(self.name)!r}: {self.count:,}, {moved}>"


def copies(basis: StreamBasis) -> tuple[Copy, ...]:
    """Copies and fills by name, the longest total time first."""
    work = basis.work
    rows = np.flatnonzero(work.work == MEMORY)
    names = FunctionNames.of(basis.trace)
    groups = group_by(work.func[rows])
    length = work.end[rows] - work.start[rows]
    size = row_values(basis.trace, work, BYTES)[rows]
    known = ~np.isnan(size)
    moved = np.bincount(groups.codes, np.where(known, size, 0), minlength=len(groups))
    timed = np.bincount(groups.codes, np.where(known, length, 0), minlength=len(groups))
    told = groups.counts(known)
    found = [
        Copy(
            name=names.name(func),
            work=names.work(func),
            count=count,
            total_ns=total,
            bytes=int(moved[k]) if told[k] else None,
            without_bytes=count - told[k],
            bytes_per_s=moved[k] / timed[k] * 1e9 if told[k] and timed[k] else None,
        )
        for k, (func, count, total) in enumerate(
            zip(groups.keys.tolist(), groups.counts(), groups.sums(length), strict=True)
        )
    ]
    return tuple(sorted(found, key=lambda one: (-one.total_ns, one.name)))


def _sections(copies: tuple[Copy, ...], answers: Answers) -> list[Section]:
    shown = copies[:_MOST]
    if not shown:
        return []
    rates = [None if one.bytes_per_s is None else one.bytes_per_s / 1e9 for one in shown]
    missing = tuple(one.without_bytes or None for one in shown)
    return [
        Section(
            title="Copies and fills",
            columns=(
                PageColumn("name", "text", tuple(one.name for one in shown), key=True),
                PageColumn("count", "count", tuple(one.count for one in shown)),
                PageColumn("time", "time", tuple(one.total_ns for one in shown)),
                PageColumn(
                    "bytes",
                    "figure",
                    tuple(None if one.bytes is None else bytes_text(one.bytes) for one in shown),
                ),
                PageColumn("GB/s", "number", tuple(rates)),
                PageColumn("without bytes", "count", missing),
            ),
        )
    ]


def _answer(basis: Basis) -> tuple[Copy, ...]:
    return copies(basis.of_streams())


COPIES = Analysis(
    name="copies",
    detail=True,
    question="What was copied and filled, and how fast?",
    answer=_answer,
    sections=_sections,
    families=frozenset({"streams"}),
    place=260,
    keys="[name, work, count, total_ns, bytes, without_bytes, bytes_per_s]",
)
