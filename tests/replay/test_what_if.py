"""Replays of simulated runs against the simulator itself, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import SECTIONS, a2a3, changed, recorded_halved, simulated

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.cores.verdict import verdict
from lanescope.errors import LanescopeError, UsageError
from lanescope.native.replay import Costs, ReplayInput, run_replay
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.replay.replayed_trace import replayed_trace
from lanescope.replay.replica import Model, model, replay
from lanescope.replay.what_if import (
    Named,
    Prediction,
    best_first,
    drop_edges,
    rank,
    scale_function,
    scale_submits,
    set_buffers,
    set_cores,
    set_dispatch_cost,
    set_schedulers,
    what_if,
)
from lanescope.trace import Trace
from lanescope.workloads import WORKLOADS as BUILT_IN
from lanescope.workloads import build_workload

WORKLOADS = tuple(BUILT_IN)
UNCHANGED_LIMIT = 0.005
HALVED_LIMIT = 0.03


@cache
def recorded(workload: str, chip: str = "a2a3", level: int = 4) -> Trace:
    return simulated(build_workload(workload, {}), load_chip(chip), level=level)


@cache
def model_of(workload: str, chip: str = "a2a3", level: int = 4) -> Model:
    return model(recorded(workload, chip, level))


@pytest.mark.parametrize("chip", ["a2a3", "a5"])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_an_unchanged_replay_is_near_the_recording(workload: str, chip: str) -> None:
    found = what_if(model_of(workload, chip), [])
    assert abs(found.honesty) <= UNCHANGED_LIMIT and found.notes == ()


@pytest.mark.parametrize("workload", WORKLOADS)
def test_half_a_function_is_what_the_simulator_then_takes(workload: str) -> None:
    found, graph = model_of(workload), build_workload(workload, {})
    ran = np.unique(found.trace.tasks["func"][found.unit_rows]).tolist()
    changes = [Named(str(f), partial(scale_function, func=f, factor=0.5)) for f in ran]
    for func, prediction in zip(ran, what_if(found, changes).predictions, strict=True):
        again = recorded_halved(graph, load_chip("a2a3"), Recording(), func=func)
        truth, name = span_ns(again), graph.functions[func]
        assert abs(prediction.makespan_ns / truth - 1) <= HALVED_LIMIT, name
        assert prediction.low_ns <= truth <= prediction.high_ns, name


def span_ns(trace: Trace) -> int:
    window = makespan(trace).makespan
    assert window is not None
    return window.length_ns


@pytest.mark.parametrize("workload", ["mixed", "random_dag", "decode_layer"])
def test_with_the_chips_own_costs_every_finish_is_the_simulators(workload: str) -> None:
    """Costs of whole nanoseconds, so that nothing is cut off: then the replay is the simulator."""
    chip = whole_ns(a2a3())
    found = model(simulated(build_workload(workload, {}), chip))
    submit = found.submit_cost_ps.copy()
    submit[0] -= 500  # half a tick, by which stamps are early in the mean, but not here
    again = replay(
        replace(
            found,
            costs=own_costs(chip, found.costs),
            submit_cost_ps=submit,
            wait_ps=np.where(found.wait_ps > 0, 8_000_000, 0),
        )
    )
    finish = found.trace.tasks["finish_ns"][found.unit_rows] * 1000
    assert (again.units["finish"] == finish).all()


def whole_ns(chip: Chip) -> Chip:
    def rounded(section: Any) -> Any:
        costs = [field.name for field in fields(section) if field.name.endswith("_ps")]
        return replace(section, **{n: round(getattr(section, n), -3) for n in costs})

    return replace(chip, **{name: rounded(getattr(chip, name)) for name in SECTIONS})


def own_costs(chip: Chip, costs: Costs) -> Costs:
    scheduler, recording = chip.scheduler, chip.recording
    return replace(
        costs, loop=scheduler.loop_ps, poll=scheduler.poll_core_ps, complete_base=0,
        complete=scheduler.complete_ps, record=recording.controller_record_ps,
        resolve=scheduler.resolve_edge_ps, pop=scheduler.pop_ps, dispatch=scheduler.dispatch_ps,
        phase=recording.scheduler_phase_ps, release=scheduler.release_ps,
        release_tasks=scheduler.release_tasks, publish=scheduler.publish_ps,
        poll_engine=scheduler.poll_engine_ps, engine_seen=0, rotate=recording.rotate_ps,
        link=chip.link.dispatch_latency_ps, seen=chip.link.finish_latency_ps,
        free=recording.core_record_ps,
    )  # fmt: skip


@pytest.mark.parametrize(("workload", "level"), [("fan", 3), ("random_dag", 2), ("chain", 2)])
def test_submits_and_phases_that_were_not_recorded_are_guessed(workload: str, level: int) -> None:
    found = what_if(model_of(workload, "a2a3", level), [])
    assert abs(found.honesty) <= 0.01
    assert found.notes[-1] == "submits were not recorded; their cost is guessed"


def test_an_orchestrator_that_waits_for_a_place_makes_the_answer_wide() -> None:
    """Its waits stay as recorded, so the prediction is too long; the interval and a note say so."""
    chip = changed(load_chip("a2a3"), "orchestrator", window_tasks=64)
    graph = build_workload("chain", {"tasks": "800"})
    found = model(simulated(graph, chip))
    result = what_if(found, [Named("half", partial(scale_function, func=0, factor=0.5))])
    assert result.notes[0].startswith("the orchestrator was held up for ")
    truth = span_ns(recorded_halved(graph, chip, Recording(), func=0))
    (prediction,) = result.predictions
    assert prediction.makespan_ns > 1.1 * truth
    assert prediction.low_ns <= truth <= prediction.high_ns


# ---- recording buffers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("workload", "before", "after"),
    [
        *(("chain", (1, 64), (8, 1024)), ("chain", (1, 16), (2, 16)), ("fan", (2, 8), (4, 8))),
        *(("random_dag", (1, 16), (8, 16)), ("spmd_mix", (1, 16), (8, 16))),
        *(("chain", (2, 16), (1, 64)), ("random_dag", (2, 16), (1, 64))),
    ],
)
def test_other_buffers_are_what_the_simulator_then_takes(
    workload: str, before: tuple[int, int], after: tuple[int, int]
) -> None:
    graph, chip = build_workload(workload, {}), load_chip("a2a3")
    trace = simulated(graph, chip, buffers=before[0], buffer_records=before[1])
    found = model(trace)
    assert len(trace.stalls) and replay(found).stalled_ps > 0
    prediction = only(found, partial(set_buffers, count=after[0], records=after[1]))
    truth = span_ns(simulated(graph, chip, buffers=after[0], buffer_records=after[1]))
    assert abs(prediction.makespan_ns / truth - 1) <= 0.05
    assert prediction.low_ns <= truth <= prediction.high_ns


def test_the_hosts_time_is_read_from_the_waits_for_it() -> None:
    chip = load_chip("a2a3")
    trace = simulated(build_workload("chain", {}), chip, buffers=1, buffer_records=64)
    found = model(trace)
    assert found.costs.host == pytest.approx(chip.recording.host_latency_ps, rel=0.01)
    assert found.costs.rotate == pytest.approx(chip.recording.rotate_ps, rel=0.1)


def test_fewer_buffers_cannot_be_told_where_nobody_waited_for_one() -> None:
    found = model_of("fan")
    assert only(found, partial(set_buffers, count=16)).change == pytest.approx(0, abs=1e-3)
    with pytest.raises(UsageError, match="no producer waited for a buffer in it"):
        set_buffers(found, 1)
    with pytest.raises(UsageError, match="at least 1 buffer of 1 record, found 0 of as many"):
        set_buffers(found, 0)


def test_a_trace_that_tells_nothing_of_buffers_is_refused() -> None:
    trace = recorded("fan")
    with pytest.raises(UsageError, match="tells of its recording buffers"):
        set_buffers(model(trace.with_meta(recording=None)), 16)


def test_calibration_finds_the_chip() -> None:
    chip = load_chip("a5")
    costs = model_of("paged_attention", "a5").costs
    for name, truth in (
        *(("loop", chip.scheduler.loop_ps), ("poll", chip.scheduler.poll_core_ps)),
        *(("resolve", chip.scheduler.resolve_edge_ps), ("pop", chip.scheduler.pop_ps)),
        *(("complete", chip.scheduler.complete_ps), ("dispatch", chip.scheduler.dispatch_ps)),
        *(("link", chip.link.dispatch_latency_ps), ("seen", chip.link.finish_latency_ps)),
        *(("free", chip.recording.core_record_ps), ("release", chip.scheduler.release_ps)),
        *(("record", chip.recording.controller_record_ps),),
        *(("phase", chip.recording.scheduler_phase_ps),),
    ):
        assert getattr(costs, name) == pytest.approx(truth, rel=0.02, abs=1000), name


def only(found: Model, change: Callable[[Model], Model]) -> Prediction:
    (prediction,) = what_if(found, [Named("", change)]).predictions
    return prediction


def test_changes_go_the_right_way() -> None:
    found = model_of("fan")
    assert only(found, lambda m: m).change == 0
    assert only(found, partial(scale_submits, factor=0.5)).change < -0.4
    assert only(found, partial(set_cores, kind="aiv", count=1)).change > 1
    crowded = model_of("paged_attention")
    assert only(crowded, partial(set_cores, kind="aic", count=48)).change < -0.05
    assert only(crowded, partial(set_dispatch_cost, ns=20_000)).change > 0.2
    assert only(crowded, partial(set_schedulers, count=1)).change > 0


def test_without_its_edges_a_chain_is_as_short_as_its_submits() -> None:
    found = model_of("chain")
    every = np.arange(len(found.kind))
    gone = partial(drop_edges, pred=every, succ=every)
    assert only(found, gone).change < -0.7
    with pytest.raises(UsageError, match="no such edge"):
        gone(gone(found))


def test_the_rank_puts_first_what_pays() -> None:
    result = best_first(what_if(found := model_of("paged_attention"), rank(found)))
    times = [prediction.makespan_ns for prediction in result.predictions]
    assert times == sorted(times)
    # QK and PV keep the matrix cores busy, which are the bottleneck.
    assert {p.name for p in result.predictions[:3]} == {"QK x0.9", "PV x0.9", "aic cores +1 (25)"}


def test_a_replay_is_a_trace() -> None:
    found = model_of("spmd_mix")
    again = replay(found)
    trace = replayed_trace(found, again, name="again", note="a replay")
    assert trace.meta.origin == "predicted" and len(trace.tasks) == len(found.trace.tasks)
    window = verdict(trace).window
    assert window is not None
    assert abs(window.length_ns - again.makespan_ps / 1000) <= 1


def test_the_level_that_is_needed_is_named() -> None:
    trace = make_trace({"level": 1}, tasks=[task(0, None, 0, 0, 10, None, task=1)])
    with pytest.raises(LanescopeError, match="from level 2 on; this trace is of level 1"):
        model(trace)


def test_no_core_of_a_kind_and_unknown_kinds_are_refused() -> None:
    found = model_of("fan")
    with pytest.raises(UsageError, match="at least 1 core of kind aiv, found 0"):
        set_cores(found, "aiv", 0)
    with pytest.raises(UsageError, match=r"a kind of core that ran tasks \(aiv\), found 'sm'"):
        set_cores(found, "sm", 3)


def test_a_replay_that_points_outside_is_refused() -> None:
    one = np.zeros(1, np.int64)
    given = ReplayInput(
        first=np.array([0, 1]), target=one, kind=one, blocks=one + 1, partners=one,
        partner_kind=one - 1, manner=one, wait=one, unit_first=np.array([0, 1]), lengths=one,
        setups=one,
        submit_order=one, submit_cost=one, submit_records=one, core_kind=one, core_scheduler=one,
        cluster_first=np.array([0, 1]),
        cluster_cores=one, buffer_records=np.zeros(4, np.int32), buffer_count=np.ones(4, np.int32),
        kinds=1, schedulers=1, pre_dispatch=0, costs=Costs(),
    )  # fmt: skip
    with pytest.raises(LanescopeError, match="can never run"):
        run_replay(given)  # it waits for itself
    with pytest.raises(IndexError):
        run_replay(replace(given, target=one + 1))
    with pytest.raises(ValueError, match="do not add up"):
        run_replay(replace(given, blocks=one + 2))
    with pytest.raises(ValueError, match="only a task on one core can be early"):
        run_replay(replace(given, kind=one - 1, manner=one + 1))
    with pytest.raises(ValueError, match="expected buffers"):
        run_replay(replace(given, buffer_records=np.ones(4), buffer_count=np.zeros(4)))
