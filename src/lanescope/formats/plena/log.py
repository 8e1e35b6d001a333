"""Reads the emulator's log: the sizes at the start, the statistics and the result at the end.

A line is `<UTC time> <LEVEL> <module>: <message>`, with colour codes where it went to a terminal.
The second line of a record has no time. Fields stand as `name=value` before or behind the text, so
every line is matched by pieces. All of these lines but the first are written at level INFO.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from lanescope.errors import InputError
from lanescope.formats.json_file import map_file
from lanescope.formats.plena.run import MOST_PS, READ_BYTES, WRITTEN_BYTES, EmulatedRun
from lanescope.trace.meta import WaitFacts
from lanescope.trace.table import Array

_TOPOLOGY = "Topology"
_COMPLETED = "Simulation completed."
_STATISTICS = ("HBM Statistics", "Host-stream memory", "Layer-swap memory", "Capacity model")
_COUNTED = ("L-stream packet counters", "Matrix-view packet counters")
_SCOREBOARD = "Scoreboard timing model summary"
_OTHERS = ("HBM size:", "Memory model:", "Experimental overlap:", "Clock:")
_PIECES = (_TOPOLOGY, _COMPLETED, *_STATISTICS, *_COUNTED, _SCOREBOARD, *_OTHERS)
_FOUND = re.compile("|".join(map(re.escape, _PIECES)).encode())
KNOWN = (
    *(b"Simulation completed. Latency", b"HBM Statistics - Bytes read"),
    *(b"transactional_emulator::runner", b"Topology mlen="),
)
"""A text that has one of these is a log of the emulator."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FIELD = re.compile(r"\b([A-Za-z]\w{0,63})=(-?\d{1,18}(?:\.\d{1,18})?)\b")
_LATENCY = re.compile(r"latency\s+([0-9][0-9.eE+-]{0,40})\s*ns", re.IGNORECASE)
_CYCLES = re.compile(r"\bcycles[ =](\d{1,18})\b")
_PERIOD = re.compile(r"Clock:\s+(\d{1,9}) ps\b")
_SIZE = re.compile(r"HBM size:\s+(\d{1,18}) bytes")
_MODEL = re.compile(r"Memory model:\s+([\w-]{1,64})(.{0,200})")
_REGIME = re.compile(r"Capacity model \[([\w-]{1,64})\]")
_FIGURE = re.compile(
    r"([A-Za-z][A-Za-z ]{0,40}):\s+(\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?)"
    r"\s*(?:ns|bytes/sec)?\s*(?:\(([^)]{0,80})\))?"
)
_INNER_BYTES = re.compile(r"(\d{1,18}) bytes")
_NAMES = {
    "Bytes read": READ_BYTES,
    "Bytes written": WRITTEN_BYTES,
    "Utilization": "bytes per second",
    "swap time": "swap ns",
}
_STALLS = {
    "data_stall_picos": ("data", "what it reads was not ready"),
    "structural_stall_picos": ("unit", "its unit was busy"),
    "dma_wait_picos": ("transfer", "a transfer was under way"),
}
"""Fields of the scoreboard's summary that say why instructions waited."""
_BEFORE, _BEHIND = 1024, 4096
"""Bytes of a line that are looked at, before and behind the piece that is known."""
_MOST_LINES = 1 << 16


def read_log(path: Path, period_ps: int) -> list[EmulatedRun]:
    """The runs of a log, each of which begins with its topology; a log of one run may lack it."""
    runs: list[EmulatedRun] = []
    begun = False
    for line in _lines(path, map_file(path)):
        if not runs or (begun and _TOPOLOGY in line):
            runs.append(EmulatedRun(period_ps))
        begun = begun or _TOPOLOGY in line
        _take(line, runs[-1])
    runs = runs or [EmulatedRun(period_ps)]
    for run in runs:
        if run.total_ps is None:
            run.notes.append(
                "The log has no line 'Simulation completed': the run did not end, or it was logged "
                "at a level above INFO."
            )
    return runs


def _lines(path: Path, whole: Array) -> Iterator[str]:
    """The lines that have a known piece, without colours."""
    last = count = -1
    for match in _FOUND.finditer(whole.data):
        if match.start() < last:
            continue
        count += 1
        if count == _MOST_LINES:
            raise InputError(path, f"has more than {_MOST_LINES:,} lines of results")
        first = max(match.start() - _BEFORE, 0)
        before = whole[first : match.start()].tobytes().rpartition(b"\n")[2]
        behind = whole[match.start() : match.start() + _BEHIND].tobytes().partition(b"\n")[0]
        last = match.start() + len(behind)
        yield _COLOUR.sub("", (before + behind).decode("utf-8", "replace"))


def _take(line: str, run: EmulatedRun) -> None:
    """Keep what one line says."""
    if _COMPLETED in line:
        ps, cycles = _latency(line)
        run.total_ps, run.cycles = ps if ps is not None else run.total_ps, cycles
    elif "Experimental overlap:" in line:
        ps, cycles = _latency(line)
        run.serial_cycles = cycles if cycles is not None or ps is None else run.in_cycles(ps)
    elif _TOPOLOGY in line:
        for name, value in _FIELD.findall(line):
            run.add(name, float(value))
    elif _SCOREBOARD in line:
        _scoreboard(line, run)
    elif any(piece in line for piece in _COUNTED):
        site = "Matrix-view" if "Matrix-view" in line else "L-stream"
        for name, value in _FIELD.findall(line):
            run.add(name, float(value), site)
    elif any(piece in line for piece in _STATISTICS):
        _statistics(line, run)
    else:
        _start(line, run)


def _latency(line: str) -> tuple[int | None, int | None]:
    """Picoseconds and cycles of a result. The number is picoseconds, written as ns."""
    match = _LATENCY.search(line)
    if match is None:
        return None, None
    stated = _CYCLES.search(line)
    cycles = int(stated[1]) if stated else None
    try:
        ps = Decimal(match[1]) * 1000
    except ArithmeticError:
        return None, cycles
    return (int(ps) if 0 <= ps < MOST_PS else None), cycles


def _start(line: str, run: EmulatedRun) -> None:
    """Lines from the start of a run."""
    if period := _PERIOD.search(line):
        run.period_ps = int(period[1]) or run.period_ps
    elif size := _SIZE.search(line):
        run.add("HBM size bytes", int(size[1]))
    elif model := _MODEL.search(line):
        run.extra["memory_model"] = model[1]
        run.notes.append(f"Memory model: {model[1]}{model[2].rstrip()}.")


def _statistics(line: str, run: EmulatedRun) -> None:
    """`WHO - figure: value unit (more) | figure: …`"""
    regime = _REGIME.search(line)
    if regime:
        run.extra["regime"] = regime[1]
    for key, value, inner in _FIGURE.findall(line.partition(" - ")[2]):
        name = key.strip()
        run.add(_NAMES.get(name, name), float(value))
        if moved := _INNER_BYTES.fullmatch(inner):
            run.add(f"{name.removesuffix(' reads')} bytes", int(moved[1]))
        elif more := _FIGURE.fullmatch(inner):
            run.add(more[1].strip(), float(more[2]))


def _scoreboard(line: str, run: EmulatedRun) -> None:
    for name, value in _FIELD.findall(line):
        if name in _STALLS:
            word, label = _STALLS[name]
            run.waits.append(WaitFacts(word, label, run.in_cycles(int(Decimal(value)))))
        else:
            run.add(name, float(value))
