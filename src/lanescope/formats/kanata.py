"""Writes a trace as a Kanata 0004 log, which Konata opens: a row per task, a thread per core.

    Kanata<TAB>0004                 header
    C=<TAB>cycle   C<TAB>cycles     where the log starts, and how far it moves on
    I<TAB>id<TAB>task<TAB>core      a task appears
    L<TAB>id<TAB>0|1<TAB>text       its name on the left; more when the mouse is on it
    S / E<TAB>id<TAB>0<TAB>stage    W: dispatched and waiting, X: running
    R<TAB>id<TAB>number<TAB>0       it is done
    W<TAB>id<TAB>id<TAB>0           it needed that one

Cycles are the device's where the trace has them, else nanoseconds; the first task's text says
which, and `kanata_read.py` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import atomic_output
from lanescope.formats.written import DrawnExport
from lanescope.render.names import printable
from lanescope.trace import MISSING, Trace

Array = npt.NDArray[Any]

_APPEAR, _START, _END = 0, 1, 2
"""Order of events within a cycle: what ends is written last."""
_CHUNK = 1 << 16


class _Times(NamedTuple):
    appear: Array
    start: Array
    end: Array
    unit: str

    def ordered(self, order: Array) -> _Times:
        """The same times in another order."""
        return _Times(self.appear[order], self.start[order], self.end[order], self.unit)


def write(trace: Trace, path: Path, options: ExportOptions) -> DrawnExport:
    """The exporter's entry: see `write_kanata`."""
    return write_kanata(trace, path)


def write_kanata(trace: Trace, path: str | PathLike[str]) -> DrawnExport:
    """Write a log of the tasks that have a start and an end.

    A name that ends in .gz or .zst is compressed.
    """
    rows = np.flatnonzero(trace.ran())
    times = _times(trace, rows)
    order = np.lexsort((trace.tasks["task"][rows], times.start, times.appear))
    rows, times = rows[order], times.ordered(order)
    arrows, lost = _arrows(trace, rows)
    with atomic_output(path) as stream:
        stream.write(b"Kanata\t0004\n")
        for block in _blocks(times, _Texts(trace, rows, arrows, times.unit)):
            stream.write(block)
    return DrawnExport(
        output=str(path),
        format="kanata",
        slices=len(rows),
        lanes=len(np.unique(trace.tasks["core"][rows])),
        arrows=sum(map(len, arrows.values())),
        arrows_not_drawn=lost,
        bytes=Path(path).stat().st_size,
    )


def _times(trace: Trace, rows: Array) -> _Times:
    tasks = trace.tasks
    unit = "cycles" if (tasks["start_cycles"][rows] != MISSING).all() else "ns"
    start, end = tasks[f"start_{unit}"][rows], tasks[f"end_{unit}"][rows]
    dispatch = tasks[f"dispatch_{unit}"][rows]
    appear = np.where(dispatch == MISSING, start, np.minimum(dispatch, start))
    return _Times(appear, start, end, unit)


def unit_text(trace: Trace, unit: str) -> str:
    """How the log's cycles are times, in words that `kanata_read.py` understands."""
    meta = trace.meta
    if unit == "ns" or meta.clock_hz is None or meta.base_cycles is None:
        return "; a cycle is 1 ns" if unit == "ns" else ""
    base = f"cycle {meta.base_cycles} is {-meta.base_shift_ns} ns"
    return f"; {meta.clock_hz} cycles are 1 s, {base}"


def _arrows(trace: Trace, rows: Array) -> tuple[dict[int, list[int]], int]:
    """Each successor's row to the rows of its predecessors, and how many edges are left out.

    An edge is left out where an end has no row, or where it points back in time.
    """
    ids: dict[int, int] = {}
    for number, task in enumerate(trace.tasks["task"][rows].tolist()):
        ids.setdefault(task, number)
    before: dict[int, list[int]] = {}
    lost = 0
    for pred, succ in zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True):
        if pred in ids and succ in ids and ids[pred] < ids[succ]:
            before.setdefault(ids[succ], []).append(ids[pred])
        else:
            lost += 1
    return before, lost


def _blocks(times: _Times, texts: _Texts) -> Iterator[bytes]:
    count = len(times.start)
    if not count:
        return
    when = np.concatenate([times.appear, times.start, times.end])
    what = np.repeat([_APPEAR, _START, _END], count)
    who = np.tile(np.arange(count), 3)
    order = np.lexsort((who, what, when))
    first = int(when.min())
    now, retired = first, 0
    lines = [f"C=\t{first}\n"]
    for at, event, number in zip(
        when[order].tolist(), what[order].tolist(), who[order].tolist(), strict=True
    ):
        if at != now:
            lines.append(f"C\t{at - now}\n")
            now = at
        if event == _APPEAR:
            lines.append(texts.appear(number))
        elif event == _START:
            lines.append(f"S\t{number}\t0\tX\n")
        else:
            lines.append(f"E\t{number}\t0\tX\nR\t{number}\t{retired}\t0\n")
            retired += 1
        if len(lines) >= _CHUNK:
            yield "".join(lines).encode()
            lines.clear()
    yield "".join(lines).encode()


class _Texts:
    """The lines of a task when it appears."""

    def __init__(self, trace: Trace, rows: Array, arrows: dict[int, list[int]], unit: str) -> None:
        tasks = trace.tasks
        names = dict(
            zip(
                trace.functions["func"].tolist(),
                map(printable, trace.text("functions", "name")),
                strict=True,
            )
        )
        lanes = dict(
            zip(
                trace.cores["core"].tolist(),
                map(printable, trace.text("cores", "name")),
                strict=True,
            )
        )
        self._task = tasks["task"][rows].tolist()
        self._core = tasks["core"][rows].tolist()
        self._func = tasks["func"][rows].tolist()
        self._names, self._lanes, self._arrows = names, lanes, arrows
        self._unit = unit_text(trace, unit)

    def appear(self, number: int) -> str:
        """The lines of one task when it appears: its name, its core, what it needed."""
        task, core, func = self._task[number], self._core[number], self._func[number]
        lane = self._lanes.get(core, f"core {core}")
        needs = "".join(f"W\t{number}\t{before}\t0\n" for before in self._arrows.get(number, ()))
        unit = self._unit if number == 0 else ""
        return (
            f"I\t{number}\t{task}\t{core}\n"
            f"L\t{number}\t0\t{self._names.get(func, f'func_{func}')}\n"
            f"L\t{number}\t1\ttask {task} on {lane}{unit}\n"
            f"S\t{number}\t0\tW\n{needs}"
        )
