"""Places a run's device times on the host's clock: device work lies inside the host's spans.

Two things are not known of a stamp of the device's counter: which counter value is the zero of
the device spans in the log (the *join*), and at which host time that zero was (the *place*). Spans
that contain others bound both. All arithmetic is exact; bounds are rounded outwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import InputError
from lanescope.formats.simpler.alignment import SavedAlignment

METHOD = "span_containment_v1"
_NS = 1_000_000_000


class Enclosure(NamedTuple):
    """A device span of the log, and the first and last stamp of the records that it contains."""

    name: str
    start_ns: int
    duration_ns: int
    first_cycles: int
    last_cycles: int


@dataclass(frozen=True, slots=True)
class OriginJoin:
    """The counter value of device zero: where it is taken to be, and where it may be."""

    origin_cycles: Fraction
    lo: Fraction
    hi: Fraction
    residual_ns: int
    """how far apart `lo` and `hi` are"""
    sources: tuple[str, ...]
    """the spans that bound it"""


def join_origin(path: Path, spans: Sequence[Enclosure], clock_hz: int) -> OriginJoin:
    """Find the counter value of device zero: each span must contain its records.

    Raises InputError where no value satisfies all spans; `path` names the file.
    """
    if clock_hz <= 0 or not spans:
        raise InputError(path, f"nothing to place: {len(spans)} device spans at {clock_hz} Hz")
    cycles = Fraction(clock_hz, _NS)
    latest = {span: span.first_cycles - span.start_ns * cycles for span in spans}
    earliest = {
        span: span.last_cycles - (span.start_ns + span.duration_ns) * cycles for span in spans
    }
    before = min(latest, key=latest.__getitem__)
    after = max(earliest, key=earliest.__getitem__)
    lo, hi = earliest[after], latest[before]
    if lo > hi:
        too_much = math.ceil((lo - hi) / cycles)
        if before == after:
            problem = f"its records last {too_much} ns longer than the span {before.name!r}"
        else:
            problem = (
                f"the spans {before.name!r} and {after.name!r} contradict each other by "
                f"{too_much} ns"
            )
        raise InputError(path, f"the host's log is not of this run: {problem}")
    residual = math.ceil((hi - lo) / cycles)
    return OriginJoin((lo + hi) / 2, lo, hi, residual, tuple(span.name for span in spans))


def join_at_start(path: Path, join: OriginJoin, start_cycles: int) -> OriginJoin:
    """The join with the wall's own `dev_start_cycle` as zero, and no residual.

    This is never done unasked, even where the start lies inside the bounds. `dev_start_cycle` is
    when the wall began, while the log counts a device span's start from the first span inside the
    wall. Both are one value only where nothing lies between them, which the log does not say; so
    agreement within the residual does not prove that the residual is 0.

    Raises InputError where the start lies outside the bounds: then it is not the same zero.
    """
    if not join.lo <= start_cycles <= join.hi:
        away = join.lo - start_cycles if start_cycles < join.lo else start_cycles - join.hi
        side = "before the earliest" if start_cycles < join.lo else "after the latest"
        problem = (
            f"'dev_start_cycle' {start_cycles} lies {math.ceil(away)} cycles {side} zero that the "
            f"spans {', '.join(join.sources)} allow, so it cannot be taken as zero"
        )
        raise InputError(path, problem)
    start = Fraction(start_cycles)
    return OriginJoin(start, start, start, 0, (*join.sources, "dev_start_cycle"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlacement:
    """Where one rank's device work lies on the host's clock. It is drawn at `place_lo_ns`."""

    outer_start_ns: int
    outer_duration_ns: int
    device_wall_ns: int
    aicpu_launch_ns: int | None
    join: OriginJoin
    clock_hz: int
    head_ns: Fraction
    """from device zero to the first moment that is placed; 0 or negative"""
    device_extent_ns: int
    outer_slack_ns: int
    """how far the device work may move inside the outer span"""
    place_lo_ns: int
    place_hi_ns: int

    @property
    def method(self) -> str:
        """How the place was found."""
        return METHOD

    @property
    def causal_constraint(self) -> str | None:
        """What else than the outer span bounds the place."""
        return None if self.aicpu_launch_ns is None else "aicpu_launch<=device_start"

    @property
    def slack_ns(self) -> int:
        """How far the device work may move; the join's freedom is not in it."""
        return self.place_hi_ns - self.place_lo_ns

    @property
    def stamp_slack_ns(self) -> int:
        """How far a single stamp may lie after its earliest time: slack and residual."""
        return self.slack_ns + self.join.residual_ns

    def host_ns(self, cycles: int) -> int:
        """Host time at which a stamp is drawn, rounded down."""
        return math.floor(self.place_lo_ns + self._since_head(cycles - self.join.origin_cycles))

    def bounds_ns(self, cycles: int) -> tuple[int, int]:
        """Earliest and latest host time of a stamp, the join's freedom included."""
        earliest = self.place_lo_ns + self._since_head(cycles - self.join.hi)
        latest = self.place_hi_ns + self._since_head(cycles - self.join.lo)
        return math.floor(earliest), math.ceil(latest)

    def saved(self, cycles: int) -> SavedAlignment:
        """The placement as a records file keeps it, with `cycles` as its anchor."""
        earliest, latest = self.bounds_ns(cycles)
        return SavedAlignment(
            clock_hz=self.clock_hz,
            device_anchor_cycles=cycles,
            host_anchor_ns=self.host_ns(cycles),
            host_anchor_min_ns=earliest,
            host_anchor_max_ns=latest,
        )

    def _since_head(self, cycles: Fraction) -> Fraction:
        return cycles * _NS / self.clock_hz - self.head_ns


