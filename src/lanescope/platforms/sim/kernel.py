"""The event kernel: a heap of (time, priority, counter), and processes that are generators.

A process yields a delay in picoseconds, or a Signal to wait for. Times are whole picoseconds. Ties
are broken by priority, then by the order of scheduling. So the same input gives the same run on
every machine. An exception in a process stops the run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from heapq import heappop, heappush
from typing import Any

PS_PER_NS = 1_000
PS_PER_S = 1_000_000_000_000


class Signal:
    """Something that processes wait for. Firing it wakes all that wait, at the present time."""

    __slots__ = ("_kernel", "awaited")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.awaited: list[Waiting] = []
        """The processes that wait."""

    def fire(self, value: Any = None) -> None:
        """Wake all processes that wait; they are given the value."""
        if self.awaited:
            waiting, self.awaited = self.awaited, []
            for resume, priority in waiting:
                self._kernel.call_after(0, resume, value, priority=priority)


class Rounds(Signal):
    """A signal for one process that repeats a round until there is news.

    The process sees the news at the end of the round in which it came. It is told how many whole
    rounds have passed. The rounds themselves are not simulated.
    """

    __slots__ = ("_round_ps", "_since_ps")

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._since_ps = 0
        self._round_ps = 1

    def of(self, round_ps: int, since_ps: int) -> Rounds:
        """Set the length of a round; the first round begins at `since_ps`."""
        self._since_ps, self._round_ps = since_ps, round_ps or 1
        return self

    def fire(self, value: Any = None) -> None:
        """Wake the process at the end of its present round."""
        if self.awaited:
            resume, priority = self.awaited.pop()
            kernel = self._kernel
            now_ps = kernel.now_ps
            passed_ps = now_ps - self._since_ps
            rounds, delay_ps = 0, -passed_ps
            if passed_ps > 0:
                rounds, inside = divmod(passed_ps, self._round_ps)
                delay_ps = self._round_ps - inside if inside else 0
            kernel._count += 1
            heappush(kernel._heap, (now_ps + delay_ps, priority, kernel._count, resume, rounds))


Wait = int | Signal
"""What a process waits for: a delay in ps, or a signal."""
Steps = Generator[Wait, Any, None]
Action = Callable[[Any], Any]
"""What happens at a time: a process's next step, which returns what it then waits for; or a
function that returns None."""
Waiting = tuple[Action, int]
"""A process's next step and its priority."""


class Kernel:
    """The present time, and everything that will happen."""

    def __init__(self) -> None:
        self.now_ps = 0
        self._processes: dict[Action, str] = {}
        """Processes that have not ended, in the order of their start."""
        self._heap: list[tuple[int, int, int, Action, Any]] = []
        self._count = 0

    def call_after(
        self, delay_ps: int, action: Action, value: Any = None, *, priority: int = 0
    ) -> None:
        """Call `action(value)` after a delay; at the same time the lower priority comes first."""
        if delay_ps < 0:
            raise ValueError(f"a delay must not be negative, found {delay_ps} ps")
        self._count += 1
        heappush(self._heap, (self.now_ps + delay_ps, priority, self._count, action, value))

    def start(self, name: str, steps: Steps, *, priority: int = 0) -> None:
        """Start a process; its first step runs at the present time, in its turn."""
        self._processes[steps.send] = name
        self.call_after(0, steps.send, priority=priority)

    def run(self) -> None:
        """Run until nothing is left to happen; a process that still waits then waits for ever."""
        heap = self._heap
        while heap:
            now, priority, _, action, value = heappop(heap)
            self.now_ps = now
            try:
                wanted = action(value)
            except StopIteration:
                del self._processes[action]
                continue
            if wanted is None:
                continue
            if wanted.__class__ is int:
                if wanted < 0:
                    raise ValueError(f"a delay must not be negative, found {wanted} ps")
                self._count += 1
                heappush(heap, (now + wanted, priority, self._count, action, None))
            else:
                wanted.awaited.append((action, priority))

    def stuck(self) -> list[str]:
        """Return the names of the processes that have not ended."""
        return list(self._processes.values())
