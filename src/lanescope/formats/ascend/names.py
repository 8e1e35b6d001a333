"""What names of this profiler mean: types of task, and names of operations among ranks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.formats.streams.kernels import collective_kind
from lanescope.formats.streams.recording import (
    HOST_DEVICE,
    HOST_EVENT,
    HOST_STREAM,
    WAIT_KINDS,
    WORK,
)
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array

COMPUTE, COMMUNICATION, COPY, FILL, WAIT = range(len(WORK))
CUBE = ("AI_CORE", "MIX_AIC", "AIC", "AICORE", "KERNEL_AICORE", "KERNEL_MIX_AIC")
"""Types of task whose blocks run on cube cores; the other half of a mix runs on vector cores."""
VECTOR = ("AI_VECTOR_CORE", "MIX_AIV", "AIV", "AIVEC", "KERNEL_AIVEC", "KERNEL_MIX_AIV")
_COMMUNICATE = ("HCCL", "COMMUNICATION", "HCOM")
_HCCL_WAITS = ("Notify_Wait", "Notify Wait", "NotifyWait")
_COPIES = ("MEMCPY", "SDMA", "PCIE_DMA")
_RUNTIME_TASK = re.compile(r"[A-Z0-9_ ]+")
"""Tasks of the runtime itself are in capitals: EVENT_RECORD, PLACE_HOLDER_SQE, MODEL_EXECUTE, …"""
NO_CONNECTION = 0xFFFFFFFF
"""What the profiler writes where a task has no launch: the largest number of 32 bits."""
_SYNCHRONIZE = re.compile(r"(Stream|Device|Event)Synchronize|Synchronize(Stream|Device|Event)")
_OPERATION = re.compile(r"(?:hcom_)?(\w+?)_*__(\d+)_(\d+)(?:_\d+)?(?:@(.*))?", re.IGNORECASE)


def work_of(task_type: str, name: str) -> int:
    """Index into WORK, by the type of the task and then by its name; -1 where neither tells."""
    kind = task_type.upper()
    if kind in _COMMUNICATE or name.startswith(("hcom_", "Hccl")):
        return COMMUNICATION
    if name in _HCCL_WAITS:
        return WAIT
    for text in (kind, name if _RUNTIME_TASK.fullmatch(name) else ""):
        if "WAIT" in text:
            return WAIT
        if any(part in text for part in _COPIES):
            return COPY
        if "MEMSET" in text:
            return FILL
    if kind in CUBE or kind in VECTOR or kind.startswith(("AI_", "MIX_", "DSA", "KERNEL")):
        return COMPUTE
    return -1 if not name or _RUNTIME_TASK.fullmatch(name) else COMPUTE


def work_column(types: Sequence[str], names: Sequence[str], type_: Array, name: Array) -> Array:
    """`work_of` for rows given by codes into two lists; -1 is a type that is not known."""
    pairs = type_ * (len(names) + 1) + name
    used, place = numbered(pairs)
    found = []
    for pair in used.tolist():
        of_type, of_name = divmod(pair, len(names) + 1)
        found.append(work_of(types[of_type] if of_type >= 0 else "", names[of_name]))
    return np.array(found, np.int64)[place]


def wait_kinds(names: Sequence[str]) -> Array:
    """What the host waits for in a call of each name, as an index into WAIT_KINDS; -1: nothing."""
    found = [_SYNCHRONIZE.search(name) for name in names]
    kinds = {"stream": HOST_STREAM, "device": HOST_DEVICE, "event": HOST_EVENT}
    words = [(one[1] or one[2]).lower() if one else "" for one in found]
    return np.array([WAIT_KINDS.index(kinds[word]) if word else -1 for word in words], np.int64)


def launches(connections: Array) -> Array:
    """Numbers of launches; MISSING where a row has none."""
    absent = (connections < 0) | (connections == NO_CONNECTION)
    return np.where(absent, MISSING, connections)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation among ranks, told by its name; equal names are the same on all ranks.

    `hcom_allReduce__445_7_1@…445`: kind, end of the group's number, how many of the group came
    before; what stands after @ is the whole number of the group.
    """

    kind: str
    group: str = ""
    sequence: int = MISSING

    @classmethod
    def of(cls, name: str) -> Operation:
        """Take a name apart; a name of another form is a kind alone."""
        found = _OPERATION.fullmatch(name)
        if found is None:
            return cls(_kind(name.split("@")[0]))
        return cls(_kind(found[1]), found[4] or found[2], int(found[3]))


def operation_key(name: str) -> str:
    """What a name has in common in all files: some add the group's whole number behind an @."""
    return name.split("@")[0]


def operation_type(name: str) -> str:
    """The name without group and number, as the tables of kernels write it: `hcom_allReduce_`."""
    found = re.match(r"\w+?_(?=_\d)", name)
    return found[0] if found else operation_key(name)


def _kind(name: str) -> str:
    return collective_kind(name.removeprefix("hcom_").removeprefix("Hccl"))


def sequences(groups: Sequence[str], numbers: Sequence[int]) -> Array:
    """The numbers of operations; MISSING for a whole group where one number stands twice.

    A captured graph that is launched again repeats its names, so these cannot tell its runs apart.
    """
    seen: set[tuple[str, int]] = set()
    repeated = set()
    for one in zip(groups, numbers, strict=True):
        if one in seen:
            repeated.add(one[0])
        seen.add(one)
    kept = [n if g not in repeated else MISSING for g, n in zip(groups, numbers, strict=True)]
    return np.array(kept, np.int64)
