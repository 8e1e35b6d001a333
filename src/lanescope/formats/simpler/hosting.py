"""Puts runs on the host's clock, by what the host's logs say of them, and its spans beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.simpler.alignment import SavedAlignment, read_alignment
from lanescope.formats.simpler.containment import RankPlacement
from lanescope.formats.simpler.host import ClockFit
from lanescope.formats.simpler.host_log import HostLog, HostSpan
from lanescope.formats.simpler.identity import read_identity
from lanescope.formats.simpler.invocations import Invocation, rounds
from lanescope.formats.simpler.matching import RankRun, match_invocations
from lanescope.formats.simpler.parts import Run
from lanescope.formats.simpler.placing import (
    RunStamps,
    StampRange,
    fit_ns,
    place_run,
    place_run_at_start,
)
from lanescope.formats.simpler.records import Array, PhaseList, Records
from lanescope.formats.simpler.strace import read_host_log
from lanescope.trace import MISSING, LedgerEntry

START_CYCLE = "start-cycle"
"""The choice to trust the device's own start in the log, where it has one."""


@dataclass(frozen=True, slots=True)
class HostLogs:
    """All logs of a capture, and the invocations in them."""

    logs: tuple[HostLog, ...]
    invocations: tuple[Invocation, ...]

    @classmethod
    def read(cls, paths: Iterable[Path]) -> HostLogs:
        """Read the logs; a span that two of them hold counts once."""
        logs = tuple(read_host_log(path) for path in dict.fromkeys(paths))
        return cls(logs, tuple(rounds(*logs)))

    def spans(self) -> Iterator[HostSpan]:
        """All spans; one that an extract of a log repeats is given once."""
        if len(self.logs) == 1:
            yield from self.logs[0].spans
            return
        seen: set[HostSpan] = set()
        for log in self.logs:
            for span in log.spans:
                if span not in seen:
                    seen.add(span)
                    yield span

    def facts(self) -> dict[str, Any]:
        """Sums of host phases, which have no place in time."""
        totals = [total for log in self.logs for total in log.totals]
        return {"host_phase_totals": [asdict(total) for total in totals]} if totals else {}

    def ledger(self) -> list[LedgerEntry]:
        """What became of the records of each log."""
        entries = []
        for log in self.logs:
            lost = log.dropped + log.damaged + log.cut
            reason = "records were cut off" if log.cut else ""
            if log.first_damage is not None:
                reason = f"line {log.first_damage.line}: {log.first_damage.reason}"
            entries.append(
                LedgerEntry(
                    lane=f"host log {log.path.name}",
                    kind="host_span",
                    total=len(log.spans) + lost,
                    delivered=len(log.spans),
                    dropped=lost,
                    reason=reason or ("dropped by the host" if log.dropped else ""),
                )
            )
        return entries


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a run lies on the host's clock, and by which invocation that is known."""

    invocation: Invocation
    placement: RankPlacement
    by: str
    """What told the invocation: `identity`, `run_epoch` or `fit`."""


def place_runs(runs: Sequence[Run], logs: HostLogs, clock: str) -> list[Placed | None]:
    """Place every run whose invocation the logs hold; others get a note and stay as they are.

    `clock` is START_CYCLE, or anything else for containment alone.
    """
    stamps = [run_stamps(run) for run in runs]
    wanted = [
        RankRun(
            path=_path(run),
            identity=read_identity(run.files.identity) if run.files.identity else None,
            run_epoch=run.records.epoch if run.records else None,
            fit=_fit(some),
        )
        for run, some in zip(runs, stamps, strict=True)
    ]
    matches = match_invocations(wanted, logs.invocations)
    return [
        _placed(run, some, match.invocation, match.by, match.problem, clock)
        for run, some, match in zip(runs, stamps, matches, strict=True)
    ]


def _placed(
    run: Run,
    stamps: RunStamps | None,
    invocation: Invocation | None,
    by: str,
    problem: str,
    clock: str,
) -> Placed | None:
    name = _path(run).parent.name
    if stamps is None or invocation is None:
        told = problem or "it has no stamp"
        run.notes.append(f"{name} could not be placed on the host's clock: {told}.")
        return None
    try:
        place = place_run_at_start if clock == START_CYCLE else place_run
        placement = place(stamps, invocation)
    except InputError as error:
        run.notes.append(f"{name} could not be placed on the host's clock: {error.problem}.")
        return None
    origin = placement.join.origin_cycles
    anchor = int(origin)
    run.placed = ClockFit(
        Fraction(placement.host_ns(anchor)),
        anchor,
        status="contained",
        slack_ns=placement.slack_ns,
        error_ns=placement.join.residual_ns,
    )
    return Placed(invocation, placement, by)


def saved_clock(file: JsonFile, records: Records) -> ClockFit | None:
    """The place on the host's clock that a tool saved in the file; None where it has none."""
    if records.clock_hz is None or (records.host is not None and records.host.anchors is not None):
        return None
    saved = read_alignment(file, records.clock_hz)
    if not isinstance(saved, SavedAlignment):
        return None
    earlier = saved.host_anchor_ns - saved.host_anchor_min_ns
    later = saved.host_anchor_max_ns - saved.host_anchor_ns
    return ClockFit(
        Fraction(saved.host_anchor_ns),
        saved.device_anchor_cycles,
        status="contained",
        error_ns=2 * earlier,
        slack_ns=max(later - earlier, 0),
    )


def _path(run: Run) -> Path:
    return run.records.path if run.records else Path(run.files.name)


def _fit(stamps: RunStamps | None) -> Callable[[Invocation], Fraction | None]:
    def fit(invocation: Invocation) -> Fraction | None:
        return None if stamps is None else fit_ns(stamps, invocation)

    return fit


def run_stamps(run: Run) -> RunStamps | None:
    """First and last stamps of a run's records; None where it has none, or no device clock."""
    records, tasks = run.records, run.tasks
    if records is None or tasks is None or records.clock_hz is None:
        return None
    whole = _range(*tasks.times.values(), *_ends(records.phases))
    if whole is None:
        return None
    aicpu = records.producer != "aicore"
    sched = [p for p in records.phases if p.lane == "scheduler" and aicpu]
    orch = [p for p in records.phases if p.lane == "orchestrator"]
    return RunStamps(
        path=records.path,
        clock_hz=records.clock_hz,
        whole=whole,
        sched=_range(*_ends(sched)),
        orch=_range(*_ends(orch)),
    )


def _ends(lists: Iterable[PhaseList]) -> list[Array]:
    return [times for phases in lists for times in (phases.start, phases.end)]


def _range(*columns: Array) -> StampRange | None:
    known = [column[column != MISSING] for column in columns]
    known = [column for column in known if len(column)]
    if not known:
        return None
    return StampRange(min(int(c.min()) for c in known), max(int(c.max()) for c in known))
