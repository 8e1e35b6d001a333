"""Outputs of the emulator, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.model.cost.plena_data import DATA

from lanescope.formats import import_trace
from lanescope.trace import Trace

OUTPUTS = DATA / "outputs"

STAMP = "2026-09-01T10:00:00.000000Z  INFO transactional_emulator::runner: "
LOG = (
    "2026-09-01T10:00:00.000000Z  WARN transactional_emulator::runner: Topology mlen=64 vlen=32 "
    "hlen=16 blen=4 broadcast_amount=4\n"
    f"{STAMP}HBM size: 1024 bytes (0.00 GiB)\n"
    f"{STAMP}HBM Statistics - Bytes read: 8192 | Bytes written: 512 | "
    "Utilization: 4.07e7 bytes/sec\n"
    f"{STAMP}Simulation completed. Latency 214000.000ns\n"
)
STATS = {"log_path": "x.log", "hbm_size_bytes": 7, "return_code": 0, "sim_latency_ns": 2.5}


def line(pc: int, op: str, unit: str, issue: int, finish: int) -> str:
    """A line of the scoreboard's trace; times in ns."""
    times = {"issue_ps": issue * 1000, "finish_ps": finish * 1000}
    return json.dumps({"pc": pc, "op": f"{op} {{ rs1: 1 }}", "unit": unit, **times}) + "\n"


SCOREBOARD = (
    line(0, "H_PREFETCH_M", "dma", 0, 119)
    + line(1, "S_ADDI_INT", "scalar", 1, 2)
    + line(2, "M_MM", "matrix", 119, 183)
    + line(1, "S_ADDI_INT", "scalar", 120, 121)
)


def read(content: str | bytes | dict[str, Any], folder: Path, name: str, **options: Any) -> Trace:
    """The trace of one file; `options` are those of the format."""
    path = folder / name
    text = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_trace(path, format="plena" if options else "auto", options=options)


def totals(trace: Trace, site: str = "") -> dict[str, float]:
    """Figures of the whole run, or of one part of it."""
    rows = zip(
        trace.text("counters", "site"),
        trace.text("counters", "name"),
        trace.counters["value"].tolist(),
        strict=True,
    )
    return {name: value for where, name, value in rows if where == site}
