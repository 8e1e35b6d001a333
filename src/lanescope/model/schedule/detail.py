"""A prediction with all its tables as plain data, and what differs between two."""

from __future__ import annotations

from typing import Any, NamedTuple

from lanescope.model.cost.source import load_cost_source
from lanescope.model.cost.table import MissingFigure, outside_domain
from lanescope.model.isa.sections import regions, sections
from lanescope.model.schedule.predict import Prediction, predict_serial
from lanescope.model.schedule.tables import (
    HotLine,
    LoopShare,
    OpcodeShare,
    Share,
    by_category,
    by_loop,
    by_opcode,
    by_section,
    by_type,
    hottest_lines,
)

PEERS = ("peer", "peer-charged")


class Detail(NamedTuple):
    """All tables of one prediction."""

    opcodes: list[OpcodeShare]
    categories: list[Share]
    types: list[Share]
    regions: list[Share]
    """By `; region NAME` markers; empty where there are none."""
    sections: list[Share]
    loops: list[LoopShare]
    lines: list[HotLine]


def detail(prediction: Prediction, most_lines: int) -> Detail:
    program, rows = prediction.program, prediction.rows
    opcodes = by_opcode(program, prediction.table, rows)
    marked = regions(program)
    return Detail(
        opcodes=opcodes,
        categories=by_category(program, opcodes),
        types=by_type(opcodes),
        regions=by_section(marked, rows) if marked else [],
        sections=by_section(sections(program), rows),
        loops=by_loop(program, rows),
        lines=hottest_lines(program, rows, most_lines),
    )


def peer_cycles(prediction: Prediction) -> dict[str, int]:
    """What the published profiler would say of the same program and machine."""
    found = {}
    for name in PEERS:
        source = load_cost_source(name)
        if source.isa != prediction.program.isa.name:
            continue
        try:
            serial = predict_serial(prediction.program, source, prediction.machine)
        except MissingFigure:
            continue
        if not serial.unknown.lines:
            found[name] = serial.serial
    return found


def prediction_dict(prediction: Prediction, most_lines: int) -> dict[str, Any]:
    tables = detail(prediction, most_lines)
    return {
        **_figures(prediction),
        "peer_cycles": peer_cycles(prediction),
        **{name: [row._asdict() for row in rows] for name, rows in tables._asdict().items()},
    }


def difference(first: Prediction, second: Prediction) -> dict[str, Any]:
    """Second minus first, per figure, opcode and section; what is equal is left out."""
    before, after = detail(first, 0), detail(second, 0)
    figures = {
        "serial": second.serial - first.serial,
        "instructions": second.instructions - first.instructions,
        "traffic_bytes": second.traffic.traffic_bytes - first.traffic.traffic_bytes,
    }
    if first.overlapped and second.overlapped:
        figures["overlapped"] = second.overlapped.cycles - first.overlapped.cycles
        figures["critical_path"] = second.overlapped.critical_path - first.overlapped.critical_path
    return {
        "figures": figures,
        "busy": {unit: second.busy.get(unit, 0) - cycles for unit, cycles in first.busy.items()},
        "opcodes": _changes(before.opcodes, after.opcodes),
        "sections": _changes(before.sections, after.sections),
        "regions": _changes(before.regions, after.regions),
    }


def _changes(before: Any, after: Any) -> list[dict[str, Any]]:
    old = {share.name: share for share in before}
    new = {share.name: share for share in after}
    found = []
    for name in dict.fromkeys([*old, *new]):
        instructions = [
            share.instructions if share else 0 for share in (old.get(name), new.get(name))
        ]
        cycles = [share.cycles if share else 0 for share in (old.get(name), new.get(name))]
        if instructions[0] != instructions[1] or cycles[0] != cycles[1]:
            found.append({"name": name, "instructions": instructions, "cycles": cycles})
    return sorted(found, key=lambda row: -abs(row["cycles"][1] - row["cycles"][0]))


def _figures(prediction: Prediction) -> dict[str, Any]:
    """The figures as plain data."""
    name, share = prediction.bound_by()
    machine, done = prediction.machine, prediction.overlapped
    roofline = prediction.roofline()
    return {
        "program": prediction.program.path,
        "isa": prediction.program.isa.name,
        "board": machine.board.name if machine.board else None,
        "cost_source": prediction.table.source.name,
        "cost_source_text": prediction.table.source.source,
        "outside_domain": outside_domain(prediction.table.source, machine),
        "machine": machine.origin,
        "clock_hz": machine.clock_hz,
        "source_lines": prediction.program.source_lines,
        "instruction_lines": int((prediction.program.opcode != -1).sum()),
        "instructions": prediction.instructions,
        "cycles": {
            "serial": prediction.serial,
            "busy": prediction.busy,
            "critical_path": None if done is None else done.critical_path,
            "overlapped": None if done is None else done.cycles,
        },
        "outstanding_transfers": prediction.transfers.outstanding,
        "buffers": prediction.transfers.buffers,
        "time_ns": {
            "serial": prediction.time_ns(prediction.serial),
            "overlapped": None if done is None else prediction.time_ns(done.cycles),
        },
        "bound_by": name,
        "bound_share": share,
        "waits": None if done is None else done.waits,
        "carriers": None if done is None else done.carriers,
        **prediction.traffic._asdict(),
        "bandwidth_bytes_per_s": machine.bandwidth.value if machine.bandwidth else None,
        "bandwidth_kind": machine.bandwidth_kind or None,
        "bandwidth_source": machine.bandwidth.source if machine.bandwidth else None,
        "roofline": None if roofline is None else roofline._asdict() | {"side": roofline.side},
        "unknown": {
            "lines": prediction.unknown.lines,
            "instructions": prediction.unknown.instructions,
            "problems": [problem._asdict() for problem in prediction.unknown.problems[:100]],
        },
    }
