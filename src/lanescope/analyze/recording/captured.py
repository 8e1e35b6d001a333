"""What was captured: the level, and the number of records of every kind in the trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds, used_cores
from lanescope.analyze.columns.groups import distinct, distinct_pairs, group_by
from lanescope.analyze.graph.nodes import Nodes
from lanescope.analyze.recording.losses import verdict_sentence
from lanescope.analyze.recording.whose import Whose
from lanescope.render.cells import count_text, many_text, more_text, time_text
from lanescope.render.names import clean, clean_end
from lanescope.render.page import Section
from lanescope.results import Result
from lanescope.trace.flags import LEVEL_DOCS, Feature
from lanescope.trace.meta import Source
from lanescope.trace.schema import MISSING, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import CORES, Vocabulary

_PATH_LIMIT = 60
_MAX_SOURCES = 8
_BRIEF_NOTES = 2
_BRIEF_NOTE = 180
"""Notes of the trace on the short page, and the characters of one."""
_LEVEL_FEATURE = "chip_swimlane_"


@dataclass(frozen=True, slots=True)
class Tally(Result):
    """Number of records of one kind."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class CoreTally(Result):
    """Number of cores of one kind."""

    kind: str
    cores: int
    used: int
    """Cores of them that ran a task."""


@dataclass(frozen=True, slots=True)
class Capture(Result):
    """What a trace says about its recording, and how many records of every kind it has."""

    name: str
    origin: str
    """How it was made: measured, simulated, predicted or imported."""
    tool: str
    """The program that wrote it."""
    chip: str
    clock_hz: int | None
    """Rate of the device's counter."""
    base_cycles: int | None
    """The device's counter at 0 ns."""
    level: int
    """Level of the recording, 0 to 4."""
    level_doc: str
    """What the level records."""
    features: tuple[str, ...]
    """Everything that was recorded, in words."""
    sources: tuple[Source, ...]
    """Files that it was made from."""
    cores: tuple[CoreTally, ...]
    """Cores by kind."""
    runs: int
    """Task rows that ran: they have both start and end."""
    tasks: int | None
    """Different task ids among the runs; the runs of one SPMD or MIX task share an id. None where
    they were not counted, because the trace is too large."""
    nodes: tuple[Tally, ...]
    """Nodes of the task graph that never ran on a core, by kind."""
    mix_tasks: int
    """Different tasks that run on cores of several kinds."""
    spmd_tasks: int
    """Different tasks of several blocks."""
    phases: tuple[Tally, ...]
    """Phase rows by lane."""
    edges: int
    """Edge rows."""
    edge_pairs: int | None
    """Different pairs (pred, succ) among them; None where they were not counted."""
    marks: int
    counters: int
    """Values of counters."""
    notes: tuple[str, ...]
    """What a reader must know before trusting a figure, a sentence each."""
    whose: Whose
    """Rank, host, process, device, run, step, and when it began."""

    @property
    def core_count(self) -> int:
        """Number of cores."""
        return sum(tally.cores for tally in self.cores)

    @property
    def used_core_count(self) -> int:
        """Number of cores that ran a task."""
        return sum(tally.used for tally in self.cores)

    def __repr__(self) -> str:
        cores = f"{self.used_core_count} of {many_text(self.core_count, 'core')}"
        runs = many_text(self.runs, "run")
        return f"<Capture {clean(self.name)!r}: level {self.level}, {runs} on {cores}>"


def capture(trace: Trace, graph: Nodes | None = None) -> Capture:
    """What was captured; `graph` saves time where the caller has it already."""
    meta, tasks, edges = trace.meta, trace.tasks, trace.edges
    return Capture(
        name=meta.name,
        origin=meta.origin,
        tool=meta.tool,
        chip=meta.chip,
        clock_hz=meta.clock_hz,
        base_cycles=meta.base_cycles,
        level=meta.level,
        level_doc=_level_doc(meta.level),
        features=tuple(f.name.lower() for f in Feature if f & meta.flags and f.name),
        sources=meta.sources,
        cores=_cores(trace),
        runs=int(np.count_nonzero(trace.ran())),
        tasks=_distinct_tasks(trace, trace.ran()),
        nodes=tuple(tally for tally in _tallies(trace, "tasks", "kind") if tally.kind != "run"),
        mix_tasks=_distinct_tasks(trace, tasks["flags"] & TaskFlag.MIX != 0),
        spmd_tasks=_distinct_tasks(trace, tasks["blocks"] > 1),
        phases=_tallies(trace, "phases", "lane"),
        edges=len(edges),
        edge_pairs=distinct_pairs(edges["pred"], edges["succ"]) if graph is None else graph.pairs,
        marks=len(trace.marks),
        counters=len(trace.counters),
        notes=meta.notes,
        whose=Whose.of(meta),
    )


