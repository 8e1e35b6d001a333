"""Checks the input of the machine: the C code trusts what it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array

MOST_CORES = 16
"""Cores that one block of a task may need (LS_MACHINE_MOST)."""
NODES, MANNERS = 4, 4
"""Limits of enum ls_machine_node, and of the bits of enum ls_machine_manner."""
COUNTED_KINDS = 4
_PLACES = {
    "first": "target",
    "unit_first": "unit_length",
    "kernel_first": "op_length",
    "op_after_first": "op_after",
    "cluster_first": "cluster_cores",
    "ending_first": "ending",
}
"""An array of places, and the array in which they are."""
_NEEDS = {
    "scopes": ("ending_first", "ending"),
    "kernel": (
        *("kernel_first", "op_length", "op_bytes", "op_before", "op_after_first", "op_after"),
    ),
    "clusters": ("cluster_first", "cluster_cores"),
    "buffer_records": ("buffer_count",),
    "window": ("consumers",),
}
"""A field, and those that must be given with it."""
_TIMES = (
    *("length", "wait", "unit_length", "unit_setup", "unit_pick_up", "unit_seen", "unit_give"),
    *("unit_wait", "submit_cost", "op_length"),
)
_LATEST = 1 << 62
"""Times of a run are less, in picoseconds: 53 days."""

_PLAIN = {"node": 0, "blocks": 1, "partners": 0, "manner": 0}
"""A task that one core runs by itself."""


def check_input(given: Mapping[str, Any]) -> None:
    """Refuse an input whose numbers do not fit each other, or that points outside its tables."""
    _check_needs(given)
    for name, size in _sizes(given):
        if given.get(name) is not None and len(given[name]) != size:
            raise ValueError(f"{name}: expected {size} values, found {len(given[name])}")
    for name, low, limit in _ranges(given):
        values = given.get(name)
        if values is None or not len(values):
            continue
        if not (low <= int(np.min(values)) and int(np.max(values)) < limit):
            raise IndexError(f"{name} points outside of the machine's tables")
    for name, places in _PLACES.items():
        _check_places(name, given.get(name), given.get(places))
    _check_operations(given)
    _check_manners(given)
    _check_banks(given)
    _check_units(given)
    records, count = given.get("buffer_records"), given.get("buffer_count")
    if records is not None and (np.asarray(count)[np.asarray(records) > 0] < 1).any():
        raise ValueError("expected buffers of at least 1 record, at least one of them")
    if given["schedulers"] < 1 or given["cores"] < 0 or given.get("pre_dispatch", 0) < 0:
        raise ValueError("expected a scheduler, and no negative number of tasks held in advance")


class LengthCheck:
    """Refuses costs with which the times of a run might not fit in 63 bits."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Add up what does not depend on costs."""
        runs = int(np.sum(_column(given, "blocks") * (1 + _column(given, "partners"))))
        self._things = len(given["target"]) + given["tasks"] + runs + 1
        self._cores = given["cores"]
        known = [given[name] for name in _TIMES if given.get(name) is not None]
        self._times_ps = sum(int(np.sum(times)) for times in known)

    def require_fits(self, cost_ps: Sequence[int], poll_core_ps: int) -> None:
        """Raise UsageError where all things, one after the other, might take too long."""
        each = sum(cost_ps) + self._cores * poll_core_ps
        most = 2 * self._things * each + self._times_ps
        if most >= _LATEST:
            raise UsageError(
                f"this run might take {most // 10**12:,} s of simulated time, and times are known "
                f"up to {_LATEST // 10**12:,} s; its tasks or the chip's costs are too long"
            )


