"""What differs between two predictions: by figure, unit, opcode, section and region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lanescope.model.schedule.detail import detail
from lanescope.model.schedule.prediction import TOP, Prediction
from lanescope.model.schedule.tables import CycleShare, OpcodeShare
from lanescope.results import Result, plain

if TYPE_CHECKING:
    from lanescope.render.page import Section


class CycleChange(NamedTuple):
    """Instructions and cycles of one group, first and second."""

    name: str
    instructions: tuple[int, int]
    cycles: tuple[int, int]

    @property
    def more_cycles(self) -> int:
        """Cycles that the second has more than the first."""
        return self.cycles[1] - self.cycles[0]


@dataclass(frozen=True, eq=False)
class PredictionDifference(Result):
    """What a second prediction has more than a first one; groups that are equal are absent."""

    first: Prediction
    second: Prediction
    figures: dict[str, int]
    """Figures in cycles, and `instructions` and `traffic_bytes`."""
    busy: dict[str, int]
    """Cycles by unit."""
    opcodes: tuple[CycleChange, ...] = field(repr=False)
    """The largest change first, as in the tables below."""
    sections: tuple[CycleChange, ...] = field(repr=False)
    regions: tuple[CycleChange, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The differences, without the two predictions."""
        names = ("figures", "busy", "opcodes", "sections", "regions")
        return {name: plain(getattr(self, name)) for name in names}

    def page(self, *, top: int = TOP) -> list[Section]:
        """Both side by side, then what differs; a table has at most `top` rows."""
        from lanescope.model.schedule.compare import difference_page
        from lanescope.model.schedule.page import memory_sections

        return [*difference_page(self, top), *memory_sections([self.first, self.second])]

    def text(self, *, top: int = TOP) -> str:
        """The page as plain text."""
        from lanescope.render.plain import render_sections

        return render_sections(self.page(top=top))


def difference(first: Prediction, second: Prediction) -> PredictionDifference:
    """Subtract the first prediction from the second."""
    before, after = detail(first, 0), detail(second, 0)
    figures = {
        "serial": second.serial - first.serial,
        "instructions": second.instructions - first.instructions,
        "traffic_bytes": second.traffic.traffic_bytes - first.traffic.traffic_bytes,
    }
    if first.overlapped and second.overlapped:
        figures["overlapped"] = second.overlapped.cycles - first.overlapped.cycles
        figures["critical_path"] = second.overlapped.critical_path - first.overlapped.critical_path
    return PredictionDifference(
        first,
        second,
        figures,
        busy={unit: second.busy.get(unit, 0) - cycles for unit, cycles in first.busy.items()},
        opcodes=_changes(before.opcodes, after.opcodes),
        sections=_changes(before.sections, after.sections),
        regions=_changes(before.regions, after.regions),
    )


def _changes(
    before: Sequence[CycleShare | OpcodeShare], after: Sequence[CycleShare | OpcodeShare]
) -> tuple[CycleChange, ...]:
    """The groups that differ, the largest change of cycles first."""
    old = {share.name: share for share in before}
    new = {share.name: share for share in after}
    changes = [
        CycleChange(
            name,
            (_instructions(old.get(name)), _instructions(new.get(name))),
            (_cycles(old.get(name)), _cycles(new.get(name))),
        )
        for name in dict.fromkeys([*old, *new])
    ]
    differing = [one for one in changes if len({*one.instructions}) > 1 or len({*one.cycles}) > 1]
    return tuple(sorted(differing, key=lambda one: -abs(one.more_cycles)))


def _instructions(share: CycleShare | OpcodeShare | None) -> int:
    return share.instructions if share else 0


def _cycles(share: CycleShare | OpcodeShare | None) -> int:
    return share.cycles if share else 0
