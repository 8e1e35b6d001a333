"""One prediction as sections of a page: figures, memory, waits and every table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lanescope.model.cost.source import OpcodeTiming
from lanescope.model.cost.table import outside_domain
from lanescope.model.schedule.detail import Detail, detail, peer_cycles
from lanescope.model.schedule.interval import interval_facts, interval_sections
from lanescope.model.schedule.overlap import MOST_INSTRUCTIONS, WAITS
from lanescope.model.schedule.prediction import Prediction
from lanescope.render.cells import many_text, percent_text
from lanescope.render.page import PageColumn, Section

_PROBLEMS = 8
_BRIEF_WAITS = 3
"""Reasons for waits on the short page."""


def prediction_page(prediction: Prediction, top: int) -> list[Section]:
    """The report of one prediction; a table has at most `top` rows."""
    tables = detail(prediction, top)
    page = [
        _summary(prediction),
        _figures(prediction),
        *interval_sections(prediction),
        _memory(prediction),
        *memory_sections([prediction]),
        *_waits(prediction),
        _opcodes(tables, prediction, top),
        _shares("By category", tables.categories, total=prediction.serial, top=top),
    ]
    if tables.regions:
        page.append(_shares("By region", tables.regions, total=prediction.serial, top=top))
    page.append(
        _shares("By section, from the comments", tables.sections, total=prediction.serial, top=top)
    )
    if tables.loops:
        page.append(_loops(tables, prediction, top))
    page.append(_lines(tables, prediction))
    if prediction.unknown.problems:
        page.insert(0, _unknown(prediction))
    return page


def short_page(prediction: Prediction, top: int) -> list[Section]:
    """What fits one screen: the machine, the figures, what was waited for, where the cycles go."""
    tables = detail(prediction, top)
    charged = prediction.memory is not None and prediction.memory.charged is not None
    return [
        *([_unknown(prediction)] if prediction.unknown.problems else []),
        _brief_summary(prediction),
        _figures(prediction),
        *interval_sections(prediction),
        *(memory_sections([prediction]) if charged else []),
        *(replace(waits, lines=waits.lines[:_BRIEF_WAITS]) for waits in _waits(prediction)),
        _opcodes(tables, prediction, top),
        _lines(tables, prediction),
    ]


def _brief_summary(prediction: Prediction) -> Section:
    """Sizes, clock and costs in three lines; the full page has every source."""
    core, source = prediction.core, prediction.table.source
    sizes = ", ".join(f"{n} {core.names[n]}" for n in ("MLEN", "VLEN", "BLEN", "HLEN"))
    clock = f"{core.clock_hz / 1e6:g} MHz" if core.clock_hz else "no clock"
    return Section(
        title=f"{prediction.name} on {prediction.board_name or 'no board'}",
        facts=(
            ("program", _program(prediction)),
            *interval_facts(prediction),
            ("core", f"{sizes}; {clock}, {core.origin}"),
            ("costs", f"{source.name}: {source.summary}"),
            *([("why these", prediction.chosen)] if prediction.chosen else []),
            *_outside(prediction),
        ),
    )


def _unknown(prediction: Prediction) -> Section:
    unknown = prediction.unknown
    shown = [f"line {p.line}, column {p.column}: {p.text}" for p in unknown.problems[:_PROBLEMS]]
    if len(unknown.problems) > _PROBLEMS:
        shown.append(f"and {len(unknown.problems) - _PROBLEMS} more")
    return Section(
        title="Not in the totals",
        lines=(
            f"{many_text(unknown.lines, 'line')}, {many_text(unknown.instructions, 'instruction')} "
            f"if every loop count holds, beside {prediction.instructions:,} that are counted",
            *shown,
        ),
        is_warning=True,
    )


def _summary(prediction: Prediction) -> Section:
    core, source, isa = prediction.core, prediction.table.source, prediction.program.isa
    names = core.names
    board = core.board
    clock = f"{core.clock_hz / 1e6:g} MHz" if core.clock_hz else "no clock"
    return Section(
        title=f"{prediction.name} on {prediction.board_name or 'no board'}",
        facts=(
            ("program", _program(prediction)),
            *([("ISA", isa.file.summary)] if isa.file.extends else []),
            *interval_facts(prediction),
            ("core", ", ".join(f"{n} {names[n]}" for n in ("MLEN", "VLEN", "BLEN", "HLEN"))),
            ("machine", f"{clock}, {core.origin}"),
            ("costs", f"{source.name}: {source.summary} ({source.source})"),
            *([("why these", prediction.chosen)] if prediction.chosen else []),
            *_outside(prediction),
            *(("board", note) for note in (board.notes if board else ())),
        ),
    )


def _outside(prediction: Prediction) -> list[tuple[str, str]]:
    sizes = outside_domain(prediction.table.source, prediction.core)
    return [("outside", f"no measurement, only the formula: {', '.join(sizes)}")] if sizes else []


def _program(prediction: Prediction) -> str:
    program = prediction.program
    lines = int((program.opcode != -1).sum())
    text = f"{program.source_lines:,} lines, {lines:,} with an instruction, "
    return text + f"{len(program.loops):,} loops, {prediction.instructions:,} instructions run"


def _figures(prediction: Prediction) -> Section:
    done = prediction.overlapped
    unit, busy = max(prediction.busy.items(), key=lambda item: item[1])
    rows: list[tuple[str, int, str]] = [
        ("serial sum", prediction.serial, "one instruction after the other"),
        (f"busiest unit: {unit}", busy, "no overlap can be faster"),
    ]
    if done is not None:
        rows[1:1] = [("overlapped", done.cycles, _schedule_text(prediction))]
        rows[2:2] = [("critical path", done.critical_path, "the longest chain of results")]
    bound = prediction.bound_by()
    figure = "overlapped" if done else "serial"
    lines = [f"bound by {bound.name} ({percent_text(bound.share)} of the {figure})"]
    if prediction.instructions > MOST_INSTRUCTIONS:
        lines.append(f"not scheduled: more than {MOST_INSTRUCTIONS:,} instructions")
    peers = peer_cycles(prediction)
    if peers:
        said = ", ".join(f"{cycles:,} ({name})" for name, cycles in peers.items())
        lines.append(f"the published profiler's serial sum: {said}")
    return Section(
        title="Figures",
        columns=(
            PageColumn("figure", "text", tuple(row[0] for row in rows), key=True),
            PageColumn("cycles", "count", tuple(row[1] for row in rows)),
            PageColumn(
                "time", "time", tuple(prediction.time_ns(row[1]) for row in rows), scale="t"
            ),
            PageColumn("what it is", "text", tuple(row[2] for row in rows)),
        ),
        notes=tuple(lines),
    )


def _schedule_text(prediction: Prediction) -> str:
    outstanding, buffers = prediction.transfers
    return f"in order, {outstanding} transfers, {buffers} buffer{'s' if buffers > 1 else ''}"


def _memory(prediction: Prediction) -> Section:
    traffic, core = prediction.traffic, prediction.core
    facts = [
        (
            "bytes moved",
            f"{traffic.traffic_bytes:,} on the bus, {traffic.useful_bytes:,} of them asked for",
        )
    ]
    if core.bandwidth is not None:
        text = f"{core.bandwidth.value / 1e9:g} GB/s ({core.bandwidth_kind}, "
        text += f"{core.bandwidth.basis}: {core.bandwidth.source})"
        facts.append(("bandwidth", text))
    facts += _used(prediction)
    facts.append(("arithmetic", f"{traffic.flop:,} operations"))
    roofline = prediction.roofline()
    if roofline is not None:
        facts.append(
            (
                "roofline",
                f"{roofline.intensity:.3g} operations/byte, ridge at {roofline.ridge:.3g}: "
                f"on the {roofline.side} side; {roofline.reached_flop_per_s / 1e9:,.1f} of at most "
                f"{roofline.attainable_flop_per_s / 1e9:,.1f} G operations/s",
            )
        )
    return Section(title="Memory and arithmetic", facts=tuple(facts))


def _used(prediction: Prediction) -> list[tuple[str, str]]:
    """Bytes/s of the program, and their share of what its transfers get."""
    elapsed_ps, rate = prediction.elapsed_ps, prediction.bandwidth()
    if not elapsed_ps:
        return []
    used = prediction.traffic.traffic_bytes / elapsed_ps * 1e12
    if rate is None:
        name, board = prediction.table.source.name, prediction.core.bandwidth
        text = f"{used / 1e9:.4g} GB/s; the costs of {name} take no notice of bytes"
        if board is not None and used > board.value:
            text += f", so this is more than the board's {board.value / 1e9:g} GB/s: they are too "
            text += "low for these sizes"
        return [("used", text)]
    return [("used", f"{used / 1e9:.4g} GB/s, {percent_text(used / rate)} of what transfers get")]


def memory_sections(predictions: Sequence[Prediction]) -> list[Section]:
    """One section per prediction: what its memory did."""
    sections = []
    for one in predictions:
        if one.memory is not None:
            place = f"{one.name} on {one.board_name or 'no board'}"
            title = f"Memory model: {one.memory.regime} ({place})"
            sections.append(Section(title=title, lines=tuple(one.memory.lines(one.elapsed_ps))))
    return sections


def _waits(prediction: Prediction) -> list[Section]:
    done = prediction.overlapped
    if done is None:
        return []
    total = done.cycles or 1
    lines = [
        f"{cycles:,} cycles ({percent_text(cycles / total)}): {WAITS[name]}"
        for name, cycles in sorted(done.waits.items(), key=lambda item: -item[1])
        if cycles
    ]
    carriers = sorted(done.carriers.items(), key=lambda item: -item[1])[:4]
    if carriers:
        carried = ", ".join(f"{name} ({cycles:,})" for name, cycles in carriers)
        lines.append(f"carried along the critical path, in cycles: {carried}")
    return [Section(title="Why the next instruction waited", lines=tuple(lines) or ("never",))]


def _opcodes(tables: Detail, prediction: Prediction, top: int) -> Section:
    shown = tables.opcodes[:top]
    each = tuple(
        f"{o.least_cycles:,}"
        if o.least_cycles == o.most_cycles
        else f"{o.least_cycles:,}-{o.most_cycles:,}"
        for o in shown
    )
    return Section(
        title=titled("By opcode", len(shown), len(tables.opcodes)),
        columns=(
            PageColumn("opcode", "text", tuple(o.name for o in shown), key=True),
            PageColumn("count", "count", tuple(o.instructions for o in shown)),
            PageColumn("cycles each", "text", each),
            PageColumn("cycles", "count", tuple(o.cycles for o in shown)),
            PageColumn("of serial", "percent", _parts(shown, prediction.serial)),
            PageColumn("basis", "text", tuple(o.basis for o in shown)),
        ),
        notes=_assumed(prediction),
    )


def _assumed(prediction: Prediction) -> tuple[str, ...]:
    """The cost source's sentence on each cost that nobody measured or published."""
    notes: dict[str, list[str]] = {}
    for name in prediction.table.costs:
        timing = prediction.table.source.costs[name]
        if isinstance(timing, OpcodeTiming) and timing.basis == "assumed":
            notes.setdefault(timing.note or "", []).append(name)
    return tuple(f"assumed: {', '.join(names)}: {note}" for note, names in notes.items())


