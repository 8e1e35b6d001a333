"""What a recorded run would take if something were different: replays of its model.

First the recording is replayed unchanged; how far that is from what was recorded says how much to
believe the rest. A change is replayed several times over what the records leave open (costs that
are as likely, the last percent of every length, the host's time), and so is the unchanged run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanescope.errors import UsageError
from lanescope.native.replay import EARLY, LANES, TOGETHER
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Machine, Model, replay
from lanescope.trace.table import Array

JITTER = 0.01
"""Lengths are known no better than to this part, as another run would show."""
LEAST_DOUBT = 0.001
"""No interval is narrower than this on either side of its replays …"""
GUESS_DOUBT = 0.03
"""… and than this for everything that was not recorded and is guessed."""
_SEEN_STEPS = 5
_JITTERED = 4
RANK_FUNCTIONS = 20
RANK_SCALE = 0.9

HELD_UP = 0.02
"""An orchestrator that waited less is not spoken of."""

Change = Callable[[Model], Model]


@dataclass(frozen=True, slots=True)
class Named:
    """A change and what to call it."""

    name: str
    change: Change


@dataclass(frozen=True, slots=True)
class Prediction:
    """The makespan with a change; low and high hold all replays and the honesty figure."""

    name: str
    makespan_ns: float
    low_ns: float
    high_ns: float
    change: float
    """Relative to the recorded makespan."""
    low_change: float
    high_change: float
    replays: int


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The honesty figure, and the predictions."""

    recorded_ns: int
    replayed_ns: float
    honesty: float
    """How much longer the unchanged replay is than the recording, relative to it."""
    notes: tuple[str, ...]
    predictions: tuple[Prediction, ...]


def what_if(model: Model, changes: Sequence[Named]) -> WhatIf:
    """Each change alone."""
    variants = variants_of(model)
    bases = [replay(variant).makespan_ps for variant in variants]
    recorded = model.window.length_ns
    replayed = bases[0] / PS
    honesty = replayed / recorded - 1
    least = LEAST_DOUBT + GUESS_DOUBT * len(model.calibration.missing)
    found = [
        _predict(named, variants, bases, (recorded, max(abs(honesty), least))) for named in changes
    ]
    return WhatIf(recorded, replayed, honesty, left_out(model), tuple(found))


def variants_of(model: Model) -> list[Model]:
    """The calibrated one, then others that the records allow as well."""
    others = [replace(model, costs=costs) for costs in model.calibration.likely[1:]]
    if not others:
        low, high = model.calibration.seen_ps
        seen = np.linspace(low, high, _SEEN_STEPS).round().astype(np.int64).tolist()
        others = [
            replace(model, costs=replace(model.costs, seen=value)) for value in dict.fromkeys(seen)
        ]
    rng = np.random.default_rng(1)
    for _ in range(_JITTERED):
        factor = 1 + JITTER * rng.uniform(-1, 1, len(model.lengths_ps))
        others.append(replace(model, lengths_ps=(model.lengths_ps * factor).astype(np.int64)))
    hosts = {*model.buffers.host_ps} - {model.costs.host}
    others += [replace(model, costs=replace(model.costs, host=host)) for host in sorted(hosts)]
    return [model, *others]


def _predict(
    named: Named, variants: list[Model], bases: list[int], facts: tuple[int, float]
) -> Prediction:
    recorded, doubt = facts
    changed = [replay(named.change(variant)).makespan_ps for variant in variants]
    even = max(len(variants[0].calibration.likely), 1)
    ratios = [c / max(b, 1) for c, b in zip(changed[:even], bases, strict=False)]
    # The middle of what the likely costs give is never further off than half of what they differ.
    middle = (min(ratios) + max(ratios)) / 2
    # The recording is one of the runs that the unchanged replays stand for, nobody knows which.
    held_up = variants[0].held_up if variants[0].held_up > HELD_UP else 0.0
    low = min(changed) / max(*bases, 1) * (1 - doubt) * max(1 - held_up, 0.0)
    high = max(changed) / max(min(bases), 1) * (1 + doubt)
    return Prediction(
        name=named.name,
        makespan_ns=recorded * middle,
        low_ns=recorded * low,
        high_ns=recorded * high,
        change=middle - 1,
        low_change=low - 1,
        high_change=high - 1,
        replays=len(changed),
    )


def left_out(model: Model) -> tuple[str, ...]:
    """What the replay guesses or leaves out, a sentence without a stop each."""
    notes = [
        f"{what} were not recorded; their cost is guessed" for what in model.calibration.missing
    ]
    trace = model.trace
    kinds = {trace.word(code) for code in np.unique(trace.phases["kind"]).tolist()}
    odd = {
        "early_dispatch": ("tasks that were put on cores early", model.manner & EARLY),
        "async_poll": ("waits for engines beside the cores", model.wait_ps),
        "drain": ("blocks that started together", model.manner & TOGETHER),
    }
    notes += [
        f"{text} are replayed as ordinary tasks: the trace does not say which they are"
        for kind, (text, known) in odd.items()
        if kind in kinds and not known.any()
    ]
    if model.held_up > HELD_UP:
        notes.append(
            f"the orchestrator was held up for {100 * model.held_up:.0f} % of the time, perhaps "
            "because it was too far ahead of the tasks; a change of that is not replayed, so the "
            "makespan may be lower by as much"
        )
    if len(trace.stalls) and not model.buffers.known:
        notes.append("waits for recording buffers are not replayed")
    return tuple(notes)


# ---- changes -------------------------------------------------------------------------------------


def scale_function(model: Model, func: int, factor: float) -> Model:
    """Every run of the function takes `factor` times as long."""
    mine = model.trace.tasks["func"][model.unit_rows] == func
    lengths = np.where(mine, np.round(model.lengths_ps * factor), model.lengths_ps)
    return replace(model, lengths_ps=lengths.astype(np.int64))


