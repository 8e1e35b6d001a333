"""What one task does inside a core: operations on pipes, ordered by flags.

A pipe runs its operations in program order. A flag is a counting semaphore from one pipe to one
other pipe: the n-th wait takes the n-th set. So it is known before the run which operation waits
for which, and a deadlock is seen without running.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from lanescope.errors import UsageError
from lanescope.trace.pipes import PIPES as PIPES

KINDS = ("aic", "aiv")
KIND_OF_PIPE = {"cube": "aic", "mte1": "aic", "fixp": "aic", "vector": "aiv"}
# A mark's events have 12 bits; the two highest tell a region's start from its end.
MARK_LIMIT = 1 << 10


class Route(NamedTuple):
    """Which pipe makes a transfer, and on which kind of core."""

    pipe: str
    kind: str


ROUTES = {
    "gm_to_ub": Route("mte2", "aiv"),
    "gm_to_l1": Route("mte2", "aic"),
    "ub_to_gm": Route("mte3", "aiv"),
    "l0c_to_gm": Route("fixp", "aic"),
    "l1_to_l0a": Route("mte1", "aic"),
    "l1_to_l0b": Route("mte1", "aic"),
}


@dataclass(frozen=True)
class PipeOp:
    """One operation. It lasts as long as the longest of its cycles, its transfer and its `ps`."""

    pipe: str
    cycles: int = 0
    bytes: int = 0
    route: str = ""
    waits: tuple[int, ...] = ()
    sets: tuple[int, ...] = ()
    mark: int | None = None
    ps: int = 0
    flops: int = 0
    """Operations on values: 2 per multiply-add, 1 per value of a vector instruction. They do not
    change how long the operation lasts."""

    @property
    def shared_bytes(self) -> int:
        """Bytes that pass through the chip's memory."""
        through = self.route.startswith("gm_") or self.route.endswith("_to_gm")
        return self.bytes if through else 0


class Order(NamedTuple):
    """Which operation waits for which, by the operations' numbers in the kernel."""

    sorted: tuple[int, ...]
    """All operations, each after those that it waits for."""
    before: tuple[tuple[int, ...], ...]
    """Operations that each one waits for."""
    after: tuple[tuple[int, ...], ...]
    """Operations that wait for each one."""


@dataclass(frozen=True)
class PipeKernel:
    """The operations that a task runs, in program order."""

    name: str
    ops: tuple[PipeOp, ...]
    # Results that depend on the kernel and a core's rates only; timeline.py keeps them here.
    memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def check(self, kind: str) -> None:
        """Refuse a kernel that a core of this kind cannot run to its end."""
        if kind not in KINDS:
            raise UsageError(f"a core's kind is {' or '.join(KINDS)}, found {kind!r}")
        for number in sorted(self.order.sorted):
            op = self.ops[number]
            if KIND_OF_PIPE.get(op.pipe, kind) != kind:
                raise self.problem(number, f"pipe {op.pipe} does not exist on an {kind} core")
            if op.route and ROUTES[op.route].kind != kind:
                raise self.problem(number, f"route {op.route} does not exist on an {kind} core")

    @cached_property
    def order(self) -> Order:
        """The order of the operations, made once per kernel; a kernel that deadlocks is refused."""
        for number, op in enumerate(self.ops):
            fault = _fault(op)
            if fault:
                raise self.problem(number, fault)
        before = self._before()
        after: list[list[int]] = [[] for _ in self.ops]
        for number, earlier in enumerate(before):
            for other in earlier:
                after[other].append(number)
        return Order(self._sorted(before, after), tuple(before), tuple(map(tuple, after)))

    @cached_property
    def shared_bytes(self) -> tuple[int, ...]:
        """Bytes of each operation that pass through the chip's memory."""
        return tuple(op.shared_bytes for op in self.ops)

    @cached_property
    def shared_total(self) -> int:
        """Bytes of all operations that pass through the chip's memory."""
        return sum(self.shared_bytes)

    @property
    def flops(self) -> int:
        """Operations on values, of the whole kernel."""
        return sum(op.flops for op in self.ops)

    def problem(self, number: int, text: str) -> UsageError:
        """Return the error that operation `number` is wrong."""
        return UsageError(f"kernel {self.name!r}, op {number}: {text}")

    def _before(self) -> list[tuple[int, ...]]:
        """Return for each operation the one before it on its pipe, and those that set its flags."""
        setters, waiters = self._ends("sets"), self._ends("waits")
        before: list[set[int]] = [set() for _ in self.ops]
        last: dict[str, int] = {}
        for number, op in enumerate(self.ops):
            if op.pipe in last:
                before[number].add(last[op.pipe])
            last[op.pipe] = number
        for flag, waiting in waiters.items():
            setting = setters[flag]
            if len(waiting) > len(setting):
                text = f"waits for ever: flag {flag} is {_times_set(len(setting))}"
                raise self.problem(waiting[len(setting)], text)
            for waiter, setter in zip(waiting, setting, strict=False):
                before[waiter].add(setter)
        return [tuple(sorted(earlier)) for earlier in before]

    def _ends(self, side: str) -> defaultdict[int, list[int]]:
        """Return for each flag the operations that set it (or wait for it); refuse two pipes."""
        ends: defaultdict[int, list[int]] = defaultdict(list)
        for number, op in enumerate(self.ops):
            for flag in getattr(op, side):
                if ends[flag] and self.ops[ends[flag][0]].pipe != op.pipe:
                    pipes = f"{self.ops[ends[flag][0]].pipe} and on {op.pipe}"
                    verb = "set" if side == "sets" else "waited for"
                    text = f"flag {flag} is {verb} on {pipes}; a flag leads from one pipe to one"
                    raise self.problem(number, text)
                ends[flag].append(number)
        return ends

    def _sorted(self, before: list[tuple[int, ...]], after: list[list[int]]) -> tuple[int, ...]:
        """Sort the operations; refuse those that wait for each other in a circle."""
        left = [len(earlier) for earlier in before]
        done = [number for number, count in enumerate(left) if count == 0]
        for number in done:
            for other in after[number]:
                left[other] -= 1
                if left[other] == 0:
                    done.append(other)
        if len(done) < len(before):
            circle = _circle(before, left)
            text = " → ".join(f"op {n} ({self.ops[n].pipe})" for n in [*circle, circle[0]])
            raise self.problem(circle[0], f"a deadlock, each waits for the next: {text}")
        return tuple(done)