def _distinct_tasks(trace: Trace, rows: Array) -> int:
    """Number of different task ids in the rows of a mask."""
    ids = trace.tasks["task"][rows]
    return distinct(ids[ids != MISSING])


def _level_doc(level: int) -> str:
    return LEVEL_DOCS[level] if 0 <= level < len(LEVEL_DOCS) else "not a level lanescope knows"


def _cores(trace: Trace) -> tuple[CoreTally, ...]:
    kinds = core_kinds(trace)
    used = set(used_cores(trace))
    tallies = []
    for kind in dict.fromkeys(kinds.values()):
        members = {core for core, own in kinds.items() if own == kind}
        tallies.append(CoreTally(kind, len(members), len(members & used)))
    return tuple(tallies)


def _tallies(trace: Trace, table: str, column: str) -> tuple[Tally, ...]:
    """Rows of a table by the word in a column."""
    groups = group_by(trace.table(table)[column])
    words = [trace.word(code) or UNKNOWN for code in groups.keys.tolist()]
    return tuple(Tally(word, n) for word, n in zip(words, groups.counts(), strict=True))


def capture_section(capture: Capture, words: Vocabulary = CORES, ran: str = "") -> Section:
    """The capture as labelled facts; empty ones are left out.

    The level is left out where the lanes are not cores: the source knows no levels. `ran` says
    what ran there, in words.
    """
    of_cores = words.family == "cores"
    facts = [
        ("name", clean(capture.name)),
        ("origin", f"{clean(capture.origin)}, written by {clean(capture.tool)}"),
        ("chip", _chip(capture)),
        *capture.whose.facts(),
        ("level", f"{capture.level}: {capture.level_doc}" if of_cores else ""),
        ("also recorded", ", ".join(_extra_features(capture.features))),
        *(("source", _source(source)) for source in capture.sources[:_MAX_SOURCES]),
        ("", more_text(len(capture.sources) - _MAX_SOURCES, "source")),
        (f"{words.lane}s", _cores_text(capture, of_cores)),
        ("tasks", _tasks_text(capture)) if of_cores else ("ran", ran),
        ("not on a core", _tallies_text(capture.nodes)),
        ("phases", _tallies_text(capture.phases)) if of_cores else ("host rows", _rows(capture)),
        ("edges", _edges(capture)),
        ("marks", count_text(capture.marks) if capture.marks else ""),
        ("counter values", count_text(capture.counters) if capture.counters else ""),
    ]
    return Section(title="Capture", facts=tuple(fact for fact in facts if fact[1]))


def headline(capture: Capture, words: Vocabulary, ran: str, length_ns: int | None) -> str:
    """What ran where and how long, in one line: the title of the short page."""
    on = f" on {clean(capture.chip)}" if capture.chip else ""
    what = ran
    if words.family == "cores":
        kinds = ", ".join(f"{one.cores:,} {clean(one.kind)}" for one in capture.cores)
        kinds = f" ({kinds})" if len(capture.cores) > 1 else ""
        what = (
            f"{many_text(capture.runs, 'task')} on {many_text(capture.core_count, 'core')}{kinds}"
        )
    time = "" if length_ns is None else f" in {time_text(length_ns)}"
    level = f", level {capture.level}" if words.family == "cores" else ""
    return f"{clean(capture.name)}{on} ({clean(capture.origin)}): {what}{time}{level}"


def notes_section(notes: tuple[str, ...]) -> Section:
    """The notes of the trace, a line each."""
    return Section(title="Notes", lines=notes)


