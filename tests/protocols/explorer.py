"""Walks every interleaving of a small model, breadth first, so the first failure is the shortest.

A model offers `start`, `moves(state)` (every step any actor can take now) and `verdict(state)`
(asked where nobody can step: None when the run has ended well, else what is wrong).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple


class Step(NamedTuple):
    """One atomic step: who, which function of record.h, for which task or buffer."""

    actor: str
    does: str
    number: int


class Broken(NamedTuple):
    """What a step leads to when it breaks a property."""

    why: str


Move = tuple[Step, "Hashable | Broken"]


@dataclass(frozen=True)
class Outcome:
    states: int
    transitions: int
    endings: int
    failure: str = ""
    trace: tuple[Step, ...] = ()

    def __str__(self) -> str:
        if not self.failure:
            return f"{self.states} states, {self.transitions} steps, {self.endings} endings: holds"
        width = max((len(step.actor) for step in self.trace), default=0)
        lines = [
            f"{place:3}. {step.actor:{width}}  {step.does.format(step.number)}"
            for place, step in enumerate(self.trace, 1)
        ]
        return "\n".join([*lines, f"  => {self.failure}"])


def explore(
    start: Hashable,
    moves: Callable[[Hashable], list[Move]],
    verdict: Callable[[Hashable], str | None],
) -> Outcome:
    """Every state that can be reached; the shortest way to the first failure, if there is one."""
    came_from: dict[Hashable, tuple[Hashable, Step] | None] = {start: None}
    waiting = deque([start])
    transitions = endings = 0

    def outcome(failure: str, state: Hashable, last: Step | None) -> Outcome:
        trace = [] if last is None else [last]
        while (origin := came_from[state]) is not None:
            state, step = origin
            trace.append(step)
        return Outcome(len(came_from), transitions, endings, failure, tuple(reversed(trace)))

    while waiting:
        state = waiting.popleft()
        possible = moves(state)
        if not possible:
            wrong = verdict(state)
            if wrong is not None:
                return outcome(wrong, state, None)
            endings += 1
        for step, after in possible:
            transitions += 1
            if type(after) is Broken:
                return outcome(after.why, state, step)
            if after not in came_from:
                came_from[after] = (state, step)
                waiting.append(after)
    return Outcome(len(came_from), transitions, endings)
