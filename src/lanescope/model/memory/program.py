"""What a program's transfers cost on a memory, beside the compute that a cost source charges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lanescope.model.memory.access import PS_PER_S
from lanescope.model.memory.models import MemoryModel
from lanescope.model.memory.pipeline import pipelined_s
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.walk import Transfer
from lanescope.model.schedule.predict import Prediction


class ComputeLines(NamedTuple):
    """Cycles without transfers: of one run of each line, and of the whole program."""

    each: list[int]
    total: int


def compute_lines(prediction: Prediction) -> ComputeLines:
    """What a cost source charges for everything but the transfers: those the memory charges."""
    program, rows = prediction.program, prediction.rows
    moves = [form.opcode.transfer for form in program.isa.forms.values()]
    counted = [
        opcode >= 0 and not moves[opcode] and runs > 0
        for opcode, runs in zip(program.opcode.tolist(), rows.instructions.tolist(), strict=True)
    ]
    done = prediction.table.done[program.which].tolist()
    each = [cycles if counts else 0 for cycles, counts in zip(done, counted, strict=True)]
    totals = zip(rows.cycles.tolist(), counted, strict=True)
    return ComputeLines(each, sum(cycles for cycles, counts in totals if counts))


class MemoryRun(NamedTuple):
    """What a program's transfers cost; times are whole picoseconds."""

    transfers: int
    memory_ps: int
    """All transfers, one after the other."""
    compute_ps: int
    prefetched_ps: int
    """Each transfer is made while the program computes what the two before it brought."""
    statistics: Statistics
    regime: str
    warnings: tuple[str, ...]

    @property
    def serial_ps(self) -> int:
        """Every transfer waits, and is waited for: no overlap."""
        return self.compute_ps + self.memory_ps

    @property
    def overlapped_ps(self) -> int:
        """All transfers hidden behind compute, or the other way round: the least there can be."""
        return max(self.compute_ps, self.memory_ps)

    def as_dict(self) -> dict[str, Any]:
        """Every figure."""
        return {
            "transfers": self.transfers,
            "compute_ps": self.compute_ps,
            "serial_ps": self.serial_ps,
            "prefetched_ps": self.prefetched_ps,
            "overlapped_ps": self.overlapped_ps,
            "regime": self.regime,
            "warnings": list(self.warnings),
            "statistics": self.statistics.as_dict(self.serial_ps),
        }

    def lines(self) -> list[str]:
        """The same for people."""
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
    """Charges every transfer after the compute before it; `cycles` are all of the compute."""
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
    """Double buffering: the compute after a transfer needs it, and the one after next waits."""
    begins = [_ps(transfer.cycles_before, clock_hz) for transfer in transfers]
    ends = [*begins[1:], _ps(cycles, clock_hz)]
    computes = [end - begin for begin, end in zip(begins, ends, strict=False)]
    before = begins[0] if begins else _ps(cycles, clock_hz)
    return before + int(pipelined_s(charged_ps, computes))


def _ps(cycles: int, clock_hz: int) -> int:
    return cycles * PS_PER_S // clock_hz
