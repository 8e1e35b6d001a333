"""A replay as a trace: every row by hand, and the figures of a simulated run."""

from __future__ import annotations

from tests.replay.runs import hand_replica, replica

from lanescope.analyze.cores.verdict import verdict
from lanescope.replay.changes import set_cores
from lanescope.replay.replayed_trace import replayed_trace
from lanescope.replay.replica import replay
from lanescope.trace import MISSING, MISSING32


def test_every_run_is_where_and_when_the_replay_had_it() -> None:
    made = set_cores(hand_replica(), "aiv", 1)
    trace = replayed_trace(made, replay(made), name="again", note="a replay")
    columns = ("task", "core", "token", "func", "dispatch_ns", "start_ns", "end_ns", "finish_ns")
    rows = list(zip(*(trace.tasks[name].tolist() for name in columns), strict=True))
    none = [MISSING] * 4
    assert rows == [
        (3, 0, 1, 1, 300, 300, 400, 400),
        (4, 0, 2, 1, 400, 400, 600, 600),
        (1, 1, 1, 0, 0, 0, 200, 200),
        (2, 1, 2, 0, 200, 200, 300, 300),
        (5, MISSING32, MISSING, MISSING32, *none),
    ]
    assert trace.text("tasks", "kind") == ["run"] * 4 + ["dummy"]
    assert trace.text("cores", "name") == ["aic 0", "aiv 1"]
    for name in ("edges", "functions"):
        assert trace.table(name).columns is made.trace.table(name).columns
    assert len(trace.phases) == len(trace.stalls) == 0


def test_the_trace_says_that_it_is_no_recording() -> None:
    made = hand_replica()
    meta = replayed_trace(made, replay(made), name="again", note="a replay").meta
    assert (meta.name, meta.origin, meta.level, meta.notes) == (
        *("again", "predicted", 2),
        ("a replay",),
    )
    assert (meta.clock_hz, meta.base_cycles, meta.queues, meta.ledger) == (None, None, (), ())


def test_a_verdict_of_it_has_the_replays_makespan() -> None:
    made = replica("spmd_mix")
    again = replay(made)
    trace = replayed_trace(made, again, name="again", note="a replay")
    assert len(trace.tasks) == len(made.trace.tasks)
    window = verdict(trace).window
    assert window is not None
    assert abs(window.length_ns - again.makespan_ps / 1000) <= 1
