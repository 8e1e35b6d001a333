"""A prediction with all its tables, and the same as plain dicts for JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from lanescope.model.cost.source import load_cost_source
from lanescope.model.cost.table import MissingFigure, outside_domain
from lanescope.model.isa.sections import regions, sections
from lanescope.model.schedule.figures import predict_serial
from lanescope.model.schedule.interval import interval_dict
from lanescope.model.schedule.prediction import Prediction
from lanescope.model.schedule.tables import (
    CycleShare,
    HotLine,
    LoopShare,
    OpcodeShare,
    by_category,
    by_loop,
    by_opcode,
    by_section,
    by_type,
    hottest_lines,
)

PEERS = ("peer", "peer-charged")
"""The cost sources of the published profiler."""


class Detail(NamedTuple):
    """All tables of one prediction; cycles are those of the serial sum."""

    opcodes: list[OpcodeShare]
    categories: list[CycleShare]
    types: list[CycleShare]
    regions: list[CycleShare]
    """By `; region NAME` markers; empty where there are none."""
    sections: list[CycleShare]
    loops: list[LoopShare]
    lines: list[HotLine]


def detail(prediction: Prediction, most_lines: int) -> Detail:
    """Make all tables; of the hottest lines the first `most_lines`."""
    program, costs = prediction.program, prediction.line_costs
    opcodes = by_opcode(program, prediction.table, costs)
    marked = regions(program)
    return Detail(
        opcodes=opcodes,
        categories=by_category(program, opcodes),
        types=by_type(opcodes),
        regions=by_section(marked, costs) if marked else [],
        sections=by_section(sections(program), costs),
        loops=by_loop(program, costs),
        lines=hottest_lines(program, costs, most_lines),
    )


def peer_cycles(prediction: Prediction) -> dict[str, int]:
    """Serial sum that the published profiler gives for the same program and core, by source.

    A source that lacks a figure is left out. That profiler turns a loop once whose count it cannot
    read.
    """
    sums = {}
    interval = prediction.interval
    program = prediction.program if interval is None else interval.once or prediction.program
    for name in PEERS:
        source = load_cost_source(name)
        if source.isa not in prediction.program.isa.family:
            continue
        try:
            serial = predict_serial(program, source, prediction.core)
        except MissingFigure:
            continue
        if not serial.unknown.lines:
            sums[name] = serial.serial
    return sums


def prediction_dict(prediction: Prediction, most_lines: int) -> dict[str, Any]:
    """Figures and tables as plain dicts; of the hottest lines the first `most_lines`."""
    tables = detail(prediction, most_lines)
    memory = {}
    if prediction.memory is not None:
        memory = {"memory": prediction.memory.to_dict(prediction.elapsed_ps)}
    return {
        **_figures(prediction),
        "interval": interval_dict(prediction),
        "peer_cycles": peer_cycles(prediction),
        **{name: [row._asdict() for row in rows] for name, rows in tables._asdict().items()},
        **memory,
    }


def _figures(prediction: Prediction) -> dict[str, Any]:
    """Everything but the tables."""
    bound = prediction.bound_by()
    core, done = prediction.core, prediction.overlapped
    roofline = prediction.roofline()
    return {
        "program": prediction.program.path,
        "isa": prediction.program.isa.name,
        "board": prediction.board_name,
        "cost_source": prediction.table.source.name,
        "cost_source_text": prediction.table.source.source,
        "cost_source_chosen": prediction.chosen or None,
        "outside_domain": outside_domain(prediction.table.source, core),
        "machine": core.origin,
        "clock_hz": core.clock_hz,
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
        "bound_by": bound.name,
        "bound_share": bound.share,
        "waits": None if done is None else done.waits,
        "carriers": None if done is None else done.carriers,
        **prediction.traffic._asdict(),
        "bandwidth_bytes_per_s": core.bandwidth.value if core.bandwidth else None,
        "bandwidth_kind": core.bandwidth_kind or None,
        "bandwidth_source": core.bandwidth.source if core.bandwidth else None,
        "transfer_bytes_per_s": prediction.bandwidth(),
        "roofline": None if roofline is None else roofline._asdict() | {"side": roofline.side},
        "unknown": {
            "lines": prediction.unknown.lines,
            "instructions": prediction.unknown.instructions,
            "problems": [problem._asdict() for problem in prediction.unknown.problems[:100]],
        },
    }