class OuterSpan(NamedTuple):
    """What the host's log says of one run: `runner_run`, the wall inside it, and the launch."""

    start_ns: int
    duration_ns: int
    wall_ns: int
    launch_ns: int | None


def place(
    path: Path, outer: OuterSpan, join: OriginJoin, *, first: int, last: int, clock_hz: int
) -> RankPlacement:
    """Bound the host time of the device work between the stamps `first` and `last`.

    Raises InputError where the outer span cannot contain it; `path` names the file.
    """
    head = min(Fraction(0), (first - join.origin_cycles) * _NS / clock_hz)
    end = max(Fraction(outer.wall_ns), (last - join.origin_cycles) * _NS / clock_hz)
    extent = end - head
    if extent > outer.duration_ns:
        problem = (
            f"the device worked for {math.ceil(extent)} ns, "
            f"{math.ceil(extent - outer.duration_ns)} ns longer than the span 'runner_run' that "
            "contains it; the host's log is not of this run"
        )
        raise InputError(path, problem)
    outer_end = outer.start_ns + outer.duration_ns
    if outer.launch_ns is not None and outer.launch_ns < outer.start_ns:
        early = outer.start_ns - outer.launch_ns
        raise InputError(path, f"'aicpu_launch' lies {early} ns before its span 'runner_run'")
    place_lo = outer.start_ns if outer.launch_ns is None else outer.launch_ns
    if place_lo + extent > outer_end:
        late = math.ceil(place_lo + extent - outer_end)
        problem = (
            f"'aicpu_launch' lies {late} ns too late: the device work after it would end after the "
            "span 'runner_run' that contains it"
        )
        raise InputError(path, problem)
    slack = outer.duration_ns - math.floor(extent)
    return RankPlacement(
        outer_start_ns=outer.start_ns,
        outer_duration_ns=outer.duration_ns,
        device_wall_ns=outer.wall_ns,
        aicpu_launch_ns=outer.launch_ns,
        join=join,
        clock_hz=clock_hz,
        head_ns=head,
        device_extent_ns=math.floor(extent),
        outer_slack_ns=slack,
        place_lo_ns=place_lo,
        place_hi_ns=outer.start_ns + slack,
    )


def cross_rank_uncertainty(placements: Sequence[RankPlacement | SavedAlignment]) -> int | None:
    """How far two ranks may move against each other: the two widest slacks together.

    None below two ranks: there is nothing to compare.
    """
    if len(placements) < 2:
        return None
    return sum(sorted(placement.slack_ns for placement in placements)[-2:])


def order_is_decided(gap_ns: int, uncertainty_ns: int) -> bool:
    """Whether the order of two moments on different ranks is known, given how far apart they are.

    A gap of exactly the uncertainty may be none at all, so it decides nothing.
    """
    return abs(gap_ns) > uncertainty_ns
