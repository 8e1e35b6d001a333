"""Real runs through both exporters: the Perfetto engine's sums against sums over the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.formats.perfetto_engine import query

from lanescope.formats import import_paths
from lanescope.formats.chrome.write import write_chrome
from lanescope.formats.perfetto import write_perfetto
from lanescope.formats.written import DrawnExport
from lanescope.trace import MISSING, Trace

ROOT = Path(__file__).parents[2]
SHARED = ROOT / "../shared/data/chip-swimlane"
RUNS = [ROOT / "examples" / "small_run"]
RUNS += sorted(p.parent for p in SHARED.glob("a*/L4*/*/deps.json"))
RUNS += sorted(p.parent for p in SHARED.glob("a*/B8_all/*/deps.json"))
RUNS += sorted(p.parent for p in SHARED.glob("history/G[36]*/TestPaged*Small1*/deps.json"))

Sums = dict[tuple[str, str], int]

LANES = """
    select p.name as view, h.name as lane, count(*) as slices, sum(s.dur) as ns
    from slice s join thread_track t on t.id = s.track_id join thread h using (utid)
    join process p using (upid) group by p.pid, h.tid order by p.pid, h.tid
"""
CORES = """
    select h.name from thread h join process p using (upid)
    where p.name = 'cores' and h.tid != p.pid order by h.tid
"""
FLOWS = "select count(*) as n from flow"


def expected_sums(trace: Trace) -> tuple[Sums, Counter[tuple[str, str]]]:
    """(view, lane) to total ns and to slices, straight from the tables."""
    names = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True))
    total: Sums = {}
    count: Counter[tuple[str, str]] = Counter()

    def add(view: str, lane: str, start: int, end: int) -> None:
        if start != MISSING and end != MISSING:
            total[view, lane] = total.get((view, lane), 0) + end - start
            count[view, lane] += 1

    tasks = trace.tasks
    for row, core in enumerate(tasks["core"].tolist()):
        if core in names:
            add("cores", names[core], int(tasks["start_ns"][row]), int(tasks["end_ns"][row]))
            dispatch, finish = int(tasks["dispatch_ns"][row]), int(tasks["finish_ns"][row])
            add("scheduler view", names[core], dispatch, finish)
    lanes = zip(trace.text("phases", "lane"), trace.phases["controller"].tolist(), strict=True)
    for row, (lane, controller) in enumerate(lanes):
        start, end = int(trace.phases["start_ns"][row]), int(trace.phases["end_ns"][row])
        add("controllers", f"{lane} {controller}", start, end)
    return total, count


def expected_arrows(trace: Trace) -> int:
    ran = set(trace.tasks["task"][trace.ran()].tolist())
    pairs = set(zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True))
    return sum(pred in ran and succ in ran for pred, succ in pairs)


@pytest.mark.parametrize("write", [write_perfetto, write_chrome])
@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(run.parts[-3:]))
def test_the_engine_counts_what_the_trace_holds(
    run: Path, write: Callable[[Trace, Path], DrawnExport], tmp_path: Path
) -> None:
    (trace,) = import_paths([run])
    summary = write(trace, tmp_path / "out")
    answers = query(tmp_path / "out", {"lanes": LANES, "cores": CORES, "flows": FLOWS})
    total: Sums = {}
    count: Counter[tuple[str, str]] = Counter()
    for row in answers["lanes"]:
        lane = row["view"], row["lane"].split(" (")[0]
        total[lane] = total.get(lane, 0) + row["ns"]
        count[lane] += row["slices"]
    assert (total, count) == expected_sums(trace)
    assert sum(count.values()) == summary.slices
    assert [row["name"] for row in answers["cores"]] == trace.text("cores", "name")
    assert answers["flows"] == [{"n": expected_arrows(trace)}]
    assert summary.arrows == expected_arrows(trace)
