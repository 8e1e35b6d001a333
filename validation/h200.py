"""Layer streaming measured on one H200: gated-MLP layers, with and without prefetch.

The link's bandwidth was measured in the same run; how long Python takes to start an operation is
the median of what the other resident runs need; the rest is the board's.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import median

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.estimate import decode_step
from lanescope.model.fit.load import Body, Load
from lanescope.model.fit.step import StepTime
from lanescope.model.manifest.manifest import Footprint
from validation.inputs import device_board
from validation.score import Outcome

STREAMING = "layer streaming on an H200"
OTHER_SHAPES = "other layers on an H200"
"""Measured after the first version of the model was written."""
RESIDENT = "resident layers on an H200"
_COLUMNS = ("layers", "resident_layers", "layer_bytes", "ffn", "batch", "mode", "ms_per_pass")
_OPERATIONS = 5
"""Gate, up, activation, product, down."""
_PASSES = 5
"""Activation (read, write) and product (two reads, a write) go over the MLP's width."""


@dataclass(frozen=True)
class Row:
    """One measured pass."""

    layers: int
    resident: int
    layer_bytes: int
    ffn: int
    batch: int
    mode: str
    seconds: float
    link_bytes_per_s: float
    group: str

    @property
    def name(self) -> str:
        return f"b{self.batch} {self.resident}/{self.layers} {self.mode}"


def read_rows(path: Path, *, group: str = STREAMING) -> list[Row]:
    """The rows of a file; `group` is of those that stream.

    A file that names no bandwidth of its run is taken to have the board's.
    """
    text = path.read_text()
    found = re.search(r"bandwidth measured in the same run: ([\d.e]+)", text)
    link = float(found[1]) if found else device_board("h200").values["link_bytes_per_s"].value
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    missing = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"{path}: expected the columns {', '.join(missing)}, found none")
    return [
        Row(
            layers := int(row["layers"]),
            resident := int(row["resident_layers"]),
            int(row["layer_bytes"]),
            int(row["ffn"]),
            int(row["batch"]),
            row["mode"],
            float(row["ms_per_pass"]) * 1e-3,
            link,
            group if resident < layers else RESIDENT,
        )
        for row in rows
    ]


def h200_outcomes(rows: Sequence[Row]) -> list[Outcome]:
    """Milliseconds per pass, predicted and measured, each without its own run."""
    return [_outcome(row, rows) for row in rows]


def _outcome(row: Row, rows: Sequence[Row]) -> Outcome:
    step = _step(row, _board(row, start_ns=start_ns([one for one in rows if one != row])))
    predicted = step.serial_s if row.mode == "serial" else step.prefetched_s
    streamed = (row.layers - row.resident) * row.layer_bytes
    return Outcome(
        id=row.name,
        group=row.group,
        pool=RESIDENT if row.resident == row.layers else STREAMING,
        predicted=1e3 * predicted,
        measured=1e3 * row.seconds,
        baseline=1e3 * max(streamed, row.layer_bytes) / row.link_bytes_per_s,
        log_ratio=log(predicted / row.seconds),
        run=("h200", row.layer_bytes, row.layers, row.batch, row.resident, row.mode),
        detail=f"bound by {step.bound_by}; ms per pass",
    )


def start_ns(rows: Sequence[Row]) -> float:
    """Nanoseconds to start an operation: the median over resident passes that wait for starts.

    Those are passes that take more than twice what the board is busy.
    """
    needed = []
    for row in rows:
        if row.resident == row.layers:
            alone = _step(row, _board(row, start_ns=0.0))
            if row.seconds > 2 * alone.on_chip_s:
                needed.append(1e9 * row.seconds / (_OPERATIONS * row.layers))
    return median(needed) if needed else 0.0


def _step(row: Row, board: FitBoard) -> StepTime:
    weights = row.layers * row.layer_bytes
    body = Body(
        row.layers,
        weights / 2,
        _OPERATIONS * row.layers,
        2.0 * _PASSES * row.ffn * row.layers,
    )
    load = Load(
        Footprint(weights, 0, 0),
        None,
        context=1,
        batch=row.batch,
        layer_body=body,
        kept_weight_bytes=row.resident * row.layer_bytes,
    )
    return decode_step(load, board)


def _board(row: Row, *, start_ns: float) -> FitBoard:
    board = device_board("h200").with_value("link_bytes_per_s", row.link_bytes_per_s)
    return board.with_value("operation_start_ns", start_ns)
