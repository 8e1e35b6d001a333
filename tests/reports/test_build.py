"""The report for machines."""

from __future__ import annotations

from threading import Event

import pytest
from tests.analyze.hand import entry, make_trace, phase, task

import lanescope.reports
from lanescope.analyze.analysis import Analysis, Basis
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.reports import build, build_report
from lanescope.trace import Source, Trace

FAR = 4_611_686_018_427_387_904
"""2^62: a float would lose its last digits."""


def test_the_keys_and_whole_nanoseconds() -> None:
    source = Source(path="a.json", format="records", bytes=7)
    trace = make_trace(
        {"level": 2, "sources": (source,), "ledger": (entry("core 0", 2, 1, dropped=1),)},
        cores=[{"core": 0, "kind": "aic"}],
        functions=[{"func": 0, "name": "QK\n[red]"}],
        tasks=[task(0, 0, 1, 3, FAR + 3, FAR + 5, func=0, task=1)],
    )
    found = build_report(trace).to_dict()
    exact = {"count": 1, "total_ns": FAR, "mean_ns": float(FAR)}
    assert list(found) == [
        *(
            "report_version",
            "conditions",
            "verdict",
            "suspects",
            "critical",
            "capture",
            "losses",
            "makespan",
        ),
        *("launched", "functions", "inside", "slowest", "controllers"),
        *("queues", "counters", "peer", "rounds"),
    ]
    assert found["counters"] == {"rows": [], "silent": []}
    assert found["capture"]["sources"] == [{"path": "a.json", "format": "records", "bytes": 7}]
    assert found["losses"]["nothing_lost"] is False
    assert found["losses"]["lossy"] == [
        {
            "lane": "core 0",
            "kind": "core_task",
            "total": 2,
            "delivered": 1,
            "dropped": 1,
            "unmatched": 0,
            "reason": "",
            "unknown": False,
        }
    ]
    assert found["makespan"]["makespan"] == {
        "start_ns": 0,
        "end_ns": FAR + 5,
        "length_ns": FAR + 5,
    }
    (row,) = found["functions"]["rows"]
    assert row["name"] == "QK\n[red]"
    assert row["exec"] == exact | dict.fromkeys(("min_ns", "p50_ns", "p99_ns", "max_ns"), FAR)
    assert row["setup"] == {"count": 1, "total_ns": 2, "mean_ns": 2.0}


def test_an_analysis_on_request_is_there_only_when_asked_for() -> None:
    trace = make_trace(tasks=[task(0, 0, 1, 2, 3, 4, task=1)])
    plain, more = build_report(trace), build_report(trace, also=["graph"])
    assert set(more.to_dict()) - set(plain.to_dict()) == {"graph"}
    assert "graph" not in dir(plain) and more.graph.nodes == 1
    kept = [section for section in more.sections() if not section.title.startswith("Task graph")]
    assert kept == plain.sections() != more.sections()
    assert repr(more).replace(", graph>", ">") == repr(plain)


def test_a_controller_in_full() -> None:
    trace = make_trace(phases=[phase("dispatch", 0, 4, loop=1, tasks=2), phase("drain", 8, 10)])
    assert build_report(trace).to_dict()["controllers"] == [
        {
            "lane": "scheduler",
            "controller": 0,
            "phases": 2,
            "untimed": 0,
            "start_ns": 0,
            "end_ns": 10,
            "busy_ns": 6,
            "overlap_ns": 0,
            "loops": 1,
            "dispatched": 2,
            "completed": None,
            "pop_hits": None,
            "pop_misses": None,
            "submits": None,
            "kinds": [
                {"kind": "dispatch", "role": "outer", "count": 1, "total_ns": 4, "share": 0.4},
                {"kind": "drain", "role": "outer", "count": 1, "total_ns": 2, "share": 0.2},
            ],
            "name": "",
            "span_ns": 10,
            "idle_ns": 4,
            "busy_share": 0.6,
            "idle_share": 0.4,
            "ns_per_loop": 10.0,
            "ns_per_submit": None,
            "pop_hit_rate": None,
        }
    ]


def test_of_a_large_trace_a_question_without_the_graph_is_answered_before_the_graph_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = Event()

    def late(trace: Trace) -> Nodes:
        assert answered.wait(timeout=5)
        return nodes(trace)

    def without_graph(basis: Basis) -> int:
        answered.set()
        return len(basis.trace.tasks)

    def with_graph(basis: Basis) -> int:
        return len(basis.graph)

    asked = (
        Analysis(name="first", question="?", keys="", answer=with_graph, large=True),
        Analysis(name="second", question="?", keys="", answer=without_graph),
    )
    monkeypatch.setattr(build, "analyses", lambda family: asked)
    monkeypatch.setattr(build, "nodes", late)
    monkeypatch.setattr(build, "_FEW_ROWS", 0)
    report = build_report(make_trace(tasks=[task(0, 0, 1, 2, 3, 4, task=1)]))
    assert (report["first"], report["second"]) == (1, 1)


def test_the_room_has_two_names_which_are_loaded_when_they_are_used() -> None:
    assert lanescope.reports.build_report is build.build_report
    assert lanescope.reports.Report is build.Report
    with pytest.raises(
        AttributeError, match=r"^module 'lanescope\.reports' has no attribute 'makespan'$"
    ):
        _ = lanescope.reports.makespan
