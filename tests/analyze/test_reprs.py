"""What a notebook shows of an answer: one line, with names of the trace made harmless."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace, phase, task
from tests.analyze.inside.test_busy import busy

from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.inside.busy import task_pipes
from lanescope.analyze.tasks.functions import functions
from lanescope.reports import build_report
from lanescope.trace import Trace

FULL = {
    "verdict": "<Verdict over 2 cores x 100 ns: nothing 55.0%, running 45.0%>",
    "suspects": "Suspects(slow_cores=(), late_cores=(), crowded=(), off_processor=None)",
    "critical": "<Critical: observed 1 runs in 100 ns, static 1 tasks in 60 ns>",
    "capture": "<Capture 'hand': level 2, 2 runs on 2 of 2 cores>",
    "losses": "<Losses: 1 dropped and 2 unmatched of 9 records, 1 lane not closed>",
    "makespan": "<Makespan: 100 ns, aic 60.0% busy, aiv 30.0% busy>",
    "functions": "<Functions: 1 in 2 runs, 90 ns on the cores: QK>",
    "inside": "<Inside: QK bound by cube>",
    "controllers": "(<Controller scheduler 0: 1 phase, busy 100.0% of 9 ns>,)",
    "counters": "<Counters: 1 counter of 1 function, 0 silent>",
    "peer": "<PeerOverhead: has overhead 0.0% of 60 ns>",
}
EMPTY = {
    "verdict": "<Verdict: no task has times>",
    "critical": "<Critical: no task has times>",
    "capture": "<Capture 'hand': level 0, 0 runs on 0 of 0 cores>",
    "losses": "<Losses: no ledger>",
    "makespan": "<Makespan: no task has times>",
    "functions": "<Functions: none ran>",
    "inside": "<Inside: no pipes>",
    "counters": "<Counters: 0 counters of 0 functions, 0 silent>",
}


def full() -> Trace:
    """A record of every kind that an answer counts."""
    return make_trace(
        {"level": 2, "ledger": (entry("core 7", 9, 5, dropped=1, unmatched=2),)},
        cores=[{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}],
        functions=[{"func": 0, "name": "QK"}],
        tasks=[
            task(0, 0, 0, 0, 60, 100, task=1, func=0, token=0),
            task(1, 0, 0, 0, 30, 30, task=2, func=0, token=0),
        ],
        phases=[phase("dispatch", 0, 9)],
        marks=[busy("cube", 0, 40)],
        counters=[{"name": "reads", "value": 4.0, "core": 0, "token": 0, "task": 1}],
    )


@pytest.mark.parametrize(
    ("trace", "reprs"), [(full(), FULL), (make_trace(), EMPTY)], ids=["full", "empty"]
)
def test_every_answer_is_one_line(trace: Trace, reprs: dict[str, str]) -> None:
    report = build_report(trace)
    assert {name: repr(report[name]) for name in reprs} == reprs


def test_parts_of_an_answer_are_one_line_too() -> None:
    chip = verdict(full()).chip
    assert repr(chip) == "<KindVerdict of chip, 2 cores: nothing 55.0%, running 45.0%>"
    assert repr(replace(verdict(full()), kinds=())) == "<Verdict: none>"
    (cost,) = functions(full()).rows
    assert repr(cost) == "<FunctionCost of QK: 2 runs, 90 ns on the cores, mean 45.0 ns>"
    assert repr(task_pipes(full())) == "<TaskPipes: 1 task>"


def test_hostile_names_do_not_leave_their_line() -> None:
    evil = "\x1b[2J\n" + "y" * 1000
    row: dict[str, Any] = task(0, 0, 1, 2, 3, 4, func=0, task=1, token=0)
    trace = make_trace(
        {"name": evil, "level": 2},
        cores=[{"core": 0, "kind": evil}],
        functions=[{"func": 0, "name": evil}],
        tasks=[row],
        phases=[phase("dispatch", 0, 5, lane=evil)],
        marks=[busy("cube", 2, 3)],
    )
    report = build_report(trace)
    for name in FULL:
        shown = repr(report[name])
        assert shown.isprintable() and len(shown) < 200
