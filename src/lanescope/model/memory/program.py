"""What a program's transfers cost on a memory: the cycles of each, and what the memory did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError
from lanescope.model.memory.access import PS_PER_S
from lanescope.model.memory.models import MemoryModel
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.walk import Transfer
from lanescope.results import Result

Array = npt.NDArray[Any]

_MOST_CYCLES = 1 << 62


class ChargedTransfers(NamedTuple):
    """The transfers that run, in order."""

    row: Array
    """Per transfer: its line, counted from 0."""
    cycles: Array
    """Per transfer: whole cycles of the core that it takes, rounded up."""
    read_bytes: Array
    """Per transfer: bytes that it reads from the board's memory or over the link."""
    written_bytes: Array
    link_bytes: Array
    """Per transfer: bytes over the link to the host, in both directions."""


@dataclass(frozen=True)
class MemoryRun(Result):
    """The memory of a prediction: its regime, what it did, and what is wrong with it."""

    regime: str
    statistics: Statistics
    warnings: tuple[str, ...] = ()
    """What was charged though it cannot be so, a sentence each."""
    charged: ChargedTransfers | None = field(default=None, repr=False)
    """What each transfer took; None where the cost source charges them."""

    def to_dict(self, elapsed_ps: int = 0) -> dict[str, Any]:
        """Every figure as plain dicts; shares are of the elapsed time."""
        return {
            "regime": self.regime,
            "transfers": self.statistics.accesses,
            "warnings": list(self.warnings),
            "statistics": self.statistics.to_dict(elapsed_ps),
        }

    def lines(self, elapsed_ps: int) -> list[str]:
        """Every figure as lines of text."""
        warnings = [f"warning: {warning}" for warning in self.warnings]
        return [*warnings, *self.statistics.lines(elapsed_ps)]


def run_memory(transfers: Iterable[Transfer], model: MemoryModel, *, clock_hz: int) -> MemoryRun:
    """Charge every transfer after the compute and the transfers before it."""
    if model.needs_future:
        transfers = list(transfers)
        memory = model.build([transfer.access for transfer in transfers])
    else:
        memory = model.build()
    counts, host = memory.statistics, memory.statistics.host
    rows: list[tuple[int, int, int, int, int]] = []
    waited_ps = 0
    before = (0, 0, 0)
    for transfer in transfers:
        at_ps = transfer.cycles_before * PS_PER_S // clock_hz + waited_ps
        took_ps = memory.serve(transfer.access, at_ps=at_ps).total_ps
        waited_ps += took_ps
        link = 0 if host is None else _link_bytes(host)
        after = (counts.read_bytes, counts.written_bytes, link)
        moved = [now - then for now, then in zip(after, before, strict=True)]
        cycles = -(-took_ps * clock_hz // PS_PER_S)
        if cycles > _MOST_CYCLES:
            place = f"the transfer of line {transfer.row + 1}"
            raise LanescopeError(f"{place} takes more than 2^62 cycles; no figure would be exact")
        rows.append((transfer.row, cycles, *moved))  # type: ignore[arg-type]
        before = after
    columns = np.array(rows, np.int64).reshape(-1, 5).T.copy()
    return MemoryRun(model.regime(), counts, tuple(model.warnings()), ChargedTransfers(*columns))


def _link_bytes(host: Any) -> int:
    return int(host.swapped_bytes + host.streamed_bytes + host.written_back_bytes)
