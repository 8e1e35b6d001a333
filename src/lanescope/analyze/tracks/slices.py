"""What slices of each name took: in all, and without the slices inside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.tasks.functions import function_labels
from lanescope.native.nesting import nest
from lanescope.render.cells import many_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.trace import Trace

_MOST = 30
_BRIEF = 8
"""Names on the short page."""


@dataclass(frozen=True, slots=True)
class SliceName(Result):
    """All slices of one name."""

    name: str
    count: int
    total_ns: int
    """Their lengths, added up; a slice inside another of its name counts twice."""
    own_ns: int
    """The same without the slices inside them."""
    mean_ns: float
    min_ns: int
    max_ns: int
    share: float | None
    """own_ns / own time of all slices"""

    def __repr__(self) -> str:
        slices = many_text(self.count, "slice")
        return f"<SliceName {clean(self.name)}: {slices}, {time_text(self.own_ns)} own>"


def slices(trace: Trace) -> tuple[SliceName, ...]:
    """Slices by name, the longest own time first.

    A slice that outlives the one around it counts until that one's end.
    """
    rows = np.flatnonzero(trace.ran())
    tasks = trace.tasks
    core, start, end = (tasks[name][rows] for name in ("core", "start_ns", "end_ns"))
    order = np.lexsort((-end, start, core))
    rows, core, start, end = rows[order], core[order], start[order], end[order]
    own = nest(core, start, end).own
    groups = group_by(tasks["func"][rows])
    if not len(groups):
        return ()
    length = end - start
    ordered = length[groups.order]
    least = np.minimum.reduceat(ordered, groups.first).tolist()
    most = np.maximum.reduceat(ordered, groups.first).tolist()
    counts, sums, owns = groups.counts(), groups.sums(length), groups.sums(own)
    whole = sum(owns)
    found = [
        SliceName(
            name=label.name,
            count=counts[k],
            total_ns=sums[k],
            own_ns=owns[k],
            mean_ns=sums[k] / counts[k],
            min_ns=least[k],
            max_ns=most[k],
            share=owns[k] / whole if whole else None,
        )
        for k, label in enumerate(function_labels(trace, groups.keys))
    ]
    return tuple(sorted(found, key=lambda one: (-one.own_ns, one.name)))


def _brief(names: tuple[SliceName, ...], answers: Answers) -> list[Section]:
    return _table(names, _BRIEF)


def _sections(names: tuple[SliceName, ...], answers: Answers) -> list[Section]:
    return _table(names, _MOST)


def _table(names: tuple[SliceName, ...], most: int) -> list[Section]:
    if not names:
        return []
    shown = names[:most]
    notes = ["Own time is without the slices inside a slice."]
    if len(names) > len(shown):
        notes.append(f"{many_text(len(names) - len(shown), 'more name')} in --json.")
    return [
        Section(
            title="Slices",
            columns=(
                PageColumn("name", "text", tuple(one.name for one in shown), key=True),
                PageColumn("slices", "count", tuple(one.count for one in shown)),
                PageColumn("total", "time", tuple(one.total_ns for one in shown), scale="all"),
                PageColumn("own", "time", tuple(one.own_ns for one in shown), scale="all"),
                PageColumn("of own", "percent", tuple(one.share for one in shown)),
                PageColumn("mean", "time", tuple(one.mean_ns for one in shown), scale="one"),
                PageColumn("min", "time", tuple(one.min_ns for one in shown), scale="one"),
                PageColumn("max", "time", tuple(one.max_ns for one in shown), scale="one"),
            ),
            notes=tuple(notes),
        )
    ]


def _answer(basis: Basis) -> tuple[SliceName, ...]:
    return slices(basis.trace)


SLICES = Analysis(
    name="slices",
    question="What did slices of each name take, with and without the slices inside them?",
    answer=_answer,
    sections=_sections,
    brief=_brief,
    families=frozenset({"tracks"}),
    place=290,
    keys="[name, count, total_ns, own_ns, mean_ns, min_ns, max_ns, share]",
)
