"""Which kernels took most time, and how they were launched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import Groups, group_by
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.functions import FunctionNames
from lanescope.analyze.streams.kernel_names import short_name
from lanescope.analyze.streams.values import SHAPE, row_values
from lanescope.analyze.streams.work import COMMUNICATION
from lanescope.render.cells import many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.table import Array

_MOST = 15
_BRIEF = 4
"""Kernels on the short page."""


@dataclass(frozen=True, slots=True)
class KernelCost(Result):
    """All runs of the kernels of one name; means are over the runs that tell the value."""

    name: str
    work: str | None
    """`compute` or `communication`; None where the source does not tell."""
    count: int
    total_ns: int
    mean_ns: float
    min_ns: int
    max_ns: int
    share: float | None
    """total_ns / time of all kernels"""
    blocks: float | None
    """Mean number of blocks in a launch."""
    threads: float | None
    """Mean number of threads in a block."""
    registers: float | None
    """Mean number of registers per thread."""
    shared_memory: float | None
    """Mean bytes of shared memory per block."""
    occupancy: float | None
    """Mean occupancy as the source estimates it, in per cent."""

    def __repr__(self) -> str:
        share = percent_text(self.share)
        total = time_text(self.total_ns)
        return f"<KernelCost {clean(self.name)}: {self.count:,} runs, {total}, {share}>"


def kernels(basis: StreamBasis) -> tuple[KernelCost, ...]:
    """Kernels by name, the longest total time first."""
    work = basis.work
    rows = np.flatnonzero(work.work <= COMMUNICATION)
    if not len(rows):
        return ()
    names = FunctionNames.of(basis.trace)
    groups = group_by(work.func[rows])
    length = work.end[rows] - work.start[rows]
    sums, counts = groups.sums(length), groups.counts()
    ordered = length[groups.order]
    least = np.minimum.reduceat(ordered, groups.first).tolist()
    most = np.maximum.reduceat(ordered, groups.first).tolist()
    shape = [_means(groups, row_values(basis.trace, work, name)[rows]) for name in SHAPE]
    whole = sum(sums)
    found = [
        KernelCost(
            names.name(func),
            names.work(func) or None,
            counts[k],
            sums[k],
            sums[k] / counts[k],
            least[k],
            most[k],
            sums[k] / whole if whole else None,
            *(values[k] for values in shape),
        )
        for k, func in enumerate(groups.keys.tolist())
    ]
    return tuple(sorted(found, key=lambda one: (-one.total_ns, one.name)))


def _means(groups: Groups, values: Array) -> list[float | None]:
    """Mean of each group over the values that are known."""
    known = ~np.isnan(values)
    counts = groups.counts(known)
    sums = np.bincount(groups.codes, np.where(known, values, 0.0), minlength=len(groups)).tolist()
    return [total / n if n else None for total, n in zip(sums, counts, strict=True)]


def _brief(kernels: tuple[KernelCost, ...], answers: Answers) -> list[Section]:
    """The kernels that took most, in five columns."""
    shown = kernels[:_BRIEF]
    hidden = len(kernels) - len(shown)
    section = Section(
        title="Kernels, by time on the devices",
        columns=(
            PageColumn("kernel", "text", tuple(short_name(one.name) for one in shown), key=True),
            PageColumn("runs", "count", tuple(one.count for one in shown)),
            PageColumn("total", "time", tuple(one.total_ns for one in shown)),
            PageColumn("share", "percent", tuple(one.share for one in shown)),
            PageColumn("mean", "time", tuple(one.mean_ns for one in shown)),
        ),
        notes=(f"{many_text(hidden, 'more kernel')}.",) if hidden else (),
    )
    return [section] if shown else []


def _sections(kernels: tuple[KernelCost, ...], answers: Answers) -> list[Section]:
    if not kernels:
        return []
    shown = kernels[:_MOST]
    hidden = len(kernels) - len(shown)
    names = tuple(short_name(one.name) for one in shown)
    return [
        Section(
            title="Kernels",
            columns=(
                PageColumn("kernel", "text", names, key=True),
                PageColumn("runs", "count", tuple(one.count for one in shown)),
                PageColumn("total", "time", tuple(one.total_ns for one in shown)),
                PageColumn("share", "percent", tuple(one.share for one in shown)),
                PageColumn("mean", "time", tuple(one.mean_ns for one in shown), scale="run"),
                PageColumn("min", "time", tuple(one.min_ns for one in shown), scale="run"),
                PageColumn("max", "time", tuple(one.max_ns for one in shown), scale="run"),
                PageColumn("blocks", "count", tuple(one.blocks for one in shown)),
                PageColumn("threads", "count", tuple(one.threads for one in shown)),
                PageColumn("registers", "count", tuple(one.registers for one in shown)),
                PageColumn("occupancy %", "number", tuple(one.occupancy for one in shown)),
            ),
            notes=(f"{many_text(hidden, 'more kernel')} in --json.",) if hidden else (),
        )
    ]


def _answer(basis: Basis) -> tuple[KernelCost, ...]:
    return kernels(basis.of_streams())


KERNELS = Analysis(
    name="kernels",
    question="Which kernels took most time?",
    answer=_answer,
    sections=_sections,
    brief=_brief,
    families=frozenset({"streams"}),
    place=250,
    keys="[name, work, count, total_ns, mean_ns, min_ns, max_ns, share, blocks, threads, "
    "registers, shared_memory, occupancy]",
)
