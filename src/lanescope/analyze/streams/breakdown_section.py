"""The first screen of a trace of streams: where the time of the devices went, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.streams.breakdown import Breakdown, DeviceTime, StreamTime, breakdown
from lanescope.analyze.streams.idle import Idle, IdleTime
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.render.cells import many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import Cell, PageColumn, Section

_WORTH_NAMING = 0.01
"""Least share of a reason that the paragraph names."""
_NAMED = 3
_MOST_DEVICES = 8
_MOST_STREAMS = 20
_WORTH_A_ROW = 0.01
"""Least share of a row in the short table."""
_BRIEF_DEVICES = 4
"""Devices on the short page."""
_WORK = {
    "compute": "compute_ns",
    "communication that nothing hides": "exposed_communication_ns",
    "copies and fills that nothing hides": "exposed_memory_ns",
}
"""Words for the work of a device, and its field."""


def verdict_section(devices: Sequence[DeviceTime], idle: Sequence[IdleTime]) -> Section:
    """One paragraph, and the table that tiles devices x span."""
    sentences = [
        _busy(devices),
        _reasons(devices, idle),
        _host(idle),
        _overlap(devices),
        _least(devices),
    ]
    return Section(
        title="Verdict",
        lines=(" ".join(sentence for sentence in sentences if sentence),),
        columns=_columns(devices, idle),
        notes=("Shares of the span of a device; every column adds up to 100 %.",),
    )


def _total(devices: Sequence[DeviceTime]) -> int:
    return sum(device.span_ns for device in devices)


def _share(ns: int, devices: Sequence[DeviceTime]) -> float:
    total = _total(devices)
    return ns / total if total else 0.0


def _busy(devices: Sequence[DeviceTime]) -> str:
    ns = sum(device.busy_ns for device in devices)
    name = devices[0].label[0].upper() + devices[0].label[1:]
    who = f"{name} was" if len(devices) == 1 else f"The {len(devices)} devices were"
    work = [
        f"{words} {percent_text(_share(part, devices))}"
        for words, field in _WORK.items()
        if (part := sum(getattr(device, field) for device in devices))
    ]
    longest = time_text(max(device.span_ns for device in devices))
    parts = f": {', '.join(work)}" if work else ""
    return f"{who} busy {percent_text(_share(ns, devices))} of {longest}{parts}."


def _by_reason(idle: Sequence[IdleTime]) -> dict[str, int]:
    return {what: sum(one.ns(what) for one in idle) for what in IDLE_LABELS}


def _reasons(devices: Sequence[DeviceTime], idle: Sequence[IdleTime]) -> str:
    known = sorted(_by_reason(idle).items(), key=lambda pair: -pair[1])
    named = [
        f"{IDLE_LABELS[what]} {percent_text(_share(ns, devices))}"
        for what, ns in known[:_NAMED]
        if _share(ns, devices) >= _WORTH_NAMING
    ]
    return f"The rest, idle: {', '.join(named)}." if named else ""


def _host(idle: Sequence[IdleTime]) -> str:
    """The rows of the host that kept the devices waiting longest."""
    times: dict[str, int] = {}
    for one in idle:
        for row in one.host_rows:
            times[row.name] = times.get(row.name, 0) + row.ns
    late = sum(one.ns("host_busy") + one.ns("host_waiting") for one in idle)
    longest = sorted(times.items(), key=lambda pair: -pair[1])[:_NAMED]
    if not late or not longest:
        return ""
    named = ", ".join(f"{clean(name)} {percent_text(ns / late)}" for name, ns in longest)
    return f"Of {time_text(late)} in which the host was late it was longest in: {named}."


def _overlap(devices: Sequence[DeviceTime]) -> str:
    whole = sum(device.communication_ns for device in devices)
    if not whole:
        return ""
    hidden = percent_text(sum(device.overlap_ns for device in devices) / whole)
    return f"Compute hides {hidden} of {time_text(whole)} of communication."


def _least(devices: Sequence[DeviceTime]) -> str:
    if len(devices) < 2:
        return ""
    worst = min(devices, key=lambda device: device.share(device.busy_ns) or 0.0)
    busy = percent_text(worst.share(worst.busy_ns))
    return f"The least busy is {worst.label} with {busy}."


def _brief_columns(
    devices: Sequence[DeviceTime], idle: Sequence[IdleTime]
) -> tuple[PageColumn, ...]:
    """The table without times; rows below _WORTH_A_ROW are added up."""
    table, whole = _columns(devices, idle), max(_total(devices), 1)
    shares = [_number(cell) / whole for cell in table[1].cells[:-1]]
    kept = [row for row, share in enumerate(shares) if share >= _WORTH_A_ROW]
    rest = [row for row, share in enumerate(shares) if share < _WORTH_A_ROW]
    columns = []
    for column in (table[0], *table[2 : 2 + _BRIEF_DEVICES]):
        cells = [column.cells[row] for row in kept]
        if rest and column.key:
            cells.append("everything else")
        elif rest:
            cells.append(sum(_number(column.cells[row]) for row in rest))
        columns.append(replace(column, cells=tuple(cells)))
    return tuple(columns)


def _number(cell: Cell) -> float:
    return cell if isinstance(cell, int | float) else 0.0


def shown_answers(devices: Sequence[DeviceTime], idle: Sequence[IdleTime]) -> list[str]:
    """What the rows of the table are about, in its order: fields of the work, then reasons.

    "in all" comes behind them.
    """
    work = [field for field in _WORK.values() if any(getattr(one, field) for one in devices)]
    return work + [what for what in IDLE_LABELS if any(one.ns(what) for one in idle)]


def _columns(devices: Sequence[DeviceTime], idle: Sequence[IdleTime]) -> tuple[PageColumn, ...]:
    work = {words: [getattr(device, field) for device in devices] for words, field in _WORK.items()}
    rest = {f"idle: {label}": [one.ns(what) for one in idle] for what, label in IDLE_LABELS.items()}
    rows = {label: ns for label, ns in (work | rest).items() if any(ns)}
    rows["in all"] = [device.span_ns for device in devices]
    columns = [
        PageColumn("device time", "text", tuple(rows), key=True),
        PageColumn("time", "time", tuple(sum(ns) for ns in rows.values())),
    ]
    for place, device in enumerate(devices[:_MOST_DEVICES]):
        shares = tuple(device.share(ns[place]) for ns in rows.values())
        columns.append(PageColumn(device.label, "percent", shares))
    return tuple(columns)


def streams_section(streams: Sequence[StreamTime], lane: str) -> Section:
    """A table with one row per stream, the busiest first."""
    shown = sorted(streams, key=lambda stream: -stream.busy_ns)[:_MOST_STREAMS]
    notes = ["Idle is between the first start and the last end on the row's own lane."]
    if len(streams) > len(shown):
        notes.append(f"{many_text(len(streams) - len(shown), f'more {lane}')} in --json.")
    overlaps = tuple(stream.overlapping or None for stream in shown)
    return Section(
        title=f"{lane[0].upper()}{lane[1:]}s",
        columns=(
            PageColumn(lane, "text", tuple(stream.name for stream in shown), key=True),
            PageColumn("device", "count", tuple(stream.device for stream in shown)),
            PageColumn("rank", "count", tuple(stream.rank for stream in shown)),
            PageColumn("kernels", "count", tuple(stream.kernels for stream in shown)),
            PageColumn(
                "copies, fills", "count", tuple(stream.rows - stream.kernels for stream in shown)
            ),
            PageColumn("busy", "time", tuple(stream.busy_ns for stream in shown), scale="stream"),
            PageColumn("span", "time", tuple(stream.span_ns for stream in shown), scale="stream"),
            PageColumn("idle", "time", tuple(stream.idle_ns for stream in shown), scale="stream"),
            PageColumn("overlapping", "count", overlaps),
        ),
        notes=tuple(notes),
    )


def _sections(answer: Breakdown, answers: Answers) -> list[Section]:
    if not answer.devices:
        return []
    idle: Idle = answers["idle"]
    return [verdict_section(answer.devices, idle.devices)]


def _brief(answer: Breakdown, answers: Answers) -> list[Section]:
    if not answer.devices:
        return []
    idle: Idle = answers["idle"]
    whole = verdict_section(answer.devices, idle.devices)
    return [replace(whole, columns=_brief_columns(answer.devices, idle.devices), notes=())]


def _answer(basis: Basis) -> Breakdown:
    return breakdown(basis.of_streams().work)


BREAKDOWN = Analysis(
    name="breakdown",
    question="Where did the time of the devices go: compute, communication, copies or nothing?",
    answer=_answer,
    sections=_sections,
    brief=_brief,
    families=frozenset({"streams"}),
    place=11,
    keys="devices [rank, device, streams, span_ns, compute_ns, exposed_communication_ns, "
    "exposed_memory_ns, idle_ns, communication_ns, overlap_ns], streams [core, name, rank, device, "
    "rows, kernels, sum_ns, busy_ns, span_ns, idle_ns, gaps, overlapping]",
)
