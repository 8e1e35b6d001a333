"""What a trace says about itself: where it comes from, its clocks, its level, its ledger.

The string below a field is its documentation; docs/trace-format.md shows it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lanescope.trace.schema import SCHEMA_VERSION


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the files from which the trace was made."""

    path: str
    """The file's path, as the user named it."""
    format: str
    """The format as which the file was recognised."""
    bytes: int
    """The file's size in bytes."""


class LedgerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The account of one lane's records of one kind: total = delivered + dropped + unmatched."""

    lane: str
    """The lane that made the records; `no lane` where they belong to none."""
    kind: str
    """The kind of the records."""
    total: int
    """Number of records that the producer made."""
    delivered: int
    """Number of records that are complete in the trace."""
    dropped: int = 0
    """Number of records that the producer or the host had to give up."""
    unmatched: int = 0
    """Number of records that are in the trace, flagged, without a partner or a usable time."""
    reason: str = ""
    """Why records were dropped, not matched or not known, where that is known."""
    unknown: bool = False
    """Whether the lane made or lost records that nobody could count: `total` is the least then."""

    @property
    def closes(self) -> bool:
        """Whether the sum is right: every record is accounted for."""
        return self.total == self.delivered + self.dropped + self.unmatched


class HostClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How host times became times of the trace.

    Best is a straight line through two anchors: moments at which the host read both its own clock
    and the device's. Without anchors the device's time is placed where it fits in between what the
    host recorded, and may then lie later than drawn, by up to `slack_ns`.
    """

    host_ns: int
    """The host's clock at the trace's base, in ns."""
    drift_ppb: int
    """How much faster the host's clock ran than the device's, in parts per 10^9."""
    error_ns: int
    """Half the round trip of the worse anchor, in ns: no host time is more exact than this. Of a
    contained clock: how far apart the earliest and the latest device zero lie."""
    status: str
    """`calibrated` (two anchors); `contained` (the device's time lies inside the host's, with
    `slack_ns` of freedom); `ordered` (the device began after the host's last record, and nothing
    else is known); or `unaligned`, and then the trace has no host times."""
    slack_ns: int = 0
    """How much later than drawn the device's times may lie on the host's clock."""

    @property
    def is_known(self) -> bool:
        """Whether a time of the device is also a time of the host, within `slack_ns`."""
        return self.status in ("calibrated", "contained")


class BufferSize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The recording buffers that each producer of one kind of record has."""

    count: int
    """How many buffers a producer has."""
    records: int
    """How many records one buffer holds."""


TELLS_FIRST = ("producer-rotated", "after-finish")
"""Protocols in which a core tells that a task ended before it writes the record."""


class RecordingFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a run was recorded, as far as its source says so. Replay and correction read this."""

    protocol: str = ""
    """How records leave the cores: `staging`, `controller-rotated`, `producer-rotated` or
    `after-finish`; empty where it is not known."""
    on_full: str = ""
    """What a producer does when no buffer is empty: `block` or `drop`; empty where it is not
    known."""
    buffers: dict[str, BufferSize] = {}
    """Kind of record → the size of its buffers."""
    region_bytes: int | None = None
    """Size of the memory that was recorded into."""
    pre_dispatch: int | None = None
    """How many tasks a core may hold beside the one it runs."""
    unrecorded_pre_dispatch: int | None = None
    """The same number in a run without recording: reading counters may forbid holding tasks."""
    bank_cores: int | None = None
    """How many cores a scheduler serves in one step, as a warp of a GPU does; None where the source
    does not say."""
    submit_lead_ns: int | None = None
    """How long before the first dispatch the orchestrator began to submit. This and `submitting_ns`
    are known where it waits for nobody, at levels that record no submission, too."""
    submitting_ns: int | None = None
    """How long it took to submit all tasks."""
    record_costs_ns: dict[str, float] | None = None
    """Kind of record → ns that writing one took, where the run knows it; a kind that is not named
    took no time."""
    pmu_events: tuple[int, ...] = ()
    """Numbers of the groups of hardware events that were counted."""
    pmu_counters: tuple[str, ...] = ()
    """Names of the hardware counters in the order of a record; an unused counter has an empty
    name."""
    core_hz: dict[str, int] = {}
    """Kind of core → rate of the core's own clock."""
    unit_clock_hz: int | None = None
    """Rate of the counter that each core stamped its records with, where that is not the device's
    counter."""
    clock_step_ns: int | None = None
    """The smallest step of the clock that all cores share."""
    clock_error_ns: int | None = None
    """The most that the times of one moment on two cores may differ by."""
    threads: int | None = None
    """How many threads of the host worked at once, where the cores are threads."""
    processors: int | None = None
    """How many processors the recorded program could use."""
    load: float | None = None
    """The system's load average over the last minute when the run began."""


class RoofFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The most that a core, or a board, can do."""

    name: str
    """Which core or board."""
    flops_per_s: float
    """Arithmetic operations per second."""
    bytes_per_s: float
    """Bytes to and from memory per second."""


class FunctionWork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one run of a function does."""

    func: int
    """The function's id, see `functions`."""
    roof: str
    """Name of the roof that it stands under."""
    flops: int
    """Arithmetic operations."""
    bytes: int
    """Bytes to and from memory."""


class ProgramWork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the whole program does."""

    roof: str
    """Name of the roof that it stands under."""
    flops: int
    """Arithmetic operations."""
    bytes: int
    """Bytes to and from memory."""


class WorkFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run computes and moves, and on what. The roofline reads this."""

    roofs: tuple[RoofFacts, ...]
    """The roofs that the rows below name."""
    functions: tuple[FunctionWork, ...] = ()
    """Functions whose work is known."""
    whole: ProgramWork | None = None
    """The whole program, where only that is known."""


class WaitFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reason for which the next instruction of a program waited."""

    name: str
    """The reason in one word."""
    label: str
    """The reason as people read it."""
    cycles: int
    """Cycles that instructions waited for this reason."""


class ScheduleFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a program ran on units that take their instructions in order, without a scheduler."""

    cycles: int
    """Cycles of the whole program."""
    serial_cycles: int | None = None
    """Cycles if every instruction waited for the one before it."""
    bound: str = ""
    """What keeps the program from being faster: a unit, or another limit by its name; empty where
    the source does not say."""
    bound_share: float | None = None
    """Its share of `cycles`, from 0 to 1."""
    waits: tuple[WaitFacts, ...] = ()
    """Why instructions waited."""
    unlisted: dict[str, int] = {}
    """Opcode → number of instructions that ran and are no tasks of the trace, because they took no
    time."""


class Meta(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a trace says about itself; everything else is in the tables."""

    schema_version: int = SCHEMA_VERSION
    """Version of the schema of the tables; a trace of another version is refused."""
    name: str
    """The run's name."""
    tool: str
    """The program that wrote the trace, and its version."""
    origin: str
    """`imported`, `simulated`, `measured` or `predicted`."""
    sources: tuple[Source, ...] = ()
    """The files from which the trace was made."""
    chip: str = ""
    """The chip's name; empty where it is not known."""
    clock_hz: int | None = None
    """Rate of the device's counter in Hz; null where the source has no cycles."""
    base_cycles: int | None = None
    """Value of the device's counter at 0 ns, rounded down; null where the source has no cycles."""
    base_shift_ns: int = 0
    """Time from `base_cycles` to 0 ns, in ns; it is 0 unless the host set the base."""
    rank: int | None = None
    """The rank that the trace is of; null where it is not known, or where there are several."""
    world: int | None = None
    """Number of ranks of the job."""
    host: str = ""
    """Name of the machine, where the source says it."""
    process: int | None = None
    """Number of the process that was watched."""
    device: int | None = None
    """Number of the device on its machine, where the trace is of one device."""
    run: str = ""
    """What the source calls the run, as a job's name or number."""
    step: int | None = None
    """The step, where the trace is of exactly one."""
    epoch_ns: int | None = None
    """UTC at 0 ns of the trace, in ns since 1970."""
    epoch_clock: str = ""
    """How `epoch_ns` is known: `realtime` (the source's times are UTC by the machine's clock),
    `session` (the source says at which UTC its own clock began; how that was read is not known);
    empty where there is none."""
    epoch_error_ns: int | None = None
    """The most by which `epoch_ns` may be wrong, where the source says so."""
    level: int = 0
    """How much was recorded: level 0 to 4."""
    flags: int = 0
    """The features that were recorded, one bit each: see lanescope.trace.flags."""
    task_ids: str = ""
    """How the parts of a task id are read: `ring`, `space`, or empty where ids are plain numbers.
    See lanescope.trace.task_ids."""
    queues: tuple[str, ...] = ()
    """Names of the ready queues; `phases` has the depth of each."""
    host_clock: HostClock | None = None
    """How host times became times of the trace, where the source has both clocks."""
    ledger: tuple[LedgerEntry, ...] = ()
    """What became of every record, by lane and kind."""
    notes: tuple[str, ...] = ()
    """What a reader should know before trusting a figure; each note is a sentence."""
    recording: RecordingFacts | None = None
    """How the run was recorded, where the source says so."""
    work: WorkFacts | None = None
    """What the run computes and moves, where the source says so."""
    schedule: ScheduleFacts | None = None
    """How the program ran on its units, where the trace is of such a program."""
    extra: dict[str, Any] = {}
    """Facts of one source format that have no column; no analysis reads them."""
