"""Why streams were idle, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.streams.breakdown_section import streams_section
from lanescope.analyze.streams.idle import Idle, IdleTime, NamedTime, idle
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.render.cells import many_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section

_MOST_STREAMS = 6
"""Streams that have a column in the table of reasons."""
_MOST_ROWS = 8
"""Rows of the host that are named."""


def reasons_section(streams: Sequence[IdleTime], lane: str) -> Section:
    """Why each stream was idle; the streams with most idle time that has a reason come first."""
    shown = sorted(streams, key=lambda one: one.ns("nothing") - one.idle_ns)[:_MOST_STREAMS]
    used = [what for what in IDLE_LABELS if any(one.ns(what) for one in shown)]
    columns = [
        PageColumn("idle", "text", (*(IDLE_LABELS[what] for what in used), "in all"), key=True)
    ]
    for one in shown:
        times = (*(one.ns(what) for what in used), one.idle_ns)
        columns.append(PageColumn(_title(one, streams), "time", times, scale="idle"))
    notes = [f"A {lane} is idle while it runs nothing in the span of its device."]
    if len(streams) > len(shown):
        notes.append(f"{many_text(len(streams) - len(shown), f'more {lane}')} in --json.")
    return Section(
        title=f"Why {lane}s were idle",
        lines=tuple(_events(one) for one in shown if one.events),
        columns=tuple(columns),
        notes=tuple(notes),
    )


def _title(one: IdleTime, streams: Sequence[IdleTime]) -> str:
    several = [other.name for other in streams].count(one.name) > 1
    parts = [
        "" if one.rank is None or not several else f"rank {one.rank}",
        "" if one.device is None or not several else f"device {one.device}",
        one.name,
    ]
    return clean(" ".join(part for part in parts if part))


def _events(one: IdleTime) -> str:
    named = ", ".join(clean(event.name) for event in one.events[:3])
    return f"{clean(one.name)} waited for events of: {named}."


def host_section(devices: Sequence[IdleTime]) -> Section | None:
    """What the host was at while the devices had nothing to run."""
    times: dict[str, int] = {}
    for row in (row for one in devices for row in one.host_rows):
        times[row.name] = times.get(row.name, 0) + row.ns
    late = sum(one.ns("host_busy") + one.ns("host_waiting") for one in devices)
    ordered = sorted(times.items(), key=lambda pair: -pair[1])[:_MOST_ROWS]
    rows = [NamedTime(name, ns) for name, ns in ordered]
    if not rows or not late:
        return None
    return Section(
        title="What the host did while devices were idle",
        columns=(
            PageColumn("innermost row of the host", "text", tuple(r.name for r in rows), key=True),
            PageColumn("time", "time", tuple(row.ns for row in rows)),
            PageColumn("of the host's", "percent", tuple(row.ns / late for row in rows)),
        ),
    )


def _sections(answer: Idle, answers: Answers) -> list[Section]:
    lane = answers.vocabulary.lane
    streams = answers["breakdown"].streams
    sections = [streams_section(streams, lane)] if streams else []
    if any(one.idle_ns for one in answer.streams):
        sections.append(reasons_section(answer.streams, lane))
    host = host_section(answer.devices)
    return sections if host is None else [*sections, host]


def _answer(basis: Basis) -> Idle:
    return idle(basis.of_streams())


_KEYS = (
    "[core, name, rank, device, window_ns, idle_ns, reasons [what, label, ns, share], "
    "events [name, ns], host_rows [name, ns]]"
)
IDLE = Analysis(
    name="idle",
    question="Why were streams and devices idle?",
    answer=_answer,
    sections=_sections,
    families=frozenset({"streams"}),
    place=210,
    keys=f"devices and streams, each {_KEYS}; early",
)