def _shares(title: str, shares: Sequence[Any], *, total: int, top: int) -> Section:
    shown = shares[:top]
    return Section(
        title=titled(title, len(shown), len(shares)),
        columns=(
            PageColumn("name", "text", tuple(s.name for s in shown), key=True),
            PageColumn("count", "count", tuple(s.instructions for s in shown)),
            PageColumn("cycles", "count", tuple(s.cycles for s in shown)),
            PageColumn("of serial", "percent", _parts(shown, total)),
        ),
    )


def _loops(tables: Detail, prediction: Prediction, top: int) -> Section:
    shown = tables.loops[:top]
    return Section(
        title=titled("By loop, with all inside it", len(shown), len(tables.loops)),
        columns=(
            PageColumn(
                "lines", "text", tuple(f"{o.first_line}-{o.last_line}" for o in shown), key=True
            ),
            PageColumn("depth", "count", tuple(o.depth for o in shown)),
            PageColumn("turns", "count", tuple(o.turns for o in shown)),
            PageColumn("entered", "count", tuple(o.entered for o in shown)),
            PageColumn("count", "count", tuple(o.instructions for o in shown)),
            PageColumn("cycles", "count", tuple(o.cycles for o in shown)),
            PageColumn("of serial", "percent", _parts(shown, prediction.serial)),
        ),
    )


def _lines(tables: Detail, prediction: Prediction) -> Section:
    shown, done = tables.lines, prediction.overlapped
    rows = [line.line - 1 for line in shown]
    critical = tuple(int(done.row_critical[row]) if done else None for row in rows)
    waits = tuple(int(done.row_waits[row]) if done else None for row in rows)
    return Section(
        title="Hottest lines",
        columns=(
            PageColumn("line", "count", tuple(line.line for line in shown), key=True),
            PageColumn("instruction", "text", tuple(line.text for line in shown), key=True),
            PageColumn("count", "count", tuple(line.instructions for line in shown)),
            PageColumn("cycles", "count", tuple(line.cycles for line in shown)),
            PageColumn("of serial", "percent", _parts(shown, prediction.serial)),
            PageColumn("waited", "count", waits),
            PageColumn("critical", "count", critical),
        ),
    )


def titled(title: str, shown: int, total: int) -> str:
    """The title of a table; it says where the table does not show all rows."""
    return title if shown == total else f"{title} ({shown} of {total})"


def _parts(rows: Sequence[Any], total: int) -> tuple[float | None, ...]:
    return tuple(row.cycles / total if total else None for row in rows)