def _sizes(given: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield how many values each array must have."""
    tasks, cores, units = given["tasks"], given["cores"], given.get("unit_first")
    for name in ("func", "kind", "node", "blocks", "partners", "partner_kind", "manner", "wait",
                 "length", "kernel", "submit_order", "submit_cost", "submit_records"):  # fmt: skip
        yield name, tasks
    yield "first", tasks + 1
    yield "unit_first", tasks + 1
    yield "ending_first", tasks + 2
    yield "consumers", len(given["target"])
    yield "core_kind", cores
    yield "core_scheduler", cores
    yield "cluster_first", given.get("clusters", 0) + 1
    yield "scopes", 2 * given.get("scope_count", 0)
    for name in ("buffer_records", "buffer_count"):
        yield name, COUNTED_KINDS
    for name in ("unit_length", "unit_setup", "unit_pick_up", "unit_seen", "unit_give",
                 "unit_wait"):  # fmt: skip
        yield name, 0 if units is None else int(units[-1])
    ops = 0 if given.get("op_length") is None else len(given["op_length"])
    for name in ("op_bytes", "op_before"):
        yield name, ops
    yield "op_after_first", ops + 1


def _ranges(given: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Yield the least value of each array, and the least that is too large."""
    tasks, cores, kinds = given["tasks"], given["cores"], given["kinds"]
    kernels = 0 if given.get("kernel_first") is None else len(given["kernel_first"]) - 1
    ops = 0 if given.get("op_length") is None else len(given["op_length"])
    forever = 1 << 62
    yield from (("target", 0, tasks), ("consumers", 0, tasks), ("submit_order", 0, tasks))
    yield from (("kind", 0, max(kinds, 1)), ("core_kind", -1, kinds), ("partner_kind", -1, kinds))
    yield from (("node", 0, NODES), ("manner", 0, MANNERS), ("partners", 0, MOST_CORES))
    yield from (("blocks", 1, 1 << 31), ("scopes", 0, tasks + 1))
    yield from (("core_scheduler", 0, given["schedulers"]), ("cluster_cores", 0, cores))
    yield from (("kernel", -1, kernels), ("op_after", 0, max(ops, 1)))
    yield "ending", 0, given.get("scope_count", 0)
    yield from (("buffer_records", 0, 1 << 31), ("submit_records", 0, 1 << 31))
    for name in ("wait", "length", "unit_length", "unit_setup", "op_length", "op_bytes",
                 "submit_cost"):  # fmt: skip
        yield name, 0, forever
    for name in ("unit_pick_up", "unit_seen", "unit_give", "unit_wait"):
        yield name, -1, forever


def _check_needs(given: Mapping[str, Any]) -> None:
    """Refuse a field without those that belong to it: C would look for them."""
    for name, others in _NEEDS.items():
        value = given.get(name)
        missing = [other for other in others if given.get(other) is None]
        if value is not None and missing and (np.ndim(value) or value):
            raise ValueError(f"{name} without {', '.join(missing)}")
    if given.get("length") is None and given.get("unit_length") is None:
        raise ValueError("expected lengths, by task or by unit")


def _check_operations(given: Mapping[str, Any]) -> None:
    """Refuse operations that wait for one of another kernel."""
    if given.get("kernel") is None:
        return
    first = np.asarray(given["kernel_first"])
    after = np.diff(given["op_after_first"])
    own = np.repeat(np.repeat(np.diff(first), np.diff(first)), after)
    if (np.asarray(given["op_after"]) >= own).any():
        raise IndexError("op_after points outside of its kernel")


def _check_places(name: str, places: Any, values: Any) -> None:
    """Refuse places that do not rise from 0 to the end of the values."""
    if places is None:
        return
    if int(places[0]) != 0 or (np.diff(places) < 0).any():
        raise ValueError(f"{name}: expected places that rise from 0")
    if values is not None and int(places[-1]) != len(values):
        raise ValueError(f"{name}: expected a last place of {len(values)}, found {places[-1]}")


def _check_manners(given: Mapping[str, Any]) -> None:
    """Refuse tasks that cannot be given to cores as they are said to be."""
    if given.get("manner") is None:
        return
    manner, blocks, partners = (_column(given, name) for name in ("manner", "blocks", "partners"))
    early, together = manner & 1 != 0, manner & 2 != 0
    alone = (partners == 0) & (_column(given, "node") == 0)
    if (early & ~(alone & (blocks == 1))).any() or (together & (early | ~alone)).any():
        raise ValueError("only a task on one core can be early, or start together without partners")


def _check_banks(given: Mapping[str, Any]) -> None:
    """Refuse what a scheduler that serves many cores in one step does not know."""
    if given.get("bank_cores", 0) <= 1:
        return
    plain = all((_column(given, name) == usual).all() for name, usual in _PLAIN.items())
    if not plain or given["kinds"] != 1 or given.get("window"):
        raise ValueError("banks need tasks of one block, cores of one kind and no window")
    if int(given["cores"]) ** 2 * (given.get("pre_dispatch", 0) + 2) >= 1 << 31:
        raise ValueError(f"banks: {given['cores']} cores are too many")


def _check_units(given: Mapping[str, Any]) -> None:
    """Refuse units that are not as many as the blocks and their partners."""
    if given.get("unit_first") is None:
        return
    blocks, partners, node = (_column(given, name) for name in ("blocks", "partners", "node"))
    if (np.diff(given["unit_first"]) != blocks * (1 + partners) * (node == 0)).any():
        raise ValueError("blocks and partners do not add up to the units")


def _column(given: Mapping[str, Any], name: str) -> Array:
    """Return a column of the tasks, or what it is where it was left out."""
    usual = 1 if name == "blocks" else 0
    values = given.get(name)
    return np.asarray(np.full(given["tasks"], usual) if values is None else values)
