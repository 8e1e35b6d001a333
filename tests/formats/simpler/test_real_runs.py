"""Files that real runs left behind, of every generation: all import, nothing is unmatched."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.formats.simpler.runs import open_entries

from lanescope.formats import import_paths
from lanescope.trace import MISSING, Trace

DATA = Path(__file__).parents[3] / "../shared/data/chip-swimlane"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")


@cache
def traces() -> dict[str, Trace]:
    return {trace.meta.name: trace for trace in import_paths([DATA])}


def calls(trace: Trace) -> dict[int, int]:
    """How often each function ran."""
    return dict(sorted(Counter(trace.tasks["func"][trace.ran()].tolist()).items()))


def matching(*parts: str) -> dict[str, Trace]:
    return {name: t for name, t in traces().items() if all(part in name for part in parts)}


def test_every_run_imports_and_every_ledger_closes() -> None:
    assert len(traces()) == sum(1 for p in DATA.rglob("*") if is_run(p))
    assert [entry for trace in traces().values() for entry in open_entries(trace)] == []


def is_run(folder: Path) -> bool:
    if not folder.is_dir() or folder.name in ("scope_stats", "args_dump"):
        return False
    return any(p.suffix in (".json", ".csv") for p in folder.iterdir()) or any(
        (folder / inner).is_dir() for inner in ("scope_stats", "args_dump")
    )


def test_nothing_is_dropped_or_unmatched() -> None:
    entries = [(name, e) for name, trace in traces().items() for e in trace.meta.ledger]
    assert [(name, e) for name, e in entries if e.dropped or e.unmatched] == []


def test_times_of_every_row_are_in_order() -> None:
    for trace in traces().values():
        columns = [
            trace.tasks[f"{n}_ns"] for n in ("dispatch", "receive", "start", "end", "finish")
        ]
        for first in range(5):
            for second in range(first + 1, 5):
                a, b = columns[first], columns[second]
                known = (a != MISSING) & (b != MISSING)
                assert (a[known] <= b[known]).all()


def test_generations_are_told_apart() -> None:
    found = {
        name.split("-")[1].split("_")[0]: trace.meta.extra["generation"]
        for name, trace in matching("history").items()
    }
    assert found == {"G3": "G3", "G5": "G5", "G6": "G6", "v1": "G1", "v2": "G2"}
    newest = {t.meta.extra.get("generation") for n, t in traces().items() if "history" not in n}
    assert newest == {"G8", None}


def test_levels_are_those_the_runs_were_made_with() -> None:
    for name, trace in traces().items():
        for level in range(1, 5):
            if f"L{level}" in name:
                assert trace.meta.level == level
    for generation in ("G3", "G6"):
        levels = sorted(t.meta.level for t in matching(generation, "Vector").values())
        assert levels == [1, 2, 3, 4]


def test_the_vector_example_ran_the_same_functions_in_every_generation() -> None:
    newest = calls(traces()["a2a3sim-tmr-vector_example-L4_dep-TestVectorExample_default"])
    assert newest == {0: 2, 1: 2, 2: 1}
    older = {**matching("history", "Vector"), **matching("history", "v2", "vector")}
    assert len(older) == 12
    assert {name: calls(trace) for name, trace in older.items()} == dict.fromkeys(older, newest)


def test_the_first_generation_ran_a_smaller_vector_example() -> None:
    [first] = matching("history-v1").values()
    assert calls(first) == {0: 1, 1: 2, 2: 1}
    assert sorted(zip(first.edges["pred"].tolist(), first.edges["succ"].tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 3),
        (2, 3),
    ]


def test_paged_attention_ran_the_same_functions_in_three_generations() -> None:
    older = matching("history", "TestPagedAttention_CaseSmall1")
    assert sorted(t.meta.extra["generation"] for t in older.values()) == ["G3", "G5", "G6"]
    expected = {0: 3, 1: 3, 2: 3, 3: 3}
    assert {name: calls(trace) for name, trace in older.items()} == dict.fromkeys(older, expected)
    named = {tuple(trace.text("functions", "name")) for trace in older.values()}
    assert named == {("QK", "SF", "PV", "UP")}


def test_graphs_of_one_program_have_the_same_edges_in_every_generation() -> None:
    pairs = {
        name: frozenset(zip(t.edges["pred"].tolist(), t.edges["succ"].tolist(), strict=True))
        for name, t in matching("history", "TestPagedAttention_CaseSmall1").items()
    }
    assert len(set(pairs.values())) == 1


def test_counters_of_the_full_run_all_meet_their_task() -> None:
    trace = traces()["a2a3sim-tmr-pa_big-B8_all-TestPagedAttention_B8"]
    assert (trace.meta.level, int(trace.ran().sum())) == (4, 1024)
    [entry] = [entry for entry in trace.meta.ledger if entry.kind == "pmu"]
    rows_in_file = (DATA / "a2a3sim-tmr-pa_big/B8_all/TestPagedAttention_B8/pmu.csv").read_text()
    assert entry.total == entry.delivered == rows_in_file.count("\n") - 1


def test_the_host_orchestrated_run_is_aligned() -> None:
    [trace] = matching("hbg").values()
    assert trace.meta.host_clock is not None
    assert (trace.meta.host_clock.status, trace.meta.host_clock.error_ns) == ("calibrated", 22)
    lanes = trace.text("phases", "lane")
    assert (lanes.count("orchestrator"), lanes.count("host") > 0) == (5, True)
    assert (trace.phases["start_ns"] != MISSING).all()


def test_dummy_and_skipped_tasks_are_nodes() -> None:
    kinds = {
        name.rsplit("_", 1)[1]: sorted(set(trace.text("tasks", "kind")) - {"run"})
        for name, trace in matching("L4_dep", "Test").items()
        if "Dummy" in name or "Predicated" in name
    }
    assert kinds == {
        "DummyExplicitDepBarrier": ["dummy"],
        "SingleDummyAutoDep": ["dummy"],
        "PredicateFalseSkips": ["skipped"],
        "PredicateTrueDispatches": [],
    }
