"""What the report says of a trace, for the page: verdict, suspects, losses and the critical path.

Every figure is the report's own text or number; the page computes none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.cores.suspects import SUSPECTS
from lanescope.analyze.cores.verdict_section import VERDICT, shown_answers, suspicions
from lanescope.analyze.cores.waiting import core_activity
from lanescope.analyze.graph.critical_section import CRITICAL
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.path_bars import PathBars, path_bars
from lanescope.analyze.recording.losses import LOSSES, MAX_LANES, bad_lanes, losses
from lanescope.analyze.runs.rounds_section import ROUNDS
from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.breakdown_section import BREAKDOWN
from lanescope.analyze.streams.breakdown_section import shown_answers as shown_times
from lanescope.analyze.streams.idle_section import IDLE
from lanescope.analyze.streams.path_section import CRITICAL_PATH
from lanescope.analyze.tracks.slices import SLICES
from lanescope.analyze.units.program import UNITS
from lanescope.render.cells import percent_text
from lanescope.render.layout import strips
from lanescope.render.page import Section
from lanescope.trace import Trace
from lanescope.trace.lanes import Lanes
from lanescope.trace.vocabulary import vocabulary
from lanescope.viewer.lanes import ledger_lanes
from lanescope.viewer.waits import Waits, waits_of

_ASKED: dict[str, tuple[Analysis[Any], ...]] = {
    "cores": (VERDICT, SUSPECTS, CRITICAL, ROUNDS),
    "streams": (BREAKDOWN, IDLE, CRITICAL_PATH),
    "tracks": (SLICES,),
    "units": (UNITS,),
}
_TELLS: dict[str, Analysis[Any]] = {
    "cores": VERDICT,
    "streams": BREAKDOWN,
    "tracks": SLICES,
    "units": UNITS,
}
"""Which analysis is the verdict, by family."""
_WORK = {
    "compute_ns": "compute",
    "exposed_communication_ns": "communication",
    "exposed_memory_ns": "memory",
}
_NO_PATH = "There is no critical path: no task has a start and an end."
_NO_PATH_HERE = "These lanes have no critical path: nobody recorded what waited for what."
_NO_EDGES = "The trace has no task graph: the path knows the order on each core and no data."

Action = tuple[str, str]
"""What a row of a table shows when it is chosen: a sort of filter, and for what."""


@dataclass(frozen=True, slots=True, eq=False)
class PageAnswers:
    """What the page is told of a trace beside its tables."""

    waits: Waits
    path: PathBars | None
    told: dict[str, Any]
    """Keys of the trace's header; only plain numbers, text, lists and dicts."""


def page_basis(trace: Trace) -> Basis:
    """What the questions of a page share."""
    family = vocabulary(trace).family
    streams = stream_basis(trace) if family == "streams" else None
    graph, span = nodes(trace), makespan(trace)
    activity = core_activity(trace, graph, span.window) if family == "cores" else None
    return Basis(trace, graph, span, streams, activity)


def answers_of(trace: Trace, lanes: Lanes) -> PageAnswers:
    """Ask the report's questions."""
    basis = page_basis(trace)
    words = vocabulary(trace)
    asked = (*_ASKED[words.family], LOSSES)
    answers = Answers({one.name: one.answer(basis) for one in asked}, words)
    chip = answers.of(VERDICT).chip if words.family == "cores" else None
    waits, path = waits_of(basis, chip), path_bars(basis)
    told = {
        "verdict": _verdict(answers),
        "suspects": _suspects(answers, trace),
        "account": _account(answers, lanes),
        "path": _path(answers, path),
    }
    return PageAnswers(waits, path, told)


def few_answers(trace: Trace, lanes: Lanes, why: str) -> PageAnswers:
    """The losses alone, of a trace that is too large for more; `why` says so."""
    answers = Answers({LOSSES.name: losses(trace)})
    told = {"verdict": [], "suspects": [], "account": _account(answers, lanes)}
    return PageAnswers(Waits(), None, {**told, "path": {"why": why}})


def _table(section: Section, actions: Sequence[Action | None]) -> dict[str, Any]:
    """A section as text; `actions` has an entry per row."""
    columns = strips(section.columns)
    cells = zip(*(column.cells for column in columns), strict=True)
    return {
        "title": section.title,
        "lines": [*(f"{label}: {text}" for label, text in section.facts), *section.lines],
        "head": [column.title for column in columns],
        "rows": [
            {"cells": list(row), "action": action}
            for row, action in zip(cells, actions, strict=True)
        ],
        "notes": list(section.notes),
    }


def _verdict(answers: Answers) -> list[dict[str, Any]]:
    """The sections of the verdict; none where no task has times."""
    analysis = _TELLS[answers.vocabulary.family]
    sections = analysis.sections(answers.of(analysis), answers)
    return [_table(section, _actions(section, answers)) for section in sections]


def _actions(section: Section, answers: Answers) -> list[Action | None]:
    """What the rows of a section show."""
    family = answers.vocabulary.family
    if not section.columns:
        return []
    if family == "cores":
        chip = answers.of(VERDICT).chip
        assert chip is not None
        whats = shown_answers(chip)
        return [*(_of_wait(what) for what in whats), None]
    if family == "streams":
        whats = shown_times(answers.of(BREAKDOWN).devices, answers.of(IDLE).devices)
        return [*(("work", _WORK[w]) if w in _WORK else _of_wait(w) for w in whats), None]
    return [("function", str(name)) for name in section.columns[0].cells]


def _of_wait(what: str) -> Action:
    return ("running", "") if what == "running" else ("wait", what)


def _suspects(answers: Answers, trace: Trace) -> list[dict[str, Any]]:
    """A sentence per suspect, and the core or function to look at."""
    if answers.vocabulary.family != "cores":
        return []
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    told = []
    for one in suspicions(answers.of(SUSPECTS)):
        action: tuple[str, str | int] | None = None
        if one.core is not None:
            action = ("late core" if one.is_late else "slow core", one.core)
        elif one.func is not None:
            action = ("function", names.get(one.func) or f"func_{one.func}")
        told.append({"line": one.line, "action": action})
    return told


def _account(answers: Answers, lanes: Lanes) -> dict[str, Any]:
    """What was lost, by lane; a row leads to its lane."""
    lost = answers.of(LOSSES)
    (section,) = LOSSES.sections(lost, answers)
    numbers = ledger_lanes(lanes)
    known = [numbers.get(entry.lane) for entry in bad_lanes(lost)[:MAX_LANES]]
    return _table(section, [None if lane is None else ("lane", str(lane)) for lane in known])


def _path(answers: Answers, path: PathBars | None) -> dict[str, Any]:
    """What the bars of the path's lane are, and their sums as the report has them."""
    family = answers.vocabulary.family
    if path is None:
        return {"why": _NO_PATH if family in ("cores", "streams") else _NO_PATH_HERE}
    if family == "cores":
        critical = answers.of(CRITICAL)
        section = CRITICAL.sections(critical, answers)[0]
        why = "" if critical.edges else _NO_EDGES
    else:
        section = CRITICAL_PATH.sections(answers.of(CRITICAL_PATH), answers)[0]
        why = ""
    length = path.end_ns - path.start_ns
    whole = int(length.sum())
    return {
        "why": why,
        "words": [
            {"what": word.what, "label": word.label, "reason": word.reason} for word in path.words
        ],
        "causes": list(path.causes),
        "length_ns": whole,
        "waiting": f"{percent_text(int(length[~path.runs].sum()) / max(whole, 1))} waiting",
        **_table(section, [None] * len(section.columns[0].cells)),
    }
