"""Overhead as the peer's tools define it, by hand; `tests/reports` compares with their output."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.hand import make_trace, task

from lanescope.analyze.controllers.peer import PeerKind, PeerOverhead, Quantiles, peer_overhead
from lanescope.analyze.graph.nodes import nodes
from lanescope.trace import Trace

CORES = [{"core": 0, "kind": "aiv"}, {"core": 1, "kind": "aiv"}, {"core": 2, "kind": "aic"}]


def overhead(trace: Trace) -> PeerOverhead | None:
    return peer_overhead(trace, nodes(trace))


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)])
def test_every_figure_of_three_tasks_in_any_order(order: tuple[int, ...]) -> None:
    """Task 2 is dispatched while 1 runs on its core; task 3 is ready from 10 to 15."""
    trace = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[
            (
                task(0, 0, 1, 2, 10, 12, task=1),
                task(0, 5, 13, 14, 20, 21, task=2),
                task(1, 15, 15, 16, 20, 22, task=3),
            )[place]
            for place in order
        ],
        edges=[{"pred": 1, "succ": 3}],
    )
    peer = overhead(trace)
    assert peer == PeerOverhead(
        window_ns=18,
        kinds=(
            PeerKind(
                kind="aiv",
                cores=2,
                overhead_ns=5,
                switches=1,
                switch_ns=4,
                least_switch_ns=0,
                most_switch_ns=4,
                switch_in_overhead_ns=4,
            ),
        ),
        all_overhead_ns=5,
        has_overhead_ns=5,
        head=Quantiles(3, (1, 1, 2, 4, 4, 4, 4), 4, 7),
        tail=Quantiles(3, (1, 1, 2, 2, 2, 2, 2), 2, 5),
        static_cpm_ns=12,
        static_cpm_tasks=2,
    )
    assert peer.switch_bounds_ns == (0, 0)
    assert repr(peer) == "<PeerOverhead: has overhead 27.8% of 18 ns>"


def test_a_barrier_hands_nothing_on() -> None:
    """Without the barrier, task 3 would be ready from 10 on; with it, from its dispatch on."""
    tasks: list[dict[str, Any]] = [
        task(0, 0, 0, 0, 10, 10, task=1),
        task(1, 20, 20, 20, 30, 30, task=3),
    ]
    direct = make_trace({"level": 2}, cores=CORES, tasks=tasks, edges=[{"pred": 1, "succ": 3}])
    through = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[*tasks, {"kind": "dummy", "task": 2}],
        edges=[{"pred": 1, "succ": 2}, {"pred": 2, "succ": 3}],
    )
    found = [overhead(trace) for trace in (direct, through)]
    figures = [peer and (peer.has_overhead_ns, peer.static_cpm_ns) for peer in found]
    assert figures == [(10, 20), (0, 10)]


def test_the_static_cpm_path_takes_a_task_of_two_blocks_as_one_bar() -> None:
    tasks = [task(core, 0, 0, start, start + 5, 99, task=1) for core, start in ((0, 0), (1, 80))]
    peer = overhead(make_trace({"level": 2}, cores=CORES, tasks=tasks))
    assert peer is not None and (peer.static_cpm_ns, peer.static_cpm_tasks) == (85, 1)


def test_one_task_has_no_overhead() -> None:
    peer = overhead(make_trace({"level": 2}, cores=CORES, tasks=[task(2, 0, 1, 3, 8, 9, task=1)]))
    assert peer == PeerOverhead(
        window_ns=5,
        kinds=(PeerKind("aic", 1, 0, 0, 0, 0, 0, 0),),
        all_overhead_ns=0,
        has_overhead_ns=0,
        head=Quantiles(1, (3,) * 7, 3, 3),
        tail=Quantiles(1, (1,) * 7, 1, 1),
        static_cpm_ns=5,
        static_cpm_tasks=1,
    )


@pytest.mark.parametrize(
    ("level", "tasks"),
    [
        (2, []),
        (2, [task(0, None, 1, 2, 3, None, task=1)]),
        (1, [task(0, 0, 1, 2, 3, 4, task=1)]),
    ],
    ids=["no tasks", "no dispatch", "no graph"],
)
def test_a_trace_that_cannot_tell_has_none(level: int, tasks: list[dict[str, Any]]) -> None:
    assert overhead(make_trace({"level": level}, cores=CORES, tasks=tasks)) is None


KINDS = ("aiv", "aic", "aiv", "aiv")
"""Kind of each of four cores."""


@dataclass(frozen=True)
class Run:
    """A task with its times, and the tasks that it waited for."""

    core: int
    dispatch: int
    start: int
    end: int
    after: tuple[Run, ...]

    def is_ready(self, now: int) -> bool:
        since = max((run.end for run in self.after), default=self.dispatch)
        return since <= now < self.dispatch


@st.composite
def some_runs(draw: st.DrawFn) -> list[Run]:
    """A few tasks on four cores, each after some that had ended when it was dispatched."""
    free = [0, 0, 0, 0]
    runs: list[Run] = []
    for _ in range(draw(st.integers(1, 8))):
        core = draw(st.integers(0, 3))
        start = free[core] + draw(st.integers(0, 5))
        dispatch = max(start - draw(st.integers(0, 7)), 0)
        end = free[core] = start + draw(st.integers(1, 6))
        after = tuple(run for run in runs if run.end <= dispatch and draw(st.booleans()))
        runs.append(Run(core, dispatch, start, end, after))
    return draw(st.permutations(runs))


def trace_of(runs: list[Run]) -> Trace:
    return make_trace(
        {"level": 2},
        cores=[{"core": core, "kind": kind} for core, kind in enumerate(KINDS)],
        tasks=[
            task(run.core, run.dispatch, run.start, run.start, run.end, run.end, task=number)
            for number, run in enumerate(runs)
        ],
        edges=[
            {"pred": runs.index(before), "succ": number}
            for number, run in enumerate(runs)
            for before in run.after
        ],
    )


def switches(runs: list[Run], core: int) -> list[tuple[int, int]]:
    """Gaps on a core before tasks that were dispatched before the one before had ended."""
    mine = sorted((run for run in runs if run.core == core), key=lambda run: run.start)
    return [
        (before.end, after.start)
        for before, after in pairwise(mine)
        if after.dispatch < before.end < after.start
    ]


def figures_of(runs: list[Run], kind: str, moments: range) -> PeerKind:
    """The definitions of one kind's figures, applied to every nanosecond."""
    mine = [run for run in runs if KINDS[run.core] == kind]
    cores = {run.core for run in mine}
    gaps = [switches(runs, core) for core in cores]
    per_core = [sum(end - start for start, end in one) for one in gaps]
    wanted = [any(run.is_ready(now) for run in mine) for now in moments]
    idle = [sum(run.start <= now < run.end for run in mine) < len(cores) for now in moments]
    switching = [sum(start <= now < end for one in gaps for start, end in one) for now in moments]
    return PeerKind(
        kind=kind,
        cores=len(cores),
        overhead_ns=sum(w and i for w, i in zip(wanted, idle, strict=True)),
        switches=sum(map(len, gaps)),
        switch_ns=sum(per_core),
        least_switch_ns=min(per_core),
        most_switch_ns=max(per_core),
        switch_in_overhead_ns=sum(w * n for w, n in zip(wanted, switching, strict=True)),
    )


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(some_runs())
def test_the_figures_of_a_kind_are_what_counting_gives(runs: list[Run]) -> None:
    peer = overhead(trace_of(runs))
    moments = range(min(run.start for run in runs), max(run.end for run in runs))
    assert peer is not None and peer.window_ns == len(moments)
    kinds = sorted({KINDS[run.core] for run in runs})
    assert peer.kinds == tuple(figures_of(runs, kind, moments) for kind in kinds)


def test_two_kinds_have_overhead_apart_and_together() -> None:
    """A task for each kind is ready: for aiv from 10 to 30, for aic from 20 to 40."""
    first = Run(1, 0, 0, 10, ())
    other = Run(0, 0, 0, 20, ())
    runs = [first, other, Run(0, 30, 30, 50, (first,)), Run(1, 40, 40, 50, (other,))]
    peer = overhead(trace_of(runs))
    assert peer is not None
    # The only aiv core that ran anything is busy until 20, so its overhead begins then.
    assert [(kind.kind, kind.overhead_ns) for kind in peer.kinds] == [("aic", 20), ("aiv", 10)]
    assert (peer.all_overhead_ns, peer.has_overhead_ns) == (10, 20)
