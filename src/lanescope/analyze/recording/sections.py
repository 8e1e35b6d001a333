"""The sections that say what was captured, what was lost, and how long the run took."""

from __future__ import annotations

from collections.abc import Iterable

from lanescope.analyze.cores.makespan import Makespan, Span
from lanescope.analyze.recording.captured import Capture
from lanescope.analyze.recording.losses import Losses
from lanescope.render.cells import clean, clean_end, count_text, time_text
from lanescope.render.page import Column, Section
from lanescope.trace.meta import LedgerEntry, Source

_PATH_LIMIT = 60
_MAX_SOURCES = 8
_MAX_LANES = 20
_LEVEL_FEATURE = "chip_swimlane_"


def warning_section(losses: Losses) -> Section:
    """What to know before reading any figure below."""
    lines = []
    if losses.lossy:
        dropped = sum(entry.dropped for entry in losses.lossy)
        unmatched = sum(entry.unmatched for entry in losses.lossy)
        total = sum(account.total for account in losses.kinds)
        lines.append(
            f"Records were lost: {count_text(dropped)} dropped and {count_text(unmatched)} "
            f"unmatched of {count_text(total)}, in {_many(len(losses.lossy), 'lane')}. "
            "The figures below are incomplete."
        )
    if losses.broken:
        lines.append(
            f"The ledger does not close in {_many(len(losses.broken), 'lane')}: "
            "records are missing without a trace."
        )
    return Section(title="Warning", lines=tuple(lines), is_warning=True)


def capture_section(capture: Capture) -> Section:
    facts = [
        ("name", clean(capture.name)),
        ("origin", f"{clean(capture.origin)}, written by {clean(capture.tool)}"),
        ("chip", _chip(capture)),
        ("level", f"{capture.level}: {capture.level_doc}"),
        ("also recorded", ", ".join(_extra_features(capture.features))),
        *(("source", _source(source)) for source in capture.sources[:_MAX_SOURCES]),
        ("", _more(len(capture.sources) - _MAX_SOURCES, "source")),
        ("cores", _cores(capture)),
        ("tasks", _tasks(capture)),
        ("not on a core", _tallies((n.kind, n.count) for n in capture.nodes)),
        ("phases", _tallies((p.kind, p.count) for p in capture.phases)),
        ("edges", _edges(capture)),
        ("marks", count_text(capture.marks) if capture.marks else ""),
        ("counter values", count_text(capture.counters) if capture.counters else ""),
    ]
    return Section(title="Capture", facts=tuple(fact for fact in facts if fact[1]))


def losses_section(losses: Losses) -> Section:
    return Section(
        title="Losses",
        lines=tuple(line for line in (_verdict(losses), _stalls(losses)) if line),
        columns=_lanes(_bad_lanes(losses)[:_MAX_LANES]),
        notes=_notes(_more(len(_bad_lanes(losses)) - _MAX_LANES, "lane")),
    )


def makespan_section(makespan: Makespan, clock: tuple[int | None, int | None]) -> Section:
    """`clock` is the device's clock_hz and the cycle count at 0 ns."""
    facts = (
        ("makespan", _span(makespan.makespan, "earliest dispatch to latest finish")),
        ("observed", _span(makespan.observed, "earliest receive or start to latest end")),
        ("time range", _span(makespan.time_range, "first start to last end")),
        ("base", _base(*clock)),
    )
    kinds = makespan.kinds
    columns = (
        Column("cores", "text", tuple(kind.kind for kind in kinds), key=True),
        Column("number", "count", tuple(kind.cores for kind in kinds)),
        Column("used", "count", tuple(kind.used for kind in kinds)),
        Column("tasks", "count", tuple(kind.tasks for kind in kinds)),
        Column("busy", "time", tuple(kind.busy_ns for kind in kinds)),
        Column("utilisation", "percent", tuple(kind.utilisation for kind in kinds)),
    )
    timed = makespan.window is not None
    return Section(
        title="Time",
        facts=tuple(fact for fact in facts if fact[1]),
        lines=() if timed else ("No task has times.",),
        columns=columns if kinds and timed else (),
    )


def notes_section(notes: tuple[str, ...]) -> Section:
    return Section(title="Notes", lines=notes)


