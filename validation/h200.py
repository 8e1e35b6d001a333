"""Layer streaming measured on one H200: gated-MLP layers, with and without prefetch.

Nothing is fitted: the link's bandwidth was measured in the same run, the rest is the board's.
"""

from __future__ import annotations

import csv
import re
from math import log
from pathlib import Path

from lanescope.model.boards import load_board
from lanescope.model.fit.board import FLOP_EFFICIENCY
from lanescope.model.fit.step import Rates, Work, step_time
from validation.score import Outcome

STREAMING = "layer streaming on an H200"
OTHER_SHAPES = "other layers on an H200"
"""Measured after the model was written: nothing in it was chosen with these in view."""
_OPERATIONS = 5
"""Gate, up, activation, product, down."""


def h200_outcomes(path: Path, *, group: str = STREAMING) -> list[Outcome]:
    """Milliseconds per pass, predicted and measured; `group` is of the rows that stream."""
    text = path.read_text()
    link = float(re.search(r"bandwidth measured in the same run: ([\d.e]+)", text)[1])  # type: ignore[index]
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return [_outcome(row, _rates(link), group=group) for row in rows]


def _rates(link_bytes_per_s: float) -> Rates:
    board = load_board("h200")
    memory, compute = board.memory, board.compute
    assert memory.effective_bytes_per_s and compute and compute.bf16_flop_per_s
    assert compute.operation_overhead_ns
    return Rates(
        link_bytes_per_s,
        memory.effective_bytes_per_s.value,
        compute.bf16_flop_per_s.value * FLOP_EFFICIENCY,
        compute.operation_overhead_ns.value * 1e-9,
    )


def _outcome(row: dict[str, str], rates: Rates, *, group: str) -> Outcome:
    layers, resident = int(row["layers"]), int(row["resident_layers"])
    layer_bytes, batch = int(row["layer_bytes"]), int(row["batch"])
    streamed = (layers - resident) * layer_bytes
    work = Work(
        link_bytes=streamed,
        memory_bytes=layers * layer_bytes,
        flop=2.0 * batch * layers * layer_bytes / 2,
        operations=_OPERATIONS * layers,
        layers=layers,
        resident_share=resident / layers,
    )
    time = step_time(work, rates)
    predicted = 1e3 * (time.serial_s if row["mode"] == "serial" else time.overlapped_s)
    measured = float(row["ms_per_pass"])
    assert rates.link_bytes_per_s
    return Outcome(
        id=f"b{batch} {resident}/{layers} {row['mode']}",
        group=group if streamed else "resident layers on an H200",
        predicted=predicted,
        measured=measured,
        baseline=1e3 * max(streamed, layer_bytes) / rates.link_bytes_per_s,
        log_ratio=log(predicted / measured),
        run=("h200", layers, batch, resident, row["mode"]),
        detail=f"bound by {time.bound_by}; ms per pass",
    )
