"""`metadata.clock_alignment` of a records file: a placement that somebody found and saved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, Label

_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedAlignment:
    """One stamp of the device, the host time at which it is drawn, and where it may lie."""

    clock_hz: int
    device_anchor_cycles: int
    host_anchor_ns: int
    host_anchor_min_ns: int
    host_anchor_max_ns: int

    @property
    def slack_ns(self) -> int:
        """How far every stamp may move; the join's freedom is in it."""
        return self.host_anchor_max_ns - self.host_anchor_min_ns

    def host_ns(self, cycles: int) -> int:
        """Host time at which a stamp is drawn, rounded down."""
        return math.floor(self.host_anchor_ns + self._since_anchor(cycles))

    def bounds_ns(self, cycles: int) -> tuple[int, int]:
        """Earliest and latest host time of a stamp."""
        since = self._since_anchor(cycles)
        earliest = math.floor(self.host_anchor_min_ns + since)
        return earliest, math.ceil(self.host_anchor_max_ns + since)

    def _since_anchor(self, cycles: int) -> Fraction:
        return Fraction((cycles - self.device_anchor_cycles) * _NS, self.clock_hz)


class NoAlignment(msgspec.Struct, frozen=True, tag_field="status", tag="unavailable"):
    """Nobody could place the run, and why."""

    reason: Label = ""


class _Bounded(msgspec.Struct, kw_only=True, tag_field="status", tag="bounded"):
    device_anchor_cycles: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
    host_anchor_ns: Count
    host_anchor_min_ns: Count
    host_anchor_max_ns: Count

    def __post_init__(self) -> None:
        lo, at, hi = self.host_anchor_min_ns, self.host_anchor_ns, self.host_anchor_max_ns
        if not lo <= at <= hi:
            raise ValueError(
                "expected host_anchor_min_ns <= host_anchor_ns <= host_anchor_max_ns, found "
                f"{lo}, {at} and {hi}"
            )


class _Metadata(msgspec.Struct):
    clock_alignment: _Bounded | NoAlignment | None = None


def read_alignment(file: JsonFile, clock_hz: int) -> SavedAlignment | NoAlignment | None:
    """Read the saved placement of a records file whose counter runs at `clock_hz`.

    Returns None where it has none.

    Raises InputError where it contradicts itself or is not in whole numbers.
    """
    if "metadata" not in file:
        return None
    try:
        saved = file.decode("metadata", _Metadata).clock_alignment
    except InputError as error:
        _, colon, detail = error.problem.partition(": ")
        if not colon or "$.clock_alignment" not in detail:
            raise
        problem = (
            f"'metadata.clock_alignment' is damaged: {detail}; delete the key to do without it"
        )
        raise InputError(file.path, problem) from error
    if not isinstance(saved, _Bounded):
        return saved
    return SavedAlignment(clock_hz=clock_hz, **msgspec.structs.asdict(saved))
