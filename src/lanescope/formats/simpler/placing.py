"""A run's records and the host's spans of one invocation, put together: place and fit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import InputError
from lanescope.formats.simpler.containment import (
    Enclosure,
    OuterSpan,
    RankPlacement,
    join_at_start,
    join_origin,
    place,
)
from lanescope.formats.simpler.host_log import HostSpan
from lanescope.formats.simpler.invocations import LAUNCH, RUNNER, WALL, Invocation

_NS = 1_000_000_000


class StampRange(NamedTuple):
    """The first and the last stamp of some records."""

    first_cycles: int
    last_cycles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStamps:
    """The stamps of one run's records, 0 left out; `path` is the records file."""

    path: Path
    clock_hz: int
    whole: StampRange
    """over task rows (receive, start, end), scheduler rows, phases and lifecycle stamps"""
    sched: StampRange | None = None
    """over the scheduler streams that AICPU threads wrote"""
    orch: StampRange | None = None
    """over the orchestrator phases that AICPU threads wrote"""


def place_run(stamps: RunStamps, invocation: Invocation) -> RankPlacement:
    """Place a run's stamps inside the spans of an invocation.

    Raises InputError where a span is missing, or where the spans cannot contain the records.
    """
    outer, spans = _outer(stamps, invocation), _enclosures(stamps, invocation)
    join = join_origin(stamps.path, spans, stamps.clock_hz)
    first, last = stamps.whole
    return place(stamps.path, outer, join, first=first, last=last, clock_hz=stamps.clock_hz)


def place_run_at_start(stamps: RunStamps, invocation: Invocation) -> RankPlacement:
    """The same with `dev_start_cycle` of the device wall as zero; see `join_at_start`.

    Raises InputError also where the wall has no such counter value, or has one at another rate.
    """
    outer, spans = _outer(stamps, invocation), _enclosures(stamps, invocation)
    join = join_origin(stamps.path, spans, stamps.clock_hz)
    said = _span(stamps.path, invocation, WALL).attributes
    start, rate = (said.get(key, "") for key in ("dev_start_cycle", "dev_cnt_hz"))
    if not (start.isascii() and start.isdigit() and len(start) < 20 and int(start)):
        problem = (
            f"'dev_start_cycle' of the device wall is {start[:40]!r}, expected a counter value"
        )
        raise InputError(invocation.path, problem)
    if rate != str(stamps.clock_hz):
        problem = (
            f"'dev_cnt_hz' of the device wall is {rate[:40]!r}, and the records count at "
            f"{stamps.clock_hz} Hz; 'dev_start_cycle' cannot be used"
        )
        raise InputError(invocation.path, problem)
    join = join_at_start(stamps.path, join, int(start))
    first, last = stamps.whole
    return place(stamps.path, outer, join, first=first, last=last, clock_hz=stamps.clock_hz)


def fit_ns(stamps: RunStamps, invocation: Invocation) -> Fraction | None:
    """How much longer the log's spans are than the records in them; None where they cannot match.

    The spans of the right invocation are little longer than its records.
    """
    try:
        place_run(stamps, invocation)
    except InputError:
        return None
    spans = _enclosures(stamps, invocation)
    inner = [span for span in spans if span.name != "device_wall"] or spans
    cycles = Fraction(_NS, stamps.clock_hz)
    rests = [s.duration_ns - (s.last_cycles - s.first_cycles) * cycles for s in inner]
    return sum(rests, Fraction(0))


def _span(path: Path, invocation: Invocation, name: str) -> HostSpan:
    found = invocation.only(name)
    if found is None:
        count = sum(span.name == name for span in invocation.spans)
        problem = (
            f"cannot be placed: the host's log has {count} spans {name!r} of pid {invocation.pid} "
            f"inv {invocation.inv}, expected one"
        )
        raise InputError(path, problem)
    if found.on_device != (name == WALL):
        clock = "device's" if found.on_device else "host's"
        problem = f"cannot be placed: the span {name!r} of its log is on the {clock} clock"
        raise InputError(path, problem)
    return found


def _outer(stamps: RunStamps, invocation: Invocation) -> OuterSpan:
    runner = _span(stamps.path, invocation, RUNNER)
    wall = _span(stamps.path, invocation, WALL)
    launch = invocation.only(LAUNCH)
    at = None if launch is None or launch.on_device else launch.ts_ns
    return OuterSpan(runner.ts_ns, runner.dur_ns, wall.dur_ns, at)


def _enclosures(stamps: RunStamps, invocation: Invocation) -> list[Enclosure]:
    """The spans with the stamps that they contain; a span of no length was not stamped."""
    found = []
    for name, inside in (("sched", stamps.sched), ("orch", stamps.orch)):
        span = invocation.only(f"{WALL}.{name}")
        if inside is not None and span is not None and span.dur_ns:
            found.append(Enclosure(name, span.ts_ns, span.dur_ns, *inside))
    wall = _span(stamps.path, invocation, WALL)
    return [*found, Enclosure("device_wall", 0, wall.dur_ns, *stamps.whole)]
