"""Small inputs for every part of the C library that asks for memory, and calls of it that fail.

LD_PRELOAD=shim.so python -m tests.native.starved prints, by part, how many calls for memory it
makes, whether each that fails is a MemoryError, whether it gives the same as before afterwards, and
whether it gives back what it took.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.faults.shim import Fault, Kind, arm, calls

from lanescope.device.head import Core
from lanescope.device.region import RegionConfig, create_region
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.figures import predict_known
from lanescope.native import cyclic_nodes, library, stack_slices, tiling
from lanescope.native.machine import MachineCosts, run_machine
from lanescope.native.paths import implied_edges, order_graph
from lanescope.trace.flags import level_flags

TWO = np.arange(2, dtype=np.int64)
LINE = np.array([0, 0, 1]), np.array([1, 2, 2])
"""Edges of three nodes; the one from 0 to 2 is implied."""
TILED = [tiling.Moments(TWO + 1, TWO * 0, tiling.RUNNING, change) for change in (1, -1)]
FAR = [*TILED, tiling.Moments(TWO[:1] - 2**62, TWO[:1], tiling.READY, 1)]
"""Times that do not fit into one word with their place."""

MACHINE: dict[str, Any] = {
    "tasks": 2, "first": np.array([0, 1, 1]), "target": np.array([1]), "func": TWO, "kind": TWO * 0,
    "length": TWO + 9, "cores": 1, "kinds": 1, "schedulers": 1, "orchestrators": 1,
    "release_tasks": 1, "core_kind": TWO[:1], "core_scheduler": TWO[:1], "core_rotates": 1,
    "tells_first": 1,
}  # fmt: skip
KERNEL = {
    "kernel": np.array([0, -1]), "kernel_first": np.array([0, 2]), "op_length": TWO + 5,
    "op_bytes": TWO * 0, "op_before": TWO, "op_after_first": np.array([0, 1, 1]),
    "op_after": np.array([1]),
}  # fmt: skip
WINDOW = {
    "window": 4, "consumers": np.array([1]), "scopes": np.array([0, 2]), "scope_count": 1,
    "ending_first": np.array([0, 0, 0, 1]), "ending": np.array([0]),
}  # fmt: skip
COUNTED = {"buffer_records": TWO[[1] * 4], "buffer_count": TWO[[1] * 4]}


def machine(**more: Any) -> Any:
    """What a run of two tasks on one core gives."""
    return run_machine(MACHINE | more, MachineCosts(dispatch=3))[:6]


def recorded() -> Any:
    """The same of a run that records all of itself into a region."""
    cores = (Core("aic", cluster=0, controller=0),)
    config = RegionConfig(flags=level_flags(4), cores=cores, clock_hz=10**9)
    with TemporaryDirectory() as folder:
        region = create_region(Path(folder) / "region", config)
        return machine(region=region.address, records_phases=1, records_submits=1)


@cache
def instruction() -> Any:
    """One instruction, what it costs, and where it runs."""
    isa, board = load_isa("plena"), core_setup(load_board("nexys_video"), None)
    return parse("V_ADD_VV gp1, gp0, gp0", isa), load_cost_source("rtl"), board


def predicted() -> int | None:
    """Cycles of one instruction."""
    found = predict_known(*instruction())
    return found.overlapped and found.overlapped.cycles


def implied() -> list[bool] | None:
    """Which of the edges are implied."""
    graph = order_graph(3, *LINE)
    assert graph is not None
    found = implied_edges(graph, budget=100)
    return None if found is None else found.tolist()


def waits(parts: list[tiling.Moments]) -> Any:
    """Where the time of one core goes."""
    return tiling.tile_runs(parts, TWO[:1], 1, (0, 9)).after.tolist()


PARTS: dict[str, Callable[[], Any]] = {
    "slices": lambda: stack_slices(TWO, TWO, TWO + 1)[1].tolist(),  # type: ignore[index]
    "order of close keys": lambda: tiling.sort_order(TWO[::-1]).tolist(),
    "order of far keys": lambda: tiling.sort_order(TWO[::-1] * 2**62).tolist(),
    "values": lambda: tiling.sorted_values(TWO[::-1]).tolist(),
    "tiles": lambda: tiling.tile(TILED, TWO[:1], 1, (0, 9)).tolist(),
    "tiles of far times": lambda: tiling.tile(FAR, TWO[:1], 1, (0, 9)).tolist(),
    "waits": lambda: waits(TILED),
    "overhead": lambda: tiling.overhead(TILED, TWO[1:]).tolist(),
    "cycles": lambda: cyclic_nodes(3, *LINE).tolist(),
    "implied edges": implied,
    "instructions": predicted,
    "machine": machine,
    "machine with banks": lambda: machine(bank_cores=2, unit_first=np.arange(3), unit_length=TWO),
    "machine with early tasks": lambda: machine(manner=TWO, pre_dispatch=1),
    "machine with a kernel": lambda: machine(**KERNEL),
    "machine with a window": lambda: machine(**WINDOW),
    "machine that counts buffers": lambda: machine(**COUNTED),
    "machine that records": recorded,
}


def outcome(part: Callable[[], Any]) -> Any:
    """What a part gives, or MemoryError."""
    try:
        return part()
    except MemoryError:
        return "MemoryError"


_FIGURES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
_ROUNDS = 5


class _Memory(ctypes.Structure):
    """struct mallinfo2 of glibc's malloc.h."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _FIGURES.split())


def in_use() -> int:
    """Bytes that were asked for and not given back."""
    gc.collect()
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = _Memory
    told = ask()
    return int(told.uordblks + told.hblkhd)


def fail_each(part: Callable[[], Any], count: int) -> list[Any]:
    """What a part gives where one call for memory fails, or all from it on."""
    starved = []
    for at in range(1, count + 1):
        for sticky in (False, True):
            arm(Path.cwd(), Fault(Kind.OWN_MEMORY, errno.ENOMEM, sticky, at))
            starved.append(outcome(part))
    arm(Path.cwd(), Fault(Kind(0), 0, False))
    return starved


def keeps_nothing(part: Callable[[], Any], count: int) -> bool:
    """Whether a part gives all its memory back, also where it got too little.

    Python takes some now and then; the library would in every round.
    """
    grown = []
    for _ in range(_ROUNDS):
        before = in_use()
        fail_each(part, count)
        outcome(part)
        grown.append(in_use() - before)
    return min(grown) <= 0


def main() -> None:
    """Let each call for memory fail once, and all from it on."""
    library()
    found = {}
    for name, part in PARTS.items():
        arm(Path.cwd(), Fault(Kind.OWN_MEMORY, 0, False))
        fed, count = outcome(part), calls()["OWN_MEMORY"]
        always_said = fail_each(part, count) == ["MemoryError"] * 2 * count
        same = outcome(part) == fed
        found[name] = [count, always_said, same, keeps_nothing(part, count)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
