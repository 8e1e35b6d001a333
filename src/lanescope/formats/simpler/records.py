"""What a records file holds, whichever generation wrote it: times still in the file's own unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.trace import MISSING, MISSING32
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

    @property
    def backward(self) -> Array:
        """True for each phase that ends before it starts."""
        return precedes(self.end, self.start)


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


@dataclass(frozen=True, slots=True)
class ControllerRows:
    """The controllers' records of the same tasks. A time that was not captured is MISSING."""

    core: Array
    token: Array
    dispatch: Array
    finish: Array


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
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


def captured(times: Array) -> Array:
    """Times with MISSING for 0, which in the device's counters means that nothing was captured."""
    return np.where(times == 0, MISSING, times)


def narrow(path: Path, what: str, values: Array) -> Array:
    """Values as a 32-bit column. Raises InputError where one does not fit."""
    known = values != MISSING
    out = known & ((values > np.iinfo(np.int32).max) | (values <= MISSING32))
    if out.any():
        row = int(np.argmax(out))
        raise InputError(path, f"{what} row {row}: {int(values[row])} does not fit in 32 bits")
    return np.where(known, values, MISSING32).astype(np.int32)


def require_cores(path: Path, what: str, core: Array, known: Iterable[int] | None) -> None:
    """Refuse core numbers that the chip of this file does not have."""
    limit = max(known, default=-1) + 1 if known is not None else MAX_CORE
    bad = core >= limit
    if bad.any():
        row = int(np.argmax(bad))
        expected = f"below {limit}, the number of cores the file declares"
        if known is None:
            expected = f"below {MAX_CORE}"
        raise InputError(path, f"{what} row {row}: core {int(core[row])} is not {expected}")


def require_tokens(path: Path, what: str, token: Array) -> None:
    """Refuse tokens that are no 32-bit numbers."""
    bad = token > 0xFFFFFFFF
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(path, f"{what} row {row}: token {int(token[row])} is not a 32-bit number")
