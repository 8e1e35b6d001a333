"""What a records file holds, whichever generation wrote it: times still in the file's own unit.

A file may hold several runs; `runs.py` takes it apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.native.columns import as_int32
from lanescope.trace import MISSING, MISSING32, LedgerEntry
from lanescope.trace.task_rows import precedes

Array = npt.NDArray[Any]

QUEUES = ("aic", "aiv", "mix")
"""Order of the three ready-queue depths in `shared_at_start` and `shared_at_end`."""

MAX_CORE = 1 << 20
"""A core number above this is damage, not a chip."""

Thread = Annotated[int, msgspec.Meta(ge=-1, lt=1 << 31)]
"""A controller thread; -1 is none."""


@dataclass(frozen=True, slots=True)
class PhaseList:
    """One controller's phases: raw times, and the other columns of the `phases` table."""

    lane: str
    controller: int
    kinds: Array
    """codes into `kind_names`"""
    kind_names: list[str]
    start: Array
    end: Array
    columns: dict[str, Array] = field(default_factory=dict)
    epoch: Array | None = None
    """The run of each phase, by the runtime's own number; None where the file does not say it."""

    @property
    def backward(self) -> Array:
        """True for each phase that ends before it starts."""
        return precedes(self.end, self.start)

    def rows(self, index: Array) -> PhaseList:
        """These phases, in this order."""
        return replace(
            self,
            kinds=self.kinds[index],
            start=self.start[index],
            end=self.end[index],
            columns={name: column[index] for name, column in self.columns.items()},
            epoch=None if self.epoch is None else self.epoch[index],
        )


@dataclass(frozen=True, slots=True)
class CoreRows:
    """The cores' records. A time that was not captured is MISSING.

    `func` is there only where the generation carries it.
    """

    core: Array
    task: Array
    token: Array
    receive: Array
    start: Array
    end: Array
    func: Array | None = None
    epoch: Array | None = None
    """The run of each record, by the runtime's own number."""
    place: Array | None = None
    """Its row in the file, where these are not all rows of the file."""

    def rows(self, index: Array) -> CoreRows:
        """These records, in this order."""
        return replace(self, **_taken(self, index))


@dataclass(frozen=True, slots=True)
class ControllerRows:
    """The controllers' records of the same tasks. A time that was not captured is MISSING."""

    core: Array
    token: Array
    dispatch: Array
    finish: Array
    epoch: Array | None = None
    place: Array | None = None

    def rows(self, index: Array) -> ControllerRows:
        """These records, in this order."""
        return replace(self, **_taken(self, index))


def _taken(rows: CoreRows | ControllerRows, index: Array) -> dict[str, Array]:
    columns = {field.name: getattr(rows, field.name) for field in fields(rows)}
    return {name: column[index] for name, column in columns.items() if column is not None}


@dataclass(frozen=True, slots=True)
class ControllerFacts:
    """What a file says of one controller beside its phases."""

    lane: str
    controller: int
    name: str
    kind: str = ""
    worker: int = MISSING32
    physical_core: int = MISSING32


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """One records file. Times are cycles of `clock_hz`.

    Where `clock_hz` is None they are nanoseconds from the file's own zero.
    """

    path: Path
    generation: str
    level: int
    clock_hz: int | None
    cores: CoreRows
    controllers: ControllerRows | None
    """None where one row holds both sides (see `joined`) or the level records no dispatch."""
    joined: ControllerRows | None = None
    """Controller times row by row beside `cores`, where the file was written joined."""
    core_kinds: dict[int, str]
    core_controller: dict[int, int]
    phases: list[PhaseList] = field(default_factory=list)
    fanout: tuple[Array, Array] | None = None
    host: Any = None
    task_ids: str = ""
    """The form of task ids, see lanescope.trace.task_ids."""
    scheduler_key: str = "aicpu_tasks"
    """The file's name for the controllers' records."""
    producer: str = ""
    """Who schedules: `aicpu` or `aicore`; empty where the file does not say it."""
    controller_facts: tuple[ControllerFacts, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    """Accounts that the file itself keeps."""
    epoch: int | None = None
    """The run, where the file holds one and says which."""
    verdict: str = ""
    """What the runtime says about the completeness of the file."""
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


def captured(times: Array) -> Array:
    """Times with MISSING for 0, which in the device's counters means that nothing was captured."""
    return times if times.all() else np.where(times == 0, MISSING, times)


def narrow(path: Path, what: str, values: Array) -> Array:
    """Values as a 32-bit column. Raises InputError where one does not fit."""
    narrowed, row = as_int32(values)
    if row >= 0:
        raise InputError(path, f"{what} row {row}: {int(values[row])} does not fit in 32 bits")
    return narrowed


def require_cores(path: Path, what: str, core: Array, known: Iterable[int] | None) -> None:
    """Refuse core numbers that the chip of this file does not have."""
    limit = max(known, default=-1) + 1 if known is not None else MAX_CORE
    if core.max(initial=-1) >= limit:
        row = int(np.argmax(core >= limit))
        problem = f"is not below {limit}"
        if known is not None:
            problem += ", the number of cores the file declares"
        if not limit:
            problem = "is not one of the file's: it declares no cores (num_cores, core_types)"
        raise InputError(path, f"{what} row {row}: core {int(core[row])} {problem}")


def require_tokens(path: Path, what: str, token: Array) -> None:
    """Refuse tokens that are no 32-bit numbers."""
    if token.max(initial=0) > 0xFFFFFFFF:
        row = int(np.argmax(token > 0xFFFFFFFF))
        raise InputError(path, f"{what} row {row}: token {int(token[row])} is not a 32-bit number")
