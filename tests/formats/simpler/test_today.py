"""Hand-made files of September 2026 give the answers that were computed apart from them.

`expected.json` holds these answers; nothing in it was made with lanescope.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanescope
from lanescope.formats import import_paths, import_trace
from lanescope.formats.simpler.write import write_run
from lanescope.trace import MISSING, Trace
from lanescope.trace.tables import SCHEMA
from lanescope.trace.task_names import task_text

DATA = Path(__file__).parents[3] / "../shared/data/simpler-today"
EXPECTED: dict[str, Any] = {}
if (DATA / "expected.json").is_file():
    EXPECTED = json.loads((DATA / "expected.json").read_text())
FILES = [name for name in EXPECTED if name.endswith(".json")]

pytestmark = pytest.mark.skipif(not EXPECTED, reason="no hand-made files of September 2026 here")


def of_file(name: str) -> Trace:
    return import_trace(DATA / name)


def function_names(trace: Trace) -> list[str]:
    known = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    return [known.get(func, "(no name map)") for func in trace.tasks["func"].tolist()]


@pytest.mark.parametrize("name", FILES)
def test_level_generation_rows_and_runs(name: str) -> None:
    trace, answer = of_file(name), EXPECTED[name]
    ran = trace.ran()
    assert trace.meta.level == answer["level"]
    assert trace.meta.extra["generation"] == answer["generation"]
    assert int(ran.sum()) == answer["task_rows"]
    epochs = [None if e == MISSING else e for e in trace.runs["epoch"].tolist()] or [None]
    assert epochs == (answer["runs"] or [trace.meta.extra["collection"]["run_epoch"]])
    if "verdict" in answer:
        assert set(trace.text("runs", "completeness")) == {answer["verdict"]}


@pytest.mark.parametrize("name", FILES)
def test_cycles_per_function(name: str) -> None:
    trace, answer = of_file(name), EXPECTED[name]
    tasks, names = trace.tasks, np.array(function_names(trace))
    ran = trace.ran()
    for function, sums in answer.get("functions", {}).items():
        mine = (names == function) & ran
        assert int(mine.sum()) == sums["count"]
        columns = {column: tasks[f"{column}_cycles"][mine] for column in ("start", "end")}
        columns |= {column: tasks[f"{column}_cycles"][mine] for column in ("dispatch", "finish")}
        assert int((columns["end"] - columns["start"]).sum()) == sums["exec_cycles"]
        assert int((columns["start"] - columns["dispatch"]).sum()) == sums["head_cycles"]
        assert int((columns["finish"] - columns["end"]).sum()) == sums["tail_cycles"]
        assert int((tasks["end_ns"] - tasks["start_ns"])[mine].sum()) == sums["exec_us"] * 1000


@pytest.mark.parametrize("name", [name for name in FILES if "first_cycle" in EXPECTED[name]])
def test_first_and_last_stamp(name: str) -> None:
    trace, answer = of_file(name), EXPECTED[name]
    device = trace.phases["start_cycles"] != MISSING
    columns = [trace.tasks[f"{one}_cycles"] for one in ("dispatch", "start", "end", "finish")]
    columns += [trace.phases[f"{one}_cycles"][device] for one in ("start", "end")]
    known = np.concatenate([column[column != MISSING] for column in columns])
    assert (int(known.min()), int(known.max())) == (answer["first_cycle"], answer["last_cycle"])
    starts = int(trace.runs["start_ns"].min()) if len(trace.runs) else 0
    ends = int(trace.runs["end_ns"].max()) if len(trace.runs) else int(trace.phases["end_ns"].max())
    assert ends - starts == round(answer["span_us"] * 1000)
    span = lanescope.report(trace).makespan.time_range
    assert span.length_ns == round(answer["first_start_to_last_end_us"] * 1000)


@pytest.mark.parametrize("name", [name for name in FILES if "phases" in EXPECTED[name]])
def test_phases_are_on_the_lane_of_their_own_id(name: str) -> None:
    trace, answer = of_file(name), EXPECTED[name]
    phases, kinds = trace.phases, np.array(trace.text("phases", "kind"))
    mine = phases["lane"] == trace.code("scheduler")
    ids = sorted(set(phases["controller"][mine].tolist()))
    assert ids == answer["scheduler_ids"]
    for number, sums in answer["phases"].items():
        own = mine & (phases["controller"] == int(number))
        assert set(kinds[own].tolist()) == set(sums)
        for kind, figures in sums.items():
            rows = own & (kinds == kind)
            cycles = int((phases["end_cycles"] - phases["start_cycles"])[rows].sum())
            assert (int(rows.sum()), cycles) == (figures["count"], figures["cycles"])
    threads = set(phases["controller"][phases["lane"] == trace.code("lifecycle")].tolist())
    assert len(threads) == answer.get("lifecycle_threads", 0)


def test_ids_of_two_spaces_are_exact_and_labelled() -> None:
    name = "g10_hbg_level2_id_spaces/chip_swimlane_records.json"
    trace, answer = of_file(name), EXPECTED[name]
    order = np.argsort(trace.tasks["start_ns"])
    ids = trace.tasks["task"][order].tolist()
    assert [str(task) for task in ids] == answer["task_ids"]
    assert [task_text(trace, task) for task in ids] == answer["labels"]


def test_two_runs_of_one_file_are_apart() -> None:
    trace = import_trace(DATA / "g10_tmr_level4_two_runs")
    assert len(set(trace.tasks["task"].tolist())) == 8
    rounds = lanescope.report(trace).rounds
    assert [(run.epoch, run.tasks, run.length_ns) for run in rounds.runs] == [
        (11, 4, 43_000),
        (12, 4, 45_000),
    ]
    assert (rounds.first.mean_ns, rounds.others.mean_ns) == (43_000, 45_000)
    one = trace.select(run=12)
    assert [run.epoch for run in lanescope.report(one).rounds.runs] == [12]
    assert len(one.tasks) == 4 and len(one.edges) == 4
    labels = {task_text(trace, task) for task in trace.tasks["task"].tolist()}
    assert "r1t0 of run 11" in labels and "r1t0 of run 12" in labels


def test_collected_runs_are_one_trace_with_their_verdicts() -> None:
    trace = import_trace(DATA / "g11_collected")
    rounds = lanescope.report(trace).rounds
    told = [(run.epoch, run.completeness, run.tasks, run.length_ns) for run in rounds.runs]
    assert told == [(21, "published", 4, 43_000), (22, "partial_safe", 0, None)]
    text = lanescope.report(trace).text()
    assert text.index("run 22: partial_safe") < text.index("Capture")
    apart = import_paths([DATA / "g11_collected"], per_rank=True)
    assert [one.meta.name for one in apart] == [
        "swimlane-0-records_e21",
        "swimlane-0-records_e22",
    ]


def test_ranks_lie_on_the_hosts_clock_as_far_as_it_is_known() -> None:
    trace, answer = import_trace(DATA / "two_ranks"), EXPECTED["two_ranks"]
    assert trace.meta.host_clock is not None
    origin, start, end = trace.meta.host_clock.host_ns, "start_ns", "end_ns"
    ranks = dict(zip(trace.cores["core"].tolist(), trace.cores["rank"].tolist(), strict=True))
    of_row = np.array([ranks[core] for core in trace.tasks["core"].tolist()])
    for number in (0, 1):
        placed = answer["placement"][f"rank{number}"]
        mine = trace.tasks.rows(of_row == number)
        assert int(mine[start].min()) + origin == placed["first_task_start_host_ns"]
        assert int(mine[end].max()) + origin == placed["last_task_end_host_ns"]
        assert int(trace.runs["slack_ns"][number]) == placed["slack_ns"]
    rounds = lanescope.report(trace).rounds
    assert rounds.uncertainty_ns == answer["cross_rank_uncertainty_ns"]
    # The report counts from the first dispatch, the expected gap from the first start: both ranks
    # dispatch 4000 ns before their first start.
    assert rounds.ranks[1].after_ns == answer["first_start_gap_rank1_minus_rank0_ns"]
    assert rounds.ranks[1].decided is answer["gap_is_decided"]


def test_the_start_cycle_in_the_log_is_used_when_asked_for() -> None:
    options = {"clock": "start-cycle"}
    trace = import_trace(DATA / "two_ranks", format="simpler", options=options)
    answer = EXPECTED["two_ranks"]["placement"]["rank0"]
    assert trace.meta.host_clock is not None
    first = int(trace.tasks["start_ns"][trace.tasks["core"] == 0].min())
    since_zero = 11000020000 - answer["origin_if_dev_start_cycle_is_used"]
    assert first + trace.meta.host_clock.host_ns == answer["place_lo_ns"] + since_zero


def test_host_spans_are_lanes_beside_the_ranks() -> None:
    trace = import_trace(DATA / "two_ranks")
    names = trace.text("controllers", "name")
    assert {"rank 0 host 4101", "rank 1 host 4102", "host 4100"} <= set(names)
    assert "rank 0 device, by the host's log" in names
    phases, kinds = trace.phases, np.array(trace.text("phases", "kind"))
    [runner] = np.flatnonzero((kinds == "chip.run.runner_run") & (phases["run"] == 0)).tolist()
    [wall] = np.flatnonzero(
        (kinds == "chip.run.runner_run.device_wall") & (phases["run"] == 0)
    ).tolist()
    assert phases["end_ns"][runner] - phases["start_ns"][runner] == 320_000
    assert phases["start_ns"][runner] <= phases["start_ns"][wall]
    assert phases["end_ns"][wall] <= phases["end_ns"][runner]


def test_ranks_apart_are_a_trace_each() -> None:
    apart = import_paths([DATA / "two_ranks"], per_rank=True)
    by_name = {trace.meta.name: trace for trace in apart}
    assert {"rank0-d0", "rank1-d0"} <= by_name.keys()
    clock = by_name["rank1-d0"].meta.host_clock
    assert clock is not None and (clock.status, clock.slack_ns) == ("contained", 75_000)


CAPTURES = [
    *("g9_tmr_level3", "g10_tmr_level4_two_runs", "g10_a5_hbg_aicore_level3"),
    *("g10_hbg_level2_id_spaces", "g11_collected/swimlane-0/records_e21.json"),
    *("g11_collected/swimlane-0/records_e22.json", "two_ranks/rank0/d0", "two_ranks/rank1/d0"),
]
HOST_ONLY = {"host", "device"}


@pytest.mark.parametrize("name", CAPTURES)
def test_an_exported_capture_comes_back_equal(name: str, tmp_path: Path) -> None:
    trace = import_trace(DATA / name)
    write_run(trace, tmp_path / "run")
    again = import_trace(tmp_path / "run")
    for table in ("tasks", "edges", "cores", "functions", "runs"):
        assert again.table(table).to_dict() == trace.table(table).to_dict(), table
    for one, other in zip(_device(again), _device(trace), strict=True):
        assert one == other
    assert again.meta.host_clock == trace.meta.host_clock
    assert (
        again.meta.ledger[: len(again.meta.ledger) // 2]
        == trace.meta.ledger[: len(again.meta.ledger) // 2]
    )


def _device(trace: Trace) -> list[Any]:
    """The phases that a records file holds, and their controllers."""
    phases = trace.phases.rows(trace.phases["start_cycles"] != MISSING)
    controllers = trace.controllers.to_dict()
    kept = [k for k, lane in enumerate(controllers["lane"]) if lane not in HOST_ONLY]
    named = {key: [values[k] for k in kept] for key, values in controllers.items()}
    return [phases.to_dict(), named]


@pytest.mark.parametrize("name", [name for name in CAPTURES if "g9" not in name])
def test_an_exported_records_file_says_what_the_source_says(name: str, tmp_path: Path) -> None:
    """Key by key, in the words of the file; only the order of rows may differ."""
    path = DATA / name
    path = path if path.suffix == ".json" else path / "chip_swimlane_records.json"
    write_run(import_trace(path), tmp_path / "records.json")
    written = json.loads((tmp_path / "records.json").read_text())
    source = json.loads(path.read_text())
    assert written.keys() - {"version"} == source.keys()
    for key in source:
        one, other = written[key], source[key]
        if key == "metadata":
            one.pop("lanescope")
        if key == "aicore_tasks":
            one, other = sorted(one), sorted(other)
        if key == "scheduler_tasks":
            one["records"], other["records"] = sorted(one["records"]), sorted(other["records"])
        assert one == other, key


def test_a_merged_trace_is_stored_and_loaded_whole(tmp_path: Path) -> None:
    trace = import_trace(DATA / "two_ranks")
    lanescope.save(trace, tmp_path / "job.lanes")
    again = lanescope.load(tmp_path / "job.lanes")
    for table in SCHEMA:
        assert again.table(table).to_dict() == trace.table(table).to_dict()
    assert again.meta == trace.meta
