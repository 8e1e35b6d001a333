"""The analyses of a report. This is the sole place where an analysis is registered.

Their order is that of the keys in the report's JSON; `Analysis.place` orders the sections.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from lanescope.analyze.analysis import Analysis, Basis
from lanescope.analyze.controllers.peer_section import PEER
from lanescope.analyze.controllers.queues import QUEUES
from lanescope.analyze.controllers.threads_section import CONTROLLERS
from lanescope.analyze.cores.makespan import MAKESPAN
from lanescope.analyze.cores.suspects import SUSPECTS
from lanescope.analyze.cores.verdict_section import VERDICT
from lanescope.analyze.graph.critical_section import CRITICAL
from lanescope.analyze.graph.listing_section import GRAPH
from lanescope.analyze.inside.instances import SLOWEST
from lanescope.analyze.inside.pipes import INSIDE
from lanescope.analyze.recording.captured import CAPTURE
from lanescope.analyze.recording.conditions import CONDITIONS
from lanescope.analyze.recording.losses import LOSSES
from lanescope.analyze.runs.rounds_section import ROUNDS
from lanescope.analyze.streams.breakdown_section import BREAKDOWN
from lanescope.analyze.streams.collectives import COLLECTIVES
from lanescope.analyze.streams.copies import COPIES
from lanescope.analyze.streams.host import HOST_WORK
from lanescope.analyze.streams.idle_section import IDLE
from lanescope.analyze.streams.kernels import KERNELS
from lanescope.analyze.streams.launches import LAUNCHES
from lanescope.analyze.streams.path_section import CRITICAL_PATH
from lanescope.analyze.streams.steps import STEPS
from lanescope.analyze.tasks.counters import COUNTERS
from lanescope.analyze.tasks.functions_section import FUNCTIONS
from lanescope.analyze.tracks.slices import SLICES
from lanescope.analyze.units.program import UNITS
from lanescope.analyze.units.totals import TOTALS
from lanescope.plugins import Group, Plugin, blaming, load_plugins

ANALYSES: tuple[Analysis[Any], ...] = (
    CONDITIONS,
    VERDICT,
    SUSPECTS,
    CRITICAL,
    CAPTURE,
    LOSSES,
    MAKESPAN,
    FUNCTIONS,
    INSIDE,
    SLOWEST,
    CONTROLLERS,
    QUEUES,
    COUNTERS,
    PEER,
    ROUNDS,
    BREAKDOWN,
    IDLE,
    CRITICAL_PATH,
    LAUNCHES,
    STEPS,
    KERNELS,
    COPIES,
    COLLECTIVES,
    HOST_WORK,
    SLICES,
    UNITS,
    TOTALS,
    GRAPH,
)


def _clashes(offered: Analysis[Any]) -> str:
    """A report has an attribute per analysis, and others of its own."""
    return "a report has something else of that name" if offered.name in _TAKEN else ""


_TAKEN = frozenset({"of", "sections", "text", "to_dict", "report_version", "vocabulary", "ran"})
_OTHERS: Group[Analysis[Any]] = Group(
    "lanescope.analyses",
    Analysis,
    ours=frozenset(analysis.name for analysis in ANALYSES),
    problem=_clashes,
)


@cache
def analyses() -> tuple[Analysis[Any], ...]:
    """Those of lanescope, then those that installed packages add."""
    return (*ANALYSES, *(_guarded(other) for other in load_plugins(_OTHERS)))


def _guarded(other: Plugin[Analysis[Any]]) -> Analysis[Any]:
    """An analysis whose failures name the package that they come from."""

    def answer(basis: Basis) -> Any:
        with blaming(other.package, f"the analysis {other.object.name!r}"):
            return other.object.answer(basis)

    return replace(other.object, answer=answer)
