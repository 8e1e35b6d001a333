"""Rows of the study's Parquet file, checked and sorted into blocks: one per worker and step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.columns import Columns, different_rows
from lanescope.formats.parquet_tables import ParquetTables, column_names
from lanescope.trace import MISSING
from lanescope.trace.table import Array

MAGIC = b"PAR1"
_INTEGERS = ("dp_rank", "stage", "rank", "step", "seq_id", "mc", "gmc")
_TIMES = ("start_ts", "duration")
_TYPE = "optype"
COLUMNS = frozenset((*_INTEGERS, *_TIMES, _TYPE))
_LONGEST_S = 1e9
BETWEEN_NS = 100_000_000
"""Time between two steps of a trace. The file does not tell it: every step begins at 0 there."""
_LARGEST = 1 << 20
"""Ranks, stages and numbers of operations are small; a larger one is damage."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The rows of one worker in one step: `rows[first:last]`, by type of operation and number."""

    first: int
    last: int
    worker: int
    """Place in `StudyRows.workers`."""
    step: int
    """Place in `StudyRows.steps`."""


@dataclass(frozen=True, eq=False)
class StudyRows:
    """All rows of a file, by stage, data-parallel rank, step, type and number. Times are in ns."""

    types: list[str]
    """Names of the types of operation that have rows, in alphabetical order."""
    type: Array
    number: Array
    """Number of the operation among those of its type, worker and step."""
    chunk: Array
    """Part of the model that it belongs to, on its stage; -1 where it belongs to none."""
    place: Array
    """Number of that part in the whole model."""
    start: Array
    """From the start of the file's first step; the steps lie BETWEEN_NS apart."""
    end: Array
    worker: Array
    step: Array
    workers: list[tuple[int, int, int]]
    """Stage, data-parallel rank and global rank of each worker."""
    steps: Array
    """Numbers of the steps, rising."""
    step_start: Array
    step_end: Array

    @property
    def stages(self) -> int:
        """Number of stages of the pipeline."""
        return 1 + max(stage for stage, _, _ in self.workers)

    @property
    def replicas(self) -> int:
        """Number of data-parallel ranks."""
        return 1 + max(dp for _, dp, _ in self.workers)

    @property
    def chunks(self) -> int:
        """Parts of the model on each stage."""
        return max(int(self.chunk.max()) + 1, 1)

    @cached_property
    def blocks(self) -> list[Block]:
        """The rows of each worker and step."""
        key = self.worker * len(self.steps) + self.step
        at = np.flatnonzero(np.r_[True, key[1:] != key[:-1], True]).tolist()
        return [
            Block(first, last, int(self.worker[first]), int(self.step[first]))
            for first, last in pairwise(at)
        ]


def has_columns(path: Path) -> bool:
    """Whether a Parquet file has the columns of the study.

    Raises:
        InputError: it is damaged.
    """
    return column_names(path) >= COLUMNS


def read_rows(path: Path) -> StudyRows:
    """Read and check the file.

    Raises:
        InputError: a value is missing or impossible; the message names the row.
    """
    tables = ParquetTables(path.parent)
    columns = tables.read(path.stem, _INTEGERS, reals=_TIMES, texts=(_TYPE,))
    if not columns.count:
        raise InputError(path, "has the columns of the straggler study, but no row")
    _require_values(path, columns)
    used, kind = np.unique(columns.texts[_TYPE].codes, return_inverse=True)
    texts = [columns.texts[_TYPE].texts[code] for code in used.tolist()]
    alphabetical = sorted(range(len(texts)), key=texts.__getitem__)
    kind = np.argsort(alphabetical)[kind.reshape(-1)]
    workers, worker = different_rows(*(columns[name] for name in ("stage", "dp_rank", "rank")))
    steps, step = np.unique(columns["step"], return_inverse=True)
    order = np.lexsort((columns["seq_id"], kind, step, worker))
    start = np.rint(columns["start_ts"] * 1e9).astype(np.int64)[order]
    end = start + np.rint(columns["duration"] * 1e9).astype(np.int64)[order]
    step = step.reshape(-1)[order]
    shift, step_start, step_end = _steps_in_line(step, start, end, len(steps))
    rows = StudyRows(
        types=[texts[k] for k in alphabetical],
        type=kind[order],
        number=columns["seq_id"][order],
        chunk=np.maximum(columns["mc"][order], -1),
        place=np.maximum(columns["gmc"][order], -1),
        start=start + shift[step],
        end=end + shift[step],
        worker=worker[order],
        step=step,
        workers=[(stage, dp, rank) for stage, dp, rank in workers.tolist()],
        steps=steps,
        step_start=step_start,
        step_end=step_end,
    )
    _require_one_each(path, rows)
    return rows


def _steps_in_line(step: Array, start: Array, end: Array, count: int) -> tuple[Array, Array, Array]:
    """What to add to the times of each step to lay it behind the one before; starts and ends."""
    least = np.full(count, np.iinfo(np.int64).max)
    most = np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(least, step, start)
    np.maximum.at(most, step, np.maximum(start, end))
    lengths = most - least
    begins = np.cumsum(lengths + BETWEEN_NS) - lengths - BETWEEN_NS
    return begins - least, begins, begins + lengths


def _require_values(path: Path, columns: Columns) -> None:
    for name in ("dp_rank", "stage", "rank", "step", "seq_id"):
        values = columns[name]
        largest = _LARGEST if name != "step" else 1 << 62
        wrong = np.flatnonzero((values == MISSING) | (values < 0) | (values >= largest))
        if len(wrong):
            problem = f"row {int(wrong[0])}, {name!r}: expected a whole number of 0 or more"
            raise InputError(path, problem)
    for name in _TIMES:
        times = columns[name]
        wrong = np.flatnonzero(~np.isfinite(times) | (np.abs(times) > _LONGEST_S))
        if len(wrong):
            problem = f"row {int(wrong[0])}, {name!r}: expected seconds, found {times[wrong[0]]}"
            raise InputError(path, problem)
    wrong = np.flatnonzero(columns.texts[_TYPE].codes < 0)
    if len(wrong):
        raise InputError(path, f"row {int(wrong[0])}, {_TYPE!r}: expected a text")


def _require_one_each(path: Path, rows: StudyRows) -> None:
    """Refuse a worker under two ranks, a rank of two workers, and an operation that is twice."""
    places = [worker[:2] for worker in rows.workers]
    ranks = [worker[2] for worker in rows.workers]
    if len(set(places)) < len(places) or len(set(ranks)) < len(ranks):
        problem = "expected one rank per pair of 'dp_rank' and 'stage', found several"
        raise InputError(path, problem)
    same = (rows.worker[1:] == rows.worker[:-1]) & (rows.step[1:] == rows.step[:-1])
    same &= (rows.type[1:] == rows.type[:-1]) & (rows.number[1:] == rows.number[:-1])
    if same.any():
        at = int(np.argmax(same))
        name, number = rows.types[int(rows.type[at])], int(rows.number[at])
        where = f"step {int(rows.steps[rows.step[at]])}, rank {ranks[int(rows.worker[at])]}"
        raise InputError(path, f"{where}: expected {name} {number} once, found it twice")
