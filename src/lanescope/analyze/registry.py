"""The analyses of a report. This is the sole place where an analysis is registered.

Their order is that of the keys in the report's JSON; `Analysis.place` orders the sections. Those of
a family are imported when a trace of that family is there: to import all of them takes about as
long as a small report.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from lanescope.analyze.analysis import Analysis, Basis
from lanescope.plugins import Group, Plugin, blaming, entry_points, load_plugins
from lanescope.trace.vocabulary import FAMILIES, Family

_CORES: frozenset[Family] = frozenset({"cores"})
_STREAMS: frozenset[Family] = frozenset({"streams"})
_TRACKS: frozenset[Family] = frozenset({"tracks"})
_UNITS: frozenset[Family] = frozenset({"units"})

_OWN: tuple[tuple[str, str, frozenset[Family]], ...] = (
    ("recording.conditions", "CONDITIONS", _CORES),
    ("cores.verdict_section", "VERDICT", _CORES),
    ("cores.suspects", "SUSPECTS", _CORES),
    ("graph.critical_section", "CRITICAL", _CORES),
    ("recording.captured", "CAPTURE", FAMILIES),
    ("recording.losses", "LOSSES", FAMILIES),
    ("cores.makespan", "MAKESPAN", FAMILIES),
    ("cores.launched_section", "LAUNCHED", _CORES),
    ("tasks.functions_section", "FUNCTIONS", _CORES),
    ("inside.pipes", "INSIDE", _CORES),
    ("inside.instances", "SLOWEST", _CORES),
    ("controllers.threads_section", "CONTROLLERS", _CORES),
    ("controllers.queues", "QUEUES", _CORES),
    ("tasks.counters", "COUNTERS", FAMILIES),
    ("controllers.peer_section", "PEER", _CORES),
    ("runs.rounds_section", "ROUNDS", _CORES),
    ("streams.breakdown_section", "BREAKDOWN", _STREAMS),
    ("streams.idle_section", "IDLE", _STREAMS),
    ("streams.path_section", "CRITICAL_PATH", _STREAMS),
    ("streams.launches", "LAUNCHES", _STREAMS),
    ("streams.steps", "STEPS", _STREAMS),
    ("streams.kernels", "KERNELS", _STREAMS),
    ("streams.copies", "COPIES", _STREAMS),
    ("streams.collectives", "COLLECTIVES", _STREAMS),
    ("streams.host", "HOST_WORK", _STREAMS),
    ("tracks.slices", "SLICES", _TRACKS),
    ("units.program", "UNITS", _UNITS),
    ("units.totals", "TOTALS", _UNITS),
    ("graph.listing_section", "GRAPH", FAMILIES),
)
"""Module in this room, the name of the analysis in it, and of which traces it can be asked."""


def own_analyses(family: Family | None = None) -> tuple[Analysis[Any], ...]:
    """Those of lanescope that can be asked of a family of traces; all of them where it is None."""
    wanted = [(module, name) for module, name, of in _OWN if family is None or family in of]
    return tuple(
        getattr(import_module(f"lanescope.analyze.{module}"), name) for module, name in wanted
    )


@cache
def analyses(family: Family | None = None) -> tuple[Analysis[Any], ...]:
    """Those of lanescope, then those that installed packages add."""
    others = load_plugins(_others()) if entry_points(_GROUP) else ()
    return (*own_analyses(family), *(_guarded(other) for other in others))


_GROUP = "lanescope.analyses"


def _others() -> Group[Analysis[Any]]:
    ours = frozenset(analysis.name for analysis in own_analyses())
    return Group(_GROUP, Analysis, ours=ours, problem=_clashes)


def _clashes(offered: Analysis[Any]) -> str:
    """A report has an attribute per analysis, and others of its own."""
    return "a report has something else of that name" if offered.name in _TAKEN else ""


_TAKEN = frozenset({"of", "sections", "text", "to_dict", "report_version", "vocabulary", "ran"})


def _guarded(other: Plugin[Analysis[Any]]) -> Analysis[Any]:
    """An analysis whose failures name the package that they come from."""

    def answer(basis: Basis) -> Any:
        with blaming(other.package, f"the analysis {other.object.name!r}"):
            return other.object.answer(basis)

    return replace(other.object, answer=answer)
