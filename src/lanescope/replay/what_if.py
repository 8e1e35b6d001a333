"""What a recorded run would take if something were different: replays of its replica.

First the replica is replayed unchanged. How far that is from the recording says how much to believe
the rest. Then each change is replayed on every replica that the records allow (`variants_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.render.cells import time_text
from lanescope.render.progress import counting
from lanescope.replay.changes import Change
from lanescope.replay.crowding import Crowding, crowding_of, replay_crowded
from lanescope.replay.doubt import GUESS_DOUBT, HELD_UP, LEAST_DOUBT, left_out, variants_of
from lanescope.replay.preemption import off_processor
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica, replay
from lanescope.replay.unexplained import UnexplainedWait, unexplained_waits
from lanescope.replay.unseen import unseen_distances
from lanescope.results import Result

FAR_OFF = 0.1
"""A replay that misses the recording by a larger part does not explain it."""


@dataclass(frozen=True, slots=True)
class ChangePrediction(Result):
    """The makespan with one change: first dispatch to last finish."""

    name: str
    """The change."""
    makespan_ns: float
    low_ns: float
    """The truth is expected between this …"""
    high_ns: float
    """… and this: all replays lie there, and the distance of the unchanged one is added."""
    change: float
    """`makespan_ns` relative to the recorded makespan, less 1: -0.1 is 10 % shorter."""
    low_change: float
    """The same of `low_ns`."""
    high_change: float
    """The same of `high_ns`."""
    replays: int
    """How many replays stand behind it."""
    sure: bool
    """Whether every replay with the change is shorter than the same replay without it, or every one
    longer, by LEAST_DOUBT or more. A change that is not sure has no effect that can be told."""


@dataclass(frozen=True, slots=True)
class EffortGroup(Result):
    """Changes of one class of effort."""

    effort: str
    """What has to be done, a word of `ranking.EFFORTS`."""
    predictions: tuple[ChangePrediction, ...]
    """Those with an effect, the shortest makespan first."""
    no_effect: tuple[str, ...]
    """Names of the others."""


@dataclass(frozen=True, slots=True)
class WhatIf(Result):
    """Predictions for some changes, and how far the unchanged replay is from the recording."""

    recorded_ns: int
    """The recorded makespan: first dispatch to last finish."""
    replayed_ns: float
    """The makespan of the unchanged replay."""
    honesty: float
    """`replayed_ns` relative to `recorded_ns`, less 1."""
    notes: tuple[str, ...]
    """What the replay guesses or leaves out."""
    predictions: tuple[ChangePrediction, ...]
    ranking: tuple[EffortGroup, ...] = ()
    """What would pay, the class with the shortest makespan first; empty where nobody asked."""
    values: str = "constant"
    """What the replay uses beside lengths and submits: constant costs, or own values of tasks."""
    unseen: tuple[float, ...] = ()
    """How far the replays of the first and the second half are off if everything is read from the
    other half; empty for a short run."""
    off_processor: float | None = None
    """The part of the replayed makespan for which threads were off the processor; None: unknown."""
    unexplained: tuple[UnexplainedWait, ...] = ()
    """The largest differences between recorded and replayed waits, where the replay is far off."""
    refused: str | None = None
    """Why there are no predictions; None where there are."""


def what_if(replica: Replica, changes: Sequence[Change], *, anyway: bool = True) -> WhatIf:
    """A prediction for each change alone.

    Unless they are wanted `anyway`, there are none where the unchanged replay is too far off.
    """
    unchanged = unchanged_run(replica)
    crowding = crowding_of(replica) if changes else None
    recorded_ns, replayed_ns = unchanged.recorded_ns, unchanged.replayed_ns
    far_off = abs(unchanged.honesty) > FAR_OFF
    refused = None if anyway or not far_off else _refusal(recorded_ns, replayed_ns)
    return WhatIf(
        recorded_ns=recorded_ns,
        replayed_ns=replayed_ns,
        honesty=unchanged.honesty,
        notes=(*left_out(replica), *_crowded(crowding)),
        predictions=() if refused else _predictions(changes, unchanged, crowding),
        values="constant" if replica.own is None else "own",
        unseen=unseen_distances(replica),
        off_processor=off_processor(replica),
        unexplained=unexplained_waits(replica) if far_off else (),
        refused=refused,
    )


def sure_gain(
    change: Change, unchanged: UnchangedRun, crowding: Crowding | None
) -> ChangePrediction | None:
    """The prediction for a change of which all replays are a gain; None where one is not.

    The longest variants are replayed first, and none after one that is no gain: then the upper
    end of the interval is not below the recorded makespan, whatever the others say.
    """
    bases = unchanged.bases_ps
    changed_ps = [0] * len(bases)
    for number in sorted(range(len(bases)), key=lambda one: -bases[one]):
        found = replay_crowded(change.apply(unchanged.variants[number]), crowding)
        changed_ps[number] = found.makespan_ps
        if _high(found.makespan_ps, unchanged) >= 1:
            return None
    return _prediction(change, unchanged, changed_ps)


def _crowded(crowding: Crowding | None) -> tuple[str, ...]:
    if crowding is None:
        return ()
    names = ", ".join(crowding.names)
    return (f"runs of {names} take longer in company; by how much is fitted to the recording",)


def _refusal(recorded_ns: int, replayed_ns: float) -> str:
    """One sentence without its full stop."""
    return (
        f"the replay takes {time_text(replayed_ns)} where {time_text(recorded_ns)} were recorded, "
        f"{100 * (replayed_ns / recorded_ns - 1):+.1f} %, which is further off than the "
        f"{100 * FAR_OFF:.0f} % up to which it explains a run; --anyway predicts all the same"
    )


@dataclass(frozen=True, slots=True)
class UnchangedRun:
    """The run before any change, as its replica and others that the records allow replay it."""

    recorded_ns: int
    variants: list[Replica]
    bases_ps: list[int]
    """By variant: its replayed makespan."""

    @property
    def replayed_ns(self) -> float:
        """The makespan of the replica itself."""
        return self.bases_ps[0] / PS

    @property
    def honesty(self) -> float:
        """`replayed_ns` relative to `recorded_ns`, less 1."""
        return self.replayed_ns / self.recorded_ns - 1

    @property
    def doubt(self) -> float:
        """The part by which every interval is widened."""
        missing = self.variants[0].calibration.missing
        return max(abs(self.honesty), LEAST_DOUBT + GUESS_DOUBT * len(missing))


def unchanged_run(replica: Replica) -> UnchangedRun:
    """Replay a replica and its variants."""
    variants = variants_of(replica)
    bases_ps = [replay(variant).makespan_ps for variant in variants]
    return UnchangedRun(replica.window.length_ns, variants, bases_ps)


def _predictions(
    changes: Sequence[Change], unchanged: UnchangedRun, crowding: Crowding | None
) -> tuple[ChangePrediction, ...]:
    found = []
    with counting("trying changes", len(changes)) as advance:
        for change in changes:
            changed_ps = [
                replay_crowded(change.apply(variant), crowding).makespan_ps
                for variant in unchanged.variants
            ]
            found.append(_prediction(change, unchanged, changed_ps))
            advance()
    return tuple(found)


def _high(changed_ps: int, unchanged: UnchangedRun) -> float:
    """The upper end of an interval, relative to the recorded makespan, if no replay is longer.

    The recording is one of the runs that the unchanged replays stand for, nobody knows which.
    """
    return changed_ps / max(min(unchanged.bases_ps), 1) * (1 + unchanged.doubt)


def _prediction(
    change: Change, unchanged: UnchangedRun, changed_ps: Sequence[int]
) -> ChangePrediction:
    """Of the change on all variants, each relative to the same variant without it."""
    bases, doubt = unchanged.bases_ps, unchanged.doubt
    replica, recorded_ns = unchanged.variants[0], unchanged.recorded_ns
    even = max(len(replica.calibration.likely), 1)
    ratios = [c / max(b, 1) for c, b in zip(changed_ps, bases, strict=True)]
    # The middle of what the likely costs give is never further off than half of what they differ.
    middle = (min(ratios[:even]) + max(ratios[:even])) / 2
    held_up = replica.held_up if replica.held_up > HELD_UP else 0.0
    low = min(changed_ps) / max(*bases, 1) * (1 - doubt) * max(1 - held_up, 0.0)
    high = _high(max(changed_ps), unchanged)
    return ChangePrediction(
        name=change.name,
        makespan_ns=recorded_ns * middle,
        low_ns=recorded_ns * low,
        high_ns=recorded_ns * high,
        change=middle - 1,
        low_change=low - 1,
        high_change=high - 1,
        replays=len(changed_ps),
        sure=max(ratios) <= 1 - LEAST_DOUBT or min(ratios) >= 1 + LEAST_DOUBT,
    )
