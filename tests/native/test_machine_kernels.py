"""Kernels whose operations share the chip's memory: when each runs, and who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.native.machine import Hooks, MachineCosts, run_machine

Spans = dict[int, list[tuple[int, int, int]]]
"""By task: number, start and end of its operations, in the order in which they ran."""


@dataclass(frozen=True)
class Op:
    """An operation: how long it takes, how much it moves, and which others wait for it."""

    length: int = 0
    bytes: int = 0
    after: tuple[int, ...] = ()


def spans(*kernels: list[Op], bytes_per_s: int, setup: int = 0) -> Spans:
    """Run a task per kernel, each on a core of its own, all dispatched at 0."""
    found: Spans = {}

    def keep(_core: int, task: int, _token: int, begin: int, length: int, ops: Any, n: int) -> int:
        assert begin == setup
        found[task] = [(op.op, op.start, op.end) for op in ops[:n]]
        assert length == max(op.end for op in ops[:n])
        return 0

    ops = [op for kernel in kernels for op in kernel]
    waited = [sum(k in op.after for op in kernel) for kernel in kernels for k in range(len(kernel))]
    tasks = len(kernels)
    none = np.zeros(tasks)
    given = {
        "tasks": tasks,
        "first": np.zeros(tasks + 1),
        "target": none[:0],
        "func": none,
        "kind": none,
        "length": none,
        "kernel": np.arange(tasks),
        "kernel_first": np.cumsum([0, *map(len, kernels)]),
        "op_length": np.array([op.length for op in ops]),
        "op_bytes": np.array([op.bytes for op in ops]),
        "op_before": np.array(waited),
        "op_after_first": np.cumsum([0, *(len(op.after) for op in ops)]),
        "op_after": np.array([other for op in ops for other in op.after], np.int64),
        "memory_bytes_per_s": bytes_per_s,
        "cores": tasks,
        "kinds": 1,
        "schedulers": 1,
        "core_kind": none,
        "core_scheduler": none,
        "core_rotates": 1,
        "tells_first": 1,
    }
    assert run_machine(given, MachineCosts(setup=setup), Hooks(ended=keep)).answer == 0
    return found


A_BYTE_PER_PS = 10**12


def test_transfers_pass_in_the_order_in_which_they_are_ready() -> None:
    """Operation 10 + k waits for operation k; of two ready together the lower one goes first."""
    lengths = [60, 20, 90, 10, 50, 30, 20, 80, 40, 70]
    kernel = [Op(length, after=(10 + k,)) for k, length in enumerate(lengths)]
    kernel += [Op(bytes=100)] * 10
    [found] = spans(kernel, bytes_per_s=A_BYTE_PER_PS).values()
    order = [3, 1, 6, 5, 8, 4, 0, 9, 7, 2]
    assert found[:10] == [(k, 0, length) for k, length in enumerate(lengths)]
    assert found[10:] == [
        (10 + k, lengths[k], 10 + 100 * place) for place, k in enumerate(order, 1)
    ]


def test_an_operation_waits_for_all_before_it_and_starts_when_the_last_has_ended() -> None:
    kernel = [Op(30, after=(2,)), Op(50, after=(2, 3)), Op(7), Op(5)]
    [found] = spans(kernel, bytes_per_s=0).values()
    assert found == [(0, 0, 30), (1, 0, 50), (2, 50, 57), (3, 50, 55)]


def test_a_transfer_takes_its_own_length_where_the_memory_is_quicker() -> None:
    [found] = spans([Op(30, bytes=20), Op(30, bytes=20)], bytes_per_s=A_BYTE_PER_PS).values()
    assert found == [(0, 0, 30), (1, 0, 40)]


def test_cores_share_the_memory_and_a_part_of_a_picosecond_is_rounded_up_once() -> None:
    """A byte takes 10/3 ps: the transfers end after 10/3, 20/3 and 10 ps."""
    found = spans(
        [Op(bytes=1)], [Op(1, after=(1,)), Op(bytes=1)], [Op(bytes=1)], bytes_per_s=3 * 10**11
    )
    assert found == {0: [(0, 0, 4)], 1: [(0, 0, 1), (1, 1, 10)], 2: [(0, 0, 7)]}


def test_times_of_a_kernel_begin_with_its_task() -> None:
    found = spans(
        [Op(5, after=(1,)), Op(bytes=100)], [Op(bytes=20)], bytes_per_s=A_BYTE_PER_PS, setup=9
    )
    assert found == {0: [(0, 0, 5), (1, 5, 120)], 1: [(0, 0, 20)]}
