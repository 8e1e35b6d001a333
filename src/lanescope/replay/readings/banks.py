"""Schedulers that serve many cores in one step, as a warp of a GPU does: which cores.

Such a scheduler's cores sit in banks, in the order of their numbers. It finishes and gives out
tasks a bank at a time, so runs on different cores of a bank have the same stamps.
"""

from __future__ import annotations

import numpy as np

from lanescope.replay.readings.served import ServedRuns
from lanescope.trace.numbering import different
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

WARP, WARP_KIND = 32, "sm"
"""Threads of a warp (CUDA C++ Programming Guide, 2.1), and the kind of core that it serves."""
_MOST = 1024
"""No bank has more cores."""
_SHARED = 0.1
"""Banks have several cores where this part of the runs finish together with another …"""
_IN_ONE_BANK = 0.9
"""… and this part of what finishes together lies in one bank."""


def bank_cores_of(trace: Trace, runs: ServedRuns, kinds: tuple[str, ...]) -> int:
    """How many cores a scheduler serves in one step; 1: it serves one core after the other.

    The recording says so, or it is guessed."""
    facts = trace.meta.recording
    if facts is not None and facts.bank_cores is not None:
        return facts.bank_cores
    return guessed_bank_cores(runs, kinds)


def guessed_bank_cores(runs: ServedRuns, kinds: tuple[str, ...]) -> int:
    """How many cores a scheduler seems to serve in one step.

    Stamps that several runs share tell it. Where no two runs could have shared one, a GPU's cores
    are taken to be served by a warp.
    """
    order = np.lexsort((runs.finish_ns, runs.controller))
    controller, time_ns = runs.controller[order], runs.finish_ns[order]
    seat, first = seats_of(runs)[order], first_of_groups(controller, time_ns)
    if not len(first):
        return 1
    several = np.diff(np.append(first, len(order))) > 1
    if not several.any() and kinds == (WARP_KIND,) and not _overlap(runs):
        return WARP
    low, high = (way.reduceat(seat, first)[several] for way in (np.minimum, np.maximum))
    if len(order) - len(first) < _SHARED * len(order):
        return 1
    cores = 2
    while cores < _MOST and np.mean(low // cores == high // cores) < _IN_ONE_BANK:
        cores *= 2
    return cores


def _overlap(runs: ServedRuns) -> bool:
    """Whether a scheduler ever had two tasks at once."""
    for controller in different(runs.controller).tolist():
        mine = runs.controller == controller
        order = np.argsort(runs.dispatch_ns[mine], kind="stable")
        dispatch, finish = runs.dispatch_ns[mine][order], runs.finish_ns[mine][order]
        if (dispatch[1:] < finish[:-1]).any():
            return True
    return False


def seats_of(runs: ServedRuns) -> Array:
    """By run: the place of its core among the cores of the same scheduler."""
    cores, place = np.unique(runs.core, return_inverse=True)
    serving = np.zeros(len(cores), np.int64)
    serving[place] = runs.controller
    seat = np.zeros(len(cores), np.int64)
    for controller in different(serving).tolist():
        mine = serving == controller
        seat[mine] = np.arange(np.count_nonzero(mine))
    return np.asarray(seat[place])


def first_of_groups(*columns: Array) -> Array:
    """The places where a value of any column differs from the one before it, and the first."""
    differs = np.zeros(len(columns[0]), bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)
