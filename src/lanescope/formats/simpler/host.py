"""Reads the host's side of a run: orchestrator phases and uploads in host ns, clock anchors."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_cells import identity, integer, word
from lanescope.formats.json_file import Count, JsonFile, Label, decode_line, split_array
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.formats.simpler.records import PhaseList, narrow
from lanescope.trace import HostClock, LedgerEntry

LATEST_NS = 1 << 61
"""Host times lie below: 73 years, so differences and sums fit in 64 bits."""


class Sample(msgspec.Struct):
    """One reading of both clocks."""

    position: str
    host_before_ns: int
    host_after_ns: int
    device_cycles: int | None = None

    @property
    def usable(self) -> bool:
        """Whether the device gave a time, and both times of the host are in order."""
        if self.device_cycles is None or not 0 <= self.device_cycles < 1 << 63:
            return False
        return 0 <= self.host_before_ns <= self.host_after_ns < LATEST_NS

    @property
    def round_trip_ns(self) -> int:
        """How long the host waited for the device's time."""
        return self.host_after_ns - self.host_before_ns


class Anchors(msgspec.Struct):
    """`metadata.clock_anchors`: readings of both clocks before and after the run."""

    samples: list[Sample] = []


class HostCapture(msgspec.Struct):
    """`metadata.host_capture`: whether the host kept all its records."""

    status: str
    expected_records: Count = 0
    recorded_records: Count = 0
    pool_records: Count = 0
    dropped_records: Count = 0
    error: Label | None = None


class HostMetadata(msgspec.Struct):
    """The part of `metadata` that only a host orchestrator writes."""

    clock_anchors: Anchors | None = None
    host_capture: HostCapture | None = None
    host_clock_domain_id: Label | None = None


@dataclass(frozen=True, slots=True)
class HostPart:
    """The host's phases, whose `start` and `end` are host nanoseconds, and the clock anchors."""

    phases: list[PhaseList] = field(default_factory=list)
    anchors: Anchors | None = None
    capture: HostCapture | None = None
    clock_domain: str = ""
    """Hosts with the same one have the same clock: one boot of one machine."""

    def facts(self) -> dict[str, Any]:
        """What is kept as it was read, because no table has a place for it."""
        facts: dict[str, Any] = {}
        if self.capture is not None and self.anchors is None:
            facts["host_capture"] = msgspec.to_builtins(self.capture)
        if self.clock_domain:
            facts["host_clock_domain_id"] = self.clock_domain
        return facts

    def ledger(self) -> list[LedgerEntry]:
        """The account of the host orchestrator's records; empty where the file has none."""
        capture = self.capture
        if capture is None:
            return []
        delivered = sum(len(p.start) for p in self.phases if p.lane == "orchestrator")
        expected = max(capture.expected_records, delivered)
        entry = LedgerEntry(
            lane="host orchestrator",
            kind="orchestrator_phase",
            total=expected,
            delivered=delivered,
            dropped=expected - delivered,
            reason=capture.error or "",
        )
        return [entry]


def read_host(file: JsonFile) -> HostPart | None:
    """Read `host_orchestrator_phases` and `host_device_uploads`.

    Returns None where the file has neither.
    """
    key = "host_orchestrator_phases"
    if key not in file and "host_device_uploads" not in file:
        return None
    if key in file and "aicpu_orchestrator_phases" in file:
        problem = f"has both {key!r} and 'aicpu_orchestrator_phases'; a run has one orchestrator"
        raise InputError(file.path, problem)
    metadata = file.decode("metadata", HostMetadata)
    phases = []
    if key in file:
        for lane, piece in enumerate(split_array(file.values[key], what=repr(key))):
            phases.append(_submits(piece, lane, f"{key}[{lane}]"))
    if "host_device_uploads" in file:
        phases.append(_uploads(file.values["host_device_uploads"]))
    domain = metadata.host_clock_domain_id or ""
    return HostPart(phases, metadata.clock_anchors, metadata.host_capture, domain)


def _submits(piece: TextSpan, lane: int, what: str) -> PhaseList:
    times = [integer(key) for key in ("start_host_ns", "end_host_ns")]
    cells = [integer("submit_idx"), identity("task_id"), *times]
    rows = read_object_rows(piece, cells, what=what)
    _require_host_times(piece.path, what, rows)
    return PhaseList(
        lane="orchestrator",
        controller=lane,
        kinds=np.zeros(rows.count, np.int64),
        kind_names=["submit"],
        start=rows["start_host_ns"],
        end=rows["end_host_ns"],
        columns={
            "task": rows["task_id"],
            "submit": narrow(piece.path, what, rows["submit_idx"]),
        },
    )


def _uploads(piece: TextSpan) -> PhaseList:
    cells = [word("phase"), integer("start_host_ns"), integer("end_host_ns"), integer("detail")]
    rows = read_object_rows(piece, cells, what="host_device_uploads")
    _require_host_times(piece.path, "host_device_uploads", rows)
    return PhaseList(
        lane="host",
        controller=0,
        kinds=rows["phase"],
        kind_names=rows.values["phase"],
        start=rows["start_host_ns"],
        end=rows["end_host_ns"],
        columns={"bytes": rows["detail"]},
    )


