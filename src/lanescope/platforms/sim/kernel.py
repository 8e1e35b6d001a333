"""The event kernel: a heap of (time, priority, counter) and processes that are generators.

A process yields a delay in picoseconds, or a Signal to wait for. Times are whole picoseconds, ties
are broken by priority and then by the order of scheduling, so the same input gives the same run on
every machine. What a process raises stops the run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from heapq import heappop, heappush
from typing import Any

PS_PER_NS = 1_000
PS_PER_S = 1_000_000_000_000


class Signal:
    """Something processes wait for; firing it wakes all that wait now, at the present time."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Process] = []

    def fire(self, value: Any = None) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for process in waiting:
                process.resume_after(0, value)


class Rounds(Signal):
    """Waited for by one process that goes round and round until there is news, and sees it only at
    the end of the round it fell into; it is told how many whole rounds went by."""

    __slots__ = ("_kernel", "_round_ps", "_since_ps")

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self._kernel = kernel
        self._since_ps = 0
        self._round_ps = 1

    def of(self, round_ps: int) -> Rounds:
        """Rounds of this length, from now on."""
        self._since_ps, self._round_ps = self._kernel.now_ps, round_ps or 1
        return self

    def fire(self, value: Any = None) -> None:
        if self._waiting:
            rounds, inside = divmod(self._kernel.now_ps - self._since_ps, self._round_ps)
            delay_ps = self._round_ps - inside if inside else 0
            self._waiting.pop().resume_after(delay_ps, rounds)


Wanted = int | Signal
Steps = Generator[Wanted, Any, None]


class Process:
    """A generator on the time axis."""

    __slots__ = ("_kernel", "_send", "_step", "name", "priority")

    def __init__(self, kernel: Kernel, name: str, steps: Steps, priority: int) -> None:
        self._kernel = kernel
        self._send = steps.send
        self._step = self._resume
        self.name = name
        self.priority = priority

    def resume_after(self, delay_ps: int, value: Any = None) -> None:
        self._kernel.call_after(delay_ps, self._step, value, priority=self.priority)

    def _resume(self, value: Any) -> None:
        try:
            wanted = self._send(value)
        except StopIteration:
            del self._kernel.processes[self]
            return
        if wanted.__class__ is int:
            kernel = self._kernel
            if wanted < 0:
                raise ValueError(f"a delay must not be negative, found {wanted} ps")
            kernel._count += 1
            later = kernel.now_ps + wanted
            heappush(kernel._heap, (later, self.priority, kernel._count, self._step, None))
        else:
            assert isinstance(wanted, Signal)
            wanted._waiting.append(self)


class Kernel:
    """Time, and what happens next."""

    def __init__(self) -> None:
        self.now_ps = 0
        self.processes: dict[Process, None] = {}
        """those that have not ended, in the order of their start"""
        self._heap: list[tuple[int, int, int, Callable[[Any], None], Any]] = []
        self._count = 0

    def call_after(
        self, delay_ps: int, action: Callable[[Any], None], value: Any = None, *, priority: int = 0
    ) -> None:
        """Call `action(value)` that much later; lower priorities come first at the same time."""
        if delay_ps < 0:
            raise ValueError(f"a delay must not be negative, found {delay_ps} ps")
        self._count += 1
        heappush(self._heap, (self.now_ps + delay_ps, priority, self._count, action, value))

    def start(self, name: str, steps: Steps, *, priority: int = 0) -> Process:
        """A new process; its first step runs now, in its turn."""
        process = Process(self, name, steps, priority)
        self.processes[process] = None
        process.resume_after(0)
        return process

    def run(self) -> None:
        """Until nothing is left to happen; a process still waiting then waits for ever."""
        heap = self._heap
        while heap:
            self.now_ps, _, _, action, value = heappop(heap)
            action(value)

    def stuck(self) -> list[str]:
        """Names of the processes that have not ended."""
        return [process.name for process in self.processes]