def _verdict(losses: Losses) -> str:
    if not losses.has_ledger:
        return "Not known: the trace has no ledger."
    if losses.something_lost:
        return ""
    total = sum(account.total for account in losses.kinds)
    return f"Nothing lost: all {_many(total, 'record')} delivered."


def _stalls(losses: Losses) -> str:
    if not losses.stalls:
        return ""
    return (
        f"Recording made producers wait {_many(losses.stalls, 'time')}, "
        f"{time_text(losses.stall_ns)} in all; "
        f"{_many(losses.stall_dropped, 'record')} given up after waiting."
    )


def _bad_lanes(losses: Losses) -> list[LedgerEntry]:
    return [*losses.lossy, *(entry for entry in losses.broken if entry not in losses.lossy)]


def _lanes(entries: list[LedgerEntry]) -> tuple[Column, ...]:
    if not entries:
        return ()
    missing = [e.total - e.delivered - e.dropped - e.unmatched for e in entries]
    return (
        Column("lane", "text", tuple(entry.lane for entry in entries), key=True),
        Column("records", "text", tuple(entry.kind for entry in entries), key=True),
        Column("total", "count", tuple(entry.total for entry in entries)),
        Column("delivered", "count", tuple(entry.delivered for entry in entries)),
        Column("dropped", "count", tuple(entry.dropped for entry in entries)),
        Column("unmatched", "count", tuple(entry.unmatched for entry in entries)),
        Column("unaccounted", "count", tuple(missing)),
        Column("reason", "text", tuple(entry.reason or None for entry in entries)),
    )


def _chip(capture: Capture) -> str:
    clock = "" if capture.clock_hz is None else f"clock {_megahertz(capture.clock_hz)}"
    return ", ".join(part for part in (clean(capture.chip), clock) if part)


def _megahertz(hz: int) -> str:
    return f"{hz / 1e6:,.6f}".rstrip("0").rstrip(".") + " MHz"


def _base(clock_hz: int | None, base_cycles: int | None) -> str:
    if clock_hz is None or base_cycles is None:
        return ""
    return f"0 ns is cycle {count_text(base_cycles)}"


def _extra_features(features: tuple[str, ...]) -> list[str]:
    """Features that the level does not already name."""
    return [name for name in features if not name.startswith(_LEVEL_FEATURE)]


def _source(source: Source) -> str:
    path = clean_end(source.path, _PATH_LIMIT)
    return f"{path} ({clean(source.format)}, {_many(source.bytes, 'byte')})"


def _cores(capture: Capture) -> str:
    if not capture.cores:
        return ""
    kinds = ", ".join(f"{clean(c.kind)} {c.used:,} of {c.cores:,}" for c in capture.cores)
    return f"{capture.used_core_count:,} of {capture.core_count:,} ran something ({kinds})"


def _tasks(capture: Capture) -> str:
    if not capture.runs:
        return "none ran"
    parts = [f"{_many(capture.runs, 'run')} of {_many(capture.tasks, 'task')}"]
    if capture.mix_tasks:
        parts.append(f"{count_text(capture.mix_tasks)} MIX")
    if capture.spmd_tasks:
        parts.append(f"{count_text(capture.spmd_tasks)} SPMD")
    return ", ".join(parts)


def _edges(capture: Capture) -> str:
    if not capture.edges:
        return ""
    return f"{_many(capture.edge_pairs, 'pair')} in {_many(capture.edges, 'row')}"


def _tallies(tallies: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{clean(kind)} {count_text(count)}" for kind, count in tallies)


def _span(span: Span | None, what: str) -> str:
    if span is None:
        return ""
    edges = f"{time_text(span.start_ns)} to {time_text(span.end_ns)}"
    return f"{time_text(span.length_ns)}, {what} ({edges})"


def _many(number: int, thing: str) -> str:
    return f"{count_text(number)} {thing}{'' if number == 1 else 's'}"


def _more(number: int, thing: str) -> str:
    return f"and {_many(number, f'more {thing}')}" if number > 0 else ""


def _notes(*notes: str) -> tuple[str, ...]:
    return tuple(note for note in notes if note)