def _require_host_times(path: Path, what: str, rows: Rows) -> None:
    for key in ("start_host_ns", "end_host_ns"):
        late = rows[key] >= LATEST_NS
        if late.any():
            row = int(np.argmax(late))
            problem = f"{what} row {row}, {key!r}: {int(rows[key][row])} ns is no time of a host"
            raise InputError(path, problem)


class PhaseRecord(msgspec.Struct):
    """One record of host_phase_records.jsonl."""

    phase: Label
    start_ns: Count
    end_ns: Count
    detail: Count = 0
    tid: int = 0


class Pass(msgspec.Struct):
    """One line of host_phase_records.jsonl: one pass over the graph."""

    records: list[PhaseRecord]
    dropped: Count = 0


_WITH_BYTES = {
    *("graph_pack", "arena_h2d", "shared_mem", "gm_heap", "static_arena"),
    *("graph_upload", "sm_h2d"),  # until September 2026; graph_pack took over from graph_upload
}
"""Phases whose `detail` is a number of bytes; elsewhere it is a submission number."""


def read_host_phases(path: Path) -> tuple[list[PhaseList], list[LedgerEntry]]:
    """Read host_phase_records.jsonl: the host's set-up, one list per thread, and its account."""
    by_thread: dict[int, list[PhaseRecord]] = {}
    dropped = 0
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        one = decode_line(path, number, line, Pass)
        dropped += one.dropped
        for record in one.records:
            by_thread.setdefault(record.tid, []).append(record)
    lists = [_host_list(k, records) for k, records in enumerate(by_thread.values())]
    count = sum(len(records) for records in by_thread.values())
    entry = LedgerEntry(
        lane="host",
        kind="host_phase",
        total=count + dropped,
        delivered=count,
        dropped=dropped,
        reason="pool_overflow" if dropped else "",
    )
    return lists, [entry]


def _host_list(controller: int, records: list[PhaseRecord]) -> PhaseList:
    names = sorted({record.phase for record in records})
    codes = {name: code for code, name in enumerate(names)}
    start = np.array([record.start_ns for record in records], np.int64)
    end = np.array([record.end_ns for record in records], np.int64)
    moved = [r.detail if r.phase in _WITH_BYTES else 0 for r in records]
    columns = {"bytes": np.array(moved, np.int64)}
    kinds = np.array([codes[record.phase] for record in records], np.int64)
    return PhaseList("host", controller, kinds, names, start, end, columns)


@dataclass(frozen=True, slots=True)
class ClockFit:
    """A straight line from host nanoseconds to device nanoseconds.

    Device nanoseconds count from `cycles`. Of two anchors both are exact; between them the host's
    drift is spread evenly. Of one moment that is known the line has no drift.
    """

    host: Fraction
    cycles: int
    slope: Fraction = Fraction(1)
    error_ns: int = 0
    status: str = "calibrated"
    slack_ns: int = 0

    def clock(self, base_ns: int) -> HostClock:
        """The line as a trace keeps it; `base_ns` is the device time of the trace's 0 ns."""
        drift = round((1 / self.slope - 1) * 10**9)
        at_base = round(self.host + base_ns / self.slope)
        return HostClock(at_base, drift, self.error_ns, self.status, self.slack_ns)


UNALIGNED = HostClock(0, 0, 0, "unaligned")


def clock_by_order(host: HostPart, first_cycle: int | None) -> ClockFit | None:
    """The device's first moment at the host's last one: the host builds the graph before it runs.

    Returns None where one of them is missing, or where the file has anchors, usable or not.
    """
    ends = [int(phases.end.max()) for phases in host.phases if len(phases.end)]
    if host.anchors is not None or first_cycle is None or not ends:
        return None
    return ClockFit(Fraction(max(ends)), first_cycle, status="ordered")


def fit_clock(anchors: Anchors | None, clock_hz: int) -> ClockFit | None:
    """Fit a line through the best anchor before the run and the best one after it.

    Returns None where one of them is missing or not usable, or where they contradict `clock_hz`.
    """
    usable = [sample for sample in (anchors.samples if anchors else []) if sample.usable]
    before = [s for s in usable if s.position == "pre_host_orchestration"]
    after = [s for s in usable if s.position == "post_device_execution"]
    if not before or not after:
        return None
    first = min(before, key=lambda sample: sample.round_trip_ns)
    last = min(after, key=lambda sample: sample.round_trip_ns)
    assert first.device_cycles is not None and last.device_cycles is not None
    host_first = Fraction(first.host_before_ns + first.host_after_ns, 2)
    host_last = Fraction(last.host_before_ns + last.host_after_ns, 2)
    device = Fraction((last.device_cycles - first.device_cycles) * 10**9, clock_hz)
    if host_last <= host_first:
        return None
    slope = device / (host_last - host_first)
    if not Fraction(1, 2) <= slope <= 2:
        return None
    worst = max(first.round_trip_ns, last.round_trip_ns)
    return ClockFit(host_first, first.device_cycles, slope, -(-worst // 2))
