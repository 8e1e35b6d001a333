"""The report of a trace that does not fit into memory: what can be added up row by row.

Everything else is left out by name. A part of the trace has a full report.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lanescope.analyze.cores.core_sums import CoreSums
from lanescope.analyze.recording.losses import losses
from lanescope.analyze.recording.row_counts import RowCounts
from lanescope.analyze.registry import analyses
from lanescope.analyze.tasks.function_sums import FunctionSums
from lanescope.render.cells import count_text, time_text
from lanescope.render.page import Section
from lanescope.reports.build import Report
from lanescope.reports.memory import report_bytes
from lanescope.results import Result
from lanescope.trace.part import TracePart
from lanescope.trace.places import PlaceLike
from lanescope.trace.row_groups import StoredRows
from lanescope.trace.vocabulary import CORES, vocabulary

_GB = 1e9


@dataclass(frozen=True, slots=True)
class LeftOut(Result):
    """Why a report is not full, and what it lacks."""

    tasks: int
    """Task rows of the trace, or of its part."""
    needed_bytes: int
    """Memory that the full report would need, about."""
    limit_bytes: int
    names: tuple[str, ...]
    """The analyses that are not answered."""
    notes: tuple[str, ...]
    """What is not exact in the others, a sentence each."""
    window_ns: int | None
    """Length of the time that the report is about."""

    def section(self) -> Section:
        """The section that stands before all others."""
        share = min(self.limit_bytes / self.needed_bytes, 1.0)
        advice = "They are given for a part of the trace: choose it with --since, --until or --core"
        if self.window_ns is not None:
            advice += f", about {time_text(int(self.window_ns * share))} or less of the run"
        return Section(
            title="Too large for a full report",
            lines=(
                f"It has {count_text(self.tasks)} task rows and needs about "
                f"{self.needed_bytes / _GB:.1f} GB of memory; the limit is "
                f"{self.limit_bytes / _GB:.1f} GB (--memory). What follows was added up row by "
                "row.",
                f"Left out: {', '.join(name.replace('_', ' ') for name in self.names)}. {advice}.",
                *self.notes,
            ),
            is_warning=True,
        )


class StreamedReport(Report):
    """The answers that can be given without the whole trace in memory."""

    def __init__(self, answers: dict[str, Any], left_out: LeftOut) -> None:
        super().__init__(answers, CORES)
        self._left_out = left_out

    @property
    def left_out(self) -> LeftOut:
        """What the report lacks."""
        return self._left_out

    def sections(self, only: Collection[str] = ()) -> list[Section]:
        """What is left out, then the sections of all answers in reading order, or of `only`."""
        return [self._left_out.section(), *super().sections(only)]

    def short_sections(self) -> list[Section]:
        """What is left out, then a few lines per answer."""
        return [self._left_out.section(), *super().short_sections()]

    def to_dict(self) -> dict[str, Any]:
        """Every figure by analysis, and the names of the analyses that are left out."""
        return {**super().to_dict(), "left_out": self._left_out.to_dict()}


def _has_some(rows: Mapping[str, int], part: TracePart | None) -> bool:
    """Whether a part has rows that its limits are about; cores and functions limit tasks."""
    if part is None or (part.cores is None and part.functions is None):
        return bool(rows["tasks"] or rows["phases"] or rows["marks"])
    return bool(rows["tasks"])


def streamed_report(
    path: PlaceLike, limit_bytes: int, part: TracePart | None = None
) -> StreamedReport | None:
    """The report of a stored trace of cores, or of a part, that needs more memory than the limit.

    None where a full report fits into memory, where nothing is in the part, and for traces of
    other lanes, which are read whole.
    """
    stored = StoredRows(path)
    whole = stored.rows()
    if report_bytes(whole) <= limit_bytes:
        return None
    if vocabulary(stored.small) is not CORES or not len(stored.small.cores):
        return None
    rows = whole if part is None else stored.part_rows(part)
    needed = report_bytes(rows)
    if needed <= limit_bytes or not _has_some(rows, part):
        return None
    counts, cores, functions = RowCounts(stored.bounds("tasks", "task")), CoreSums(), FunctionSums()
    wanted = {*RowCounts.COLUMNS, *CoreSums.COLUMNS, *FunctionSums.COLUMNS}
    for tasks in stored.chunks("tasks", part, columns=wanted):
        counts.add_tasks(tasks)
        cores.add(tasks)
        functions.add(tasks)
    for phases in stored.chunks("phases", part, columns=("lane", "start_ns", "end_ns")):
        counts.add_phases(phases)
    small = stored.small
    if part is not None:
        small = small.with_meta(notes=(*small.meta.notes, part.note()))
    makespan = cores.result(small)
    answers = {
        "capture": counts.result(small, rows, cores.used_cores()),
        "losses": losses(replace(small, stalls=stored.table("stalls", part))),
        "makespan": makespan,
        "functions": functions.result(small),
    }
    names = [
        one.name for one in analyses("cores") if "cores" in one.families and not one.on_request
    ]
    return StreamedReport(
        answers,
        LeftOut(
            tasks=rows["tasks"],
            needed_bytes=needed,
            limit_bytes=limit_bytes,
            names=tuple(name for name in names if name not in answers),
            notes=_notes(cores),
            window_ns=makespan.window.length_ns if makespan.window is not None else None,
        ),
    )


def _notes(cores: CoreSums) -> tuple[str, ...]:
    notes = ["p50 and p99 of times from 4,096 ns on are up to 0.05 % too small."]
    if cores.out_of_order:
        notes.append(
            f"{count_text(cores.out_of_order)} rows go far back in time on their core, so it may "
            "have been busy for longer."
        )
    return tuple(notes)