def set_cores(model: Model, kind: str, count: int) -> Model:
    """So many cores of a kind: the last ones go, or more of them join the clusters in turn."""
    machine = model.machine
    if kind not in machine.kinds:
        raise UsageError(
            f"expected a kind of core that ran tasks ({', '.join(machine.kinds)}), found {kind!r}"
        )
    if count < 1:
        raise UsageError(f"expected at least 1 core of kind {kind}, found {count}")
    code = machine.kinds.index(kind)
    mine = np.flatnonzero(machine.core_kind == code)
    if count <= len(mine):
        kept = np.setdiff1d(np.arange(len(machine.core_kind)), mine[count:])
        return replace(model, machine=_with_cores(machine, kept, kept[:0]))
    pattern = mine[np.arange(count - len(mine)) % len(mine)]
    return replace(model, machine=_with_cores(machine, np.arange(len(machine.core_kind)), pattern))


def _with_cores(machine: Machine, kept: Array, copied: Array) -> Machine:
    cores = np.concatenate([kept, copied])
    return replace(
        machine,
        core_kind=machine.core_kind[cores],
        cluster=machine.cluster[cores],
        scheduler=machine.scheduler[cores],
    )


def set_schedulers(model: Model, count: int) -> Model:
    """So many scheduler threads; clusters are dealt to them in turn."""
    if count < 1:
        raise UsageError(f"expected at least 1 scheduler, found {count}")
    _, cluster = np.unique(model.machine.cluster, return_inverse=True)
    machine = replace(model.machine, scheduler=cluster % count, schedulers=count)
    return replace(model, machine=machine)


def set_dispatch_cost(model: Model, ns: float) -> Model:
    """What a scheduler takes to give one task to a core: its look into the queue is in it."""
    pop = min(model.costs.pop, round(ns * PS))
    return replace(model, costs=replace(model.costs, pop=pop, dispatch=round(ns * PS) - pop))


def scale_submits(model: Model, factor: float) -> Model:
    """The orchestrator takes `factor` times as long from submit to submit."""
    return replace(model, submit_cost_ps=np.round(model.submit_cost_ps * factor).astype(np.int64))


def drop_edges(model: Model, pred: Array, succ: Array) -> Model:
    """Without the edges from any of the nodes `pred` to any of `succ`."""
    gone = np.isin(model.pred, pred) & np.isin(model.succ, succ)
    if not gone.any():
        raise UsageError("there is no such edge to drop")
    return replace(model, pred=model.pred[~gone], succ=model.succ[~gone])


def set_buffers(model: Model, count: int, records: int | None = None) -> Model:
    """So many recording buffers per producer, of so many records each or as large as they were."""
    known = model.buffers
    if not known.known:
        raise UsageError(
            "expected a trace that tells of its recording buffers, as those that lanescope "
            "recorded do, found none"
        )
    if count < 1 or (records is not None and records < 1):
        raise UsageError(
            f"expected at least 1 buffer of 1 record, found {count} of {records or 'as many'}"
        )
    recorded = known.records > 0
    changed = replace(
        known,
        count=np.where(recorded, count, known.count).astype(np.int32),
        records=np.where(recorded, records or known.records, 0).astype(np.int32),
    )
    less = changed.count * changed.records < known.count * known.records
    if less.any() and not known.host_ps[1]:
        raise UsageError(
            "expected more room than the recorded run had: no producer waited for a buffer in it, "
            "so nothing is known of how soon buffers are given back"
        )
    lane = LANES.index("orchestrator_phase")
    old, new = int(known.records[lane]), int(changed.records[lane])
    # The recorded submits have the changes of buffers in them.
    each = model.costs.rotate * (1 / new - 1 / old) if old else 0.0
    cost = model.submit_cost_ps + np.round(each * model.submit_records).astype(np.int64)
    return replace(model, buffers=changed, submit_cost_ps=np.maximum(cost, 0))


def rank(model: Model) -> list[Named]:
    """Every function 10 % shorter, and one more of every resource."""
    trace, machine = model.trace, model.machine
    func = trace.tasks["func"][model.unit_rows]
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    keys, codes = np.unique(func, return_inverse=True)
    total = np.bincount(codes, weights=model.lengths_ps, minlength=len(keys))
    largest = [int(keys[place]) for place in np.argsort(-total, kind="stable")[:RANK_FUNCTIONS]]
    changes = [
        Named(f"{names.get(key) or f'func_{key}'} x{RANK_SCALE}", _scaling(key))
        for key in largest
        if key >= 0
    ]
    for code, kind in enumerate(machine.kinds):
        count = int(np.count_nonzero(machine.core_kind == code)) + 1
        changes.append(Named(f"{kind} cores +1 ({count})", _cores(kind, count)))
    more = machine.schedulers + 1
    cost = RANK_SCALE * (model.costs.pop + model.costs.dispatch) / PS
    changes.append(Named(f"schedulers +1 ({more})", lambda m: set_schedulers(m, more)))
    changes.append(Named("dispatch cost x0.9", lambda m: set_dispatch_cost(m, cost)))
    changes.append(Named("submit cost x0.9", lambda m: scale_submits(m, RANK_SCALE)))
    return changes


def _scaling(func: int) -> Change:
    return lambda model: scale_function(model, func, RANK_SCALE)


def _cores(kind: str, count: int) -> Change:
    return lambda model: set_cores(model, kind, count)


def best_first(found: WhatIf) -> WhatIf:
    """The predictions by what they gain."""
    return replace(found, predictions=tuple(sorted(found.predictions, key=lambda p: p.makespan_ns)))