@dataclass(frozen=True)
class CoreRates:
    """How fast one core is: its clock, and the bytes per second of each route."""

    core_hz: int
    bytes_per_s: Mapping[str, int]

    def __post_init__(self) -> None:
        for name, rate in [("core_hz", self.core_hz), *self.bytes_per_s.items()]:
            if rate <= 0:
                raise UsageError(f"a core's {name} must be positive, found {rate}")

    def __hash__(self) -> int:
        return hash((self.core_hz, frozenset(self.bytes_per_s.items())))


def bytes_moved(kernel: PipeKernel, route: str) -> int:
    """Return the bytes that one run of the kernel moves on that route."""
    return sum(op.bytes for op in kernel.ops if op.route == route)


def _fault(op: PipeOp) -> str:
    """Say what is wrong with an operation by itself; empty: nothing."""
    if op.pipe not in PIPES:
        return f"a pipe is one of {', '.join(PIPES)}, found {op.pipe!r}"
    if op.route and op.route not in ROUTES:
        return f"a route is one of {', '.join(ROUTES)}, found {op.route!r}"
    if op.route and ROUTES[op.route].pipe != op.pipe:
        return f"route {op.route} runs on {ROUTES[op.route].pipe}, found it on {op.pipe}"
    if op.bytes and not op.route:
        return f"a transfer needs a route, found {op.bytes} bytes without one"
    for name, size in (("cycles", op.cycles), ("bytes", op.bytes), ("ps", op.ps)):
        if size < 0:
            return f"{name} must not be negative, found {size}"
    if op.mark is not None and not 0 <= op.mark < MARK_LIMIT:
        return f"a mark is 0 to {MARK_LIMIT - 1}, found {op.mark}"
    return ""


def _circle(before: Iterable[tuple[int, ...]], left: list[int]) -> list[int]:
    """Return operations that wait for each other; `left` has those that never became ready."""
    waits_for = {
        number: next(other for other in earlier if left[other])
        for number, earlier in enumerate(before)
        if left[number]
    }
    path: list[int] = []
    number = min(waits_for)
    while number not in path:
        path.append(number)
        number = waits_for[number]
    return path[path.index(number) :]


def _times_set(count: int) -> str:
    return {0: "never set", 1: "set only once"}.get(count, f"set only {count} times")
