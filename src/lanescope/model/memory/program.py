"""What a program's transfers cost on a memory, beside the compute that a cost source charges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lanescope.model.memory.access import PS_PER_S
from lanescope.model.memory.models import MemoryModel
from lanescope.model.memory.pipeline import pipelined_s
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.walk import Transfer
from lanescope.results import Result

if TYPE_CHECKING:
    from lanescope.model.schedule.prediction import Prediction


class ComputeLines(NamedTuple):
    """Cycles of a program without its transfers."""

    each: list[int]
    """Per line of the text: cycles of one run."""
    total: int
    """Cycles of the whole program."""


def compute_lines(prediction: Prediction) -> ComputeLines:
    """Cycles of everything but the transfers, which the memory charges."""
    program, costs = prediction.program, prediction.line_costs
    moves = [form.opcode.transfer for form in program.isa.forms.values()]
    counted = [
        opcode >= 0 and not moves[opcode] and runs > 0
        for opcode, runs in zip(program.opcode.tolist(), costs.instructions.tolist(), strict=True)
    ]
    done = prediction.table.done[program.which].tolist()
    each = [cycles if counts else 0 for cycles, counts in zip(done, counted, strict=True)]
    totals = zip(costs.cycles.tolist(), counted, strict=True)
    return ComputeLines(each, sum(cycles for cycles, counts in totals if counts))


@dataclass(frozen=True)
class MemoryRun(Result):
    """What a program's transfers cost on a memory; times are whole picoseconds."""

    transfers: int
    """Number of transfers."""
    memory_ps: int
    """Time of all transfers, one after the other."""
    compute_ps: int
    """Time of everything else, one after the other."""
    prefetched_ps: int
    """Time with two buffers: a transfer runs while the program uses the two before it."""
    statistics: Statistics
    regime: str
    warnings: tuple[str, ...]
    """What was charged though it cannot be so, a sentence each."""

    @property
    def serial_ps(self) -> int:
        """Time without overlap: the program waits for every transfer."""
        return self.compute_ps + self.memory_ps

    @property
    def overlapped_ps(self) -> int:
        """The least time there can be: transfers behind compute, or the other way round."""
        return max(self.compute_ps, self.memory_ps)

    def to_dict(self) -> dict[str, Any]:
        """Every figure as plain dicts."""
        return {
            "transfers": self.transfers,
            "compute_ps": self.compute_ps,
            "serial_ps": self.serial_ps,
            "prefetched_ps": self.prefetched_ps,
            "overlapped_ps": self.overlapped_ps,
            "regime": self.regime,
            "warnings": list(self.warnings),
            "statistics": self.statistics.to_dict(self.serial_ps),
        }

    def lines(self) -> list[str]:
        """Every figure as lines of text."""
        return [
            *(f"warning: {warning}" for warning in self.warnings),
            *self.statistics.lines(self.serial_ps),
            f"  compute {self.compute_ps / 1000:,.0f} ns and transfers "
            f"{self.memory_ps / 1000:,.0f} ns: {self.serial_ps / 1000:,.0f} ns one after the "
            f"other, {self.prefetched_ps / 1000:,.0f} ns with two buffers, at least "
            f"{self.overlapped_ps / 1000:,.0f} ns",
        ]


def run_memory(
    transfers: Sequence[Transfer], model: MemoryModel, *, cycles: int, clock_hz: int
) -> MemoryRun:
    """Charge every transfer after the compute before it; `cycles` are those of all compute."""
    accesses = [transfer.access for transfer in transfers]
    memory = model.build(accesses if model.needs_future else None)
    charged_ps: list[int] = []
    waited_ps = 0
    for transfer in transfers:
        at_ps = _ps(transfer.cycles_before, clock_hz) + waited_ps
        serve = memory.write if transfer.access.writes else memory.read
        charged_ps.append(serve(transfer.access.pieces, at_ps=at_ps).total_ps)
        waited_ps += charged_ps[-1]
    return MemoryRun(
        len(accesses),
        waited_ps,
        _ps(cycles, clock_hz),
        _prefetched_ps(transfers, charged_ps, cycles=cycles, clock_hz=clock_hz),
        memory.statistics,
        model.regime(),
        tuple(model.warnings()),
    )


def _prefetched_ps(
    transfers: Sequence[Transfer], charged_ps: Sequence[int], *, cycles: int, clock_hz: int
) -> int:
    """Picoseconds with two buffers: the compute after a transfer needs it; a third one waits."""
    begins = [_ps(transfer.cycles_before, clock_hz) for transfer in transfers]
    ends = [*begins[1:], _ps(cycles, clock_hz)]
    computes = [end - begin for begin, end in zip(begins, ends, strict=False)]
    before = begins[0] if begins else _ps(cycles, clock_hz)
    return before + int(pipelined_s(charged_ps, computes))


def _ps(cycles: int, clock_hz: int) -> int:
    return cycles * PS_PER_S // clock_hz
