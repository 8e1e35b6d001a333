"""What the records of a run leave open: replicas that they allow as well, and what is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.native.replay import EARLY, TOGETHER
from lanescope.replay.replica import Replica
from lanescope.trace.numbering import different

JITTER = 0.01
"""The length of a run is known to this part: another run would differ by as much."""
LEAST_DOUBT = 0.001
"""Every interval is wider than its replays by at least this part on either side …"""
GUESS_DOUBT = 0.03
"""… and by this part more for each thing that was not recorded and is guessed."""
HELD_UP = 0.02
"""An orchestrator that waited for a smaller part of the makespan is not mentioned."""
_SEEN_STEPS = 5
_JITTERED = 4


def variants_of(replica: Replica) -> list[Replica]:
    """The replica, then others that the same records allow.

    The others have costs that are about as likely, lengths that differ by up to JITTER, or another
    time that the host takes.
    """
    others = [replace(replica, costs=costs) for costs in replica.calibration.likely[1:]]
    if replica.own is None and not others:
        low, high = replica.calibration.seen_ps
        seen = np.linspace(low, high, _SEEN_STEPS).round().astype(np.int64).tolist()
        others = [_with_seen(replica, value) for value in dict.fromkeys(seen)]
    rng = np.random.default_rng(1)
    others += [_jittered(replica, rng) for _ in range(_JITTERED)]
    host_ps = replica.buffers.host_ps
    hosts = {host_ps.low, host_ps.high} - {replica.costs.host_latency}
    others += [
        replace(replica, costs=replace(replica.costs, host_latency=host)) for host in sorted(hosts)
    ]
    return [replica, *others]


def _with_seen(replica: Replica, seen_ps: int) -> Replica:
    return replace(replica, costs=replace(replica.costs, finish_latency=seen_ps))


def _jittered(replica: Replica, rng: np.random.Generator) -> Replica:
    """The replica with every length changed at random by up to JITTER."""
    units = replica.units
    factor = 1 + JITTER * rng.uniform(-1, 1, len(units.lengths_ps))
    lengths_ps = (units.lengths_ps * factor).astype(np.int64)
    return replace(replica, units=replace(units, lengths_ps=lengths_ps))


def left_out(replica: Replica) -> tuple[str, ...]:
    """What a replay guesses or leaves out: one sentence each, without its full stop."""
    notes = [
        f"{what} were not recorded; their cost is guessed" for what in replica.calibration.missing
    ]
    trace, manner = replica.trace, replica.shapes.manner
    kinds = {trace.word(code) for code in different(trace.phases["kind"]).tolist()}
    odd = {
        "early_dispatch": ("tasks that were put on cores early", manner & EARLY),
        "async_poll": ("waits for engines beside the cores", replica.waits.wait_ps),
        "drain": ("blocks that started together", manner & TOGETHER),
    }
    notes += [
        f"{text} are replayed as ordinary tasks: the trace does not say which they are"
        for kind, (text, known) in odd.items()
        if kind in kinds and not known.any()
    ]
    if replica.held_up > HELD_UP:
        notes.append(
            f"the orchestrator was held up for {100 * replica.held_up:.0f} % of the time, perhaps "
            "because it was too far ahead of the tasks; a change of that is not replayed, so the "
            "makespan may be lower by as much"
        )
    if len(trace.stalls) and not replica.buffers.known:
        notes.append("waits for recording buffers are not replayed")
    return tuple(notes)
