"""The changes of a recorded run that would pay most, each with its command.

They are those of `what-if --rank` that somebody can make without breaking the program: edges that
carry data stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.analyze.next_step import MOST_STEPS, TRACE, NextStep, NextSteps
from lanescope.errors import LanescopeError
from lanescope.replay.changes import Change
from lanescope.replay.crowding import crowding_of
from lanescope.replay.nearest import nearest_replica
from lanescope.replay.ranking import rank_changes
from lanescope.replay.what_if import FAR_OFF, ChangePrediction, sure_gain, unchanged_run
from lanescope.trace.trace import Trace

_LEAST_GAIN = 0.005
"""A change that gives less is not worth a line."""
_HARMLESS = "without implied edges"
"""Of the edges, those that others imply can go without a change of results."""

_Pair = tuple[Change, ChangePrediction]


def paying_steps(trace: Trace) -> NextSteps:
    """The changes of one run that shorten it most, as far as replays of it can tell."""
    try:
        replica = nearest_replica(trace)
    except LanescopeError as error:
        return NextSteps((), _sentence(str(error)))
    unchanged = unchanged_run(replica)
    if abs(unchanged.honesty) > FAR_OFF:
        off = f"{100 * unchanged.honesty:+.1f} %"
        limit = f"{100 * FAR_OFF:.0f} %"
        reason = f"A replay of this run is {off} off, more than {limit}, so no gain is foreseen."
        return NextSteps((), reason)
    crowding = crowding_of(replica)
    changes = [one for one in rank_changes(replica) if _is_safe(one)]
    gains = [(change, sure_gain(change, unchanged, crowding)) for change in changes]
    steps = _best([(change, gain) for change, gain in gains if gain is not None])
    if not steps:
        return NextSteps((), "No usual change is sure to shorten this run by 0.5 % or more.")
    return NextSteps(steps)


def _is_safe(change: Change) -> bool:
    return change.effort != "edges" or change.name == _HARMLESS


def _best(gains: Sequence[_Pair]) -> tuple[NextStep, ...]:
    """The best of each class of effort first, then the others, best first."""
    pays = [pair for pair in gains if pair[1].change <= -_LEAST_GAIN]
    pays.sort(key=lambda pair: pair[1].makespan_ns)
    seen: set[str] = set()
    first, others = list[_Pair](), list[_Pair]()
    for pair in pays:
        (others if pair[0].effort in seen else first).append(pair)
        seen.add(pair[0].effort)
    chosen = sorted((first + others)[:MOST_STEPS], key=lambda pair: pair[1].makespan_ns)
    return tuple(
        NextStep(
            _words(change),
            found.change,
            found.low_change,
            found.high_change,
            foreseen=True,
            command=("what-if", TRACE, *change.asked),
        )
        for change, found in chosen
    )


def _words(change: Change) -> str:
    """The change as advice."""
    if change.effort == "function":
        return f"{change.name.rpartition(' x')[0]} 10 % faster"
    if change.effort == "controllers":
        return f"{change.name.rpartition(' x')[0]} 10 % less"
    return change.name


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""
