"""Types of JSON objects that are written by hand in other rooms, for their schemas.

Each says which function makes it; tests hold real output against the schemas.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lanescope.jobs.balance import RoleBalance
from lanescope.jobs.blame import RankBlame
from lanescope.jobs.clock import JobClock
from lanescope.jobs.ideal import Ideal
from lanescope.jobs.job import Unread
from lanescope.jobs.path import RankPath
from lanescope.jobs.report import JobStepTimes
from lanescope.jobs.stragglers import Stragglers
from lanescope.jobs.waits import JobWaits
from lanescope.model.isa.binding import RunTimeCount
from lanescope.model.isa.parse import Problem
from lanescope.model.memory.statistics import Statistics
from lanescope.model.schedule.difference import PredictionDifference
from lanescope.model.schedule.prediction import ProgramRoofline
from lanescope.model.schedule.tables import CycleShare, HotLine, LoopShare, OpcodeShare
from lanescope.platforms.budget.choice import BudgetOutcome, LevelOption


class TraceNumbers(TypedDict):
    """A stored trace in a few numbers (`reports/summary.py`)."""

    trace: str
    name: str
    level: int
    tasks: int
    cores: int
    lanes: NotRequired[dict[str, int]]
    """Number of lanes by what they are, where they are no cores; so are the four below."""
    ran: NotRequired[dict[str, int]]
    host_threads: NotRequired[int]
    steps: NotRequired[int]
    collectives: NotRequired[int]
    runs: int
    phases: int
    edge_rows: int
    marks: int
    counters: int
    dropped: int
    unmatched: int
    unknown_lanes: int
    notes: list[str]


class ImportedTrace(TraceNumbers):
    """A trace that was imported (`cli/import_.py`). An importer may add keys of its own."""

    format: str


class SkippedFile(TypedDict):
    """A file that gave no trace."""

    path: str
    reason: str


class BudgetFigures(TypedDict):
    """`BudgetReport.to_dict`."""

    share: float | None
    memory_bytes: int | None
    level: int
    buffers: int
    buffer_records: int
    options: list[LevelOption]
    basis: str
    unrecorded_ns: list[int]
    measured: BudgetOutcome


class RankFigures(TypedDict):
    """`JobReport.to_dict`."""

    name: str
    ranks: int
    world: int | None
    missing: list[int]
    unread: list[Unread]
    notes: list[str]
    stragglers: Stragglers
    blame: list[RankBlame]
    waits: JobWaits
    clock: JobClock
    steps: JobStepTimes
    balance: list[RoleBalance]
    path: RankPath | None
    ideal: Ideal | None


class MemoryFigures(TypedDict):
    """`MemoryRun.to_dict`."""

    regime: str
    transfers: int
    warnings: list[str]
    statistics: Statistics


class CycleFigures(TypedDict):
    """The four figures of a prediction in cycles."""

    serial: int
    busy: dict[str, int]
    critical_path: int | None
    overlapped: int | None


class PredictedTimes(TypedDict):
    """Two of them in nanoseconds; None where the core has no clock."""

    serial: float | None
    overlapped: float | None


class IntervalFigures(TypedDict):
    """Figures from low to high, where counts are known at run time only (`interval_dict`)."""

    counts: list[RunTimeCount]
    instructions: tuple[int, int]
    cycles: dict[str, tuple[int | None, int | None]]
    time_ns: dict[str, tuple[float | None, float | None]]
    bound_by: tuple[str, str]


class UnknownLines(TypedDict):
    """What a total leaves out."""

    lines: int
    instructions: int
    problems: list[Problem]


class PredictionFigures(TypedDict):
    """`prediction_dict`."""

    program: str
    isa: str
    board: str | None
    cost_source: str
    cost_source_text: str
    cost_source_chosen: str | None
    outside_domain: list[str]
    machine: str
    clock_hz: int | None
    source_lines: int
    instruction_lines: int
    instructions: int
    cycles: CycleFigures
    outstanding_transfers: int
    buffers: int
    time_ns: PredictedTimes
    bound_by: str
    bound_share: float
    waits: dict[str, int] | None
    carriers: dict[str, int] | None
    traffic_bytes: int
    useful_bytes: int
    flop: int
    bandwidth_bytes_per_s: float | None
    bandwidth_kind: str | None
    bandwidth_source: str | None
    transfer_bytes_per_s: float | None
    roofline: ProgramRoofline | None
    unknown: UnknownLines
    interval: IntervalFigures | None
    peer_cycles: dict[str, int]
    opcodes: list[OpcodeShare]
    categories: list[CycleShare]
    types: list[CycleShare]
    regions: list[CycleShare]
    sections: list[CycleShare]
    loops: list[LoopShare]
    lines: list[HotLine]
    memory: NotRequired[MemoryFigures]


class PredictionsCompared(TypedDict):
    """Several predictions side by side; `difference` with `--diff`."""

    predictions: list[PredictionFigures]
    difference: NotRequired[PredictionDifference]
