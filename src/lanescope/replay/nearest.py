"""The replica that explains a recorded run best: with constant costs, or with its own values."""

from __future__ import annotations

from dataclasses import replace

from lanescope.replay.calibration.own import OwnValues, own_values
from lanescope.replay.readings.submits import submitted_at_once
from lanescope.replay.replica import Replica, distance, replica_of
from lanescope.trace.trace import Trace

EXPLAINED = 0.03
"""Constant costs explain a recording if the replay is no further off than this part. Own values fit
any recording; what a change makes of it is nearer with constants, where these are near."""


def nearest_replica(trace: Trace) -> Replica:
    """The replica with constant costs if these explain the recording; else the nearest one of that
    and those with the run's own values, with different guesses of what the records do not tell.
    Cores that are served in banks have constant costs only.

    Raises what `replica_of` does.
    """
    regular = replica_of(trace)
    if regular.machine.bank_cores > 1 or abs(distance(regular)) <= EXPLAINED:
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
        tries.append(with_own(guess, own))
    return min(tries, key=lambda one: abs(distance(one)))


def with_own(replica: Replica, own: OwnValues) -> Replica:
    """The replica with a run's own values."""
    return replace(replica, machine=own.machine, units=own.units, costs=own.costs, own=own)
