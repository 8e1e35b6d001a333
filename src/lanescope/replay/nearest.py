"""The replica that explains a recorded run best: with constant costs, or with its own values."""

from __future__ import annotations

from dataclasses import replace

from lanescope.replay.calibration.own import OwnValues, own_values, seen_again
from lanescope.replay.readings.submits import submitted_at_once
from lanescope.replay.replica import Replica, distance, replica_of
from lanescope.trace.trace import Trace

DRAWN = 4
"""So many times are values drawn for what the records do not tell."""
EXPLAINED = 0.01
"""Constant costs explain a recording if the replay is no further off than this part."""


def nearest_replica(trace: Trace) -> Replica:
    """The replica with constant costs if these explain the recording; else the nearest one of that
    and some with the run's own values, which differ in what the records do not tell.

    Raises what `replica_of` does.
    """
    regular = replica_of(trace)
    if abs(distance(regular)) <= EXPLAINED:
        return regular
    guesses = [regular]
    if "submits" in regular.calibration.missing:
        guesses.append(replace(regular, submits=submitted_at_once(regular.submits)))
    tries = [regular]
    for guess in guesses:
        own = own_values(
            guess.trace,
            guess.nodes,
            guess.machine,
            shapes=guess.shapes,
            units=guess.units,
            costs=guess.calibration.costs,
            submit_ns=guess.submits.at_ns(),
        )
        tries += [with_own(guess, own, seed=seed) for seed in range(DRAWN)]
    return min(tries, key=lambda one: abs(distance(one)))


def with_own(replica: Replica, own: OwnValues, *, seed: int) -> Replica:
    """The replica with a run's own values; times without records have absences that are drawn."""
    begin = replica.submits.begin_ns
    window = begin, begin + 2 * (replica.window.end_ns - begin)
    return replace(
        replica,
        machine=own.machine,
        units=own.units,
        costs=own.costs,
        absences=seen_again(own, window, seed=seed),
        own=own,
    )