def _chip(capture: Capture) -> str:
    clock = "" if capture.clock_hz is None else f"clock {_megahertz(capture.clock_hz)}"
    return ", ".join(part for part in (clean(capture.chip), clock) if part)


def _megahertz(hz: int) -> str:
    return f"{hz / 1e6:,.6f}".rstrip("0").rstrip(".") + " MHz"


def _extra_features(features: tuple[str, ...]) -> list[str]:
    """Features that the level does not already name."""
    return [name for name in features if not name.startswith(_LEVEL_FEATURE)]


def _source(source: Source) -> str:
    path = clean_end(source.path, _PATH_LIMIT)
    return f"{path} ({clean(source.format)}, {many_text(source.bytes, 'byte')})"


def _cores_text(capture: Capture, with_kinds: bool) -> str:
    if not capture.cores:
        return ""
    some = f"{capture.used_core_count:,} of {capture.core_count:,} ran something"
    if not with_kinds:
        return some
    kinds = ", ".join(f"{clean(c.kind)} {c.used:,} of {c.cores:,}" for c in capture.cores)
    return f"{some} ({kinds})"


def _tasks_text(capture: Capture) -> str:
    if not capture.runs:
        return "none ran"
    parts = [many_text(capture.runs, "run")]
    if capture.tasks is not None:
        parts[0] += f" of {many_text(capture.tasks, 'task')}"
    if capture.mix_tasks:
        parts.append(f"{count_text(capture.mix_tasks)} MIX")
    if capture.spmd_tasks:
        parts.append(f"{count_text(capture.spmd_tasks)} SPMD")
    return ", ".join(parts)


def _edges(capture: Capture) -> str:
    if not capture.edges:
        return ""
    rows = many_text(capture.edges, "row")
    if capture.edge_pairs is None:
        return rows
    return f"{many_text(capture.edge_pairs, 'pair')} in {rows}"


def _tallies_text(tallies: tuple[Tally, ...]) -> str:
    return ", ".join(f"{clean(tally.kind)} {count_text(tally.count)}" for tally in tallies)


def _rows(capture: Capture) -> str:
    rows = sum(tally.count for tally in capture.phases)
    return count_text(rows) if rows else ""


def _sections(capture: Capture, answers: Answers) -> list[Section]:
    return [capture_section(capture, answers.vocabulary, answers.ran)]


def _closing(capture: Capture, answers: Answers) -> list[Section]:
    return [notes_section(capture.notes)] if capture.notes else []


def _brief(capture: Capture, answers: Answers) -> list[Section]:
    window = answers.makespan.window
    length_ns = None if window is None else window.length_ns
    lines = [clean(note, _BRIEF_NOTE) for note in capture.notes[:_BRIEF_NOTES]]
    hidden = len(capture.notes) - len(lines)
    lost = [verdict_sentence(answers.losses)] if answers.losses.nothing_lost else []
    lost += _elsewhere(answers)
    return [
        Section(
            title=headline(capture, answers.vocabulary, answers.ran, length_ns),
            lines=(*lost, *lines, *([more_text(hidden, "note")] if hidden else [])),
        )
    ]


def _elsewhere(answers: Answers) -> list[str]:
    """Where the rest is that somebody asked to record."""
    known = dir(answers)
    also = []
    if "counters" in known and answers.counters.rows:
        also.append("hardware counters (--section counters)")
    if "inside" in known and answers.capture.marks:
        also.append("what happened inside tasks (--section inside)")
    return [f"Also recorded: {', '.join(also)}."] if also else []


def _answer(basis: Basis) -> Capture:
    return capture(basis.trace, basis.graph)


CAPTURE = Analysis(
    name="capture",
    question="What was captured, at which level, and how much of everything?",
    answer=_answer,
    sections=_sections,
    brief=_brief,
    closing=_closing,
    place=20,
    keys="name, origin, tool, chip, clock_hz, base_cycles, level, level_doc, features, "
    "sources [path, format, bytes], cores [kind, cores, used], runs, tasks, nodes [kind, count], "
    "mix_tasks, spmd_tasks, phases [kind, count], edges, edge_pairs, marks, counters, notes, "
    "whose [rank, world, host, process, device, run, step, epoch_ns, epoch_clock, epoch_error_ns]",
)
