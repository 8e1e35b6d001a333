"""A runtime of one's own that records everything, under `collect`: every table is what it wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.capture.programs import built, collected

import lanescope
from lanescope.trace import MISSING, Trace

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_runtime" / "all_records.c"
EVERYTHING = ("--pmu", "--core-swimlane", "--dump-tensors")
TASKS = 3000


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "all_records")


@pytest.fixture(scope="module")
def folder(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a run with everything on was stored."""
    folder = tmp_path_factory.mktemp("everything")
    done = collected(folder, program, str(TASKS), options=EVERYTHING)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def trace(folder: Path) -> Trace:
    return lanescope.load(folder / "all_records.lanes")


def words(trace: Trace, table: str, column: str) -> Counter[str]:
    return Counter(trace.words[code] for code in trace.table(table)[column].tolist())


def require_edges(trace: Trace, tasks: int = TASKS) -> None:
    assert trace.edges["pred"].tolist() == list(range(tasks - 2))
    assert trace.edges["succ"].tolist() == list(range(2, tasks))


def test_edges_are_those_that_were_recorded(trace: Trace) -> None:
    require_edges(trace)
    assert words(trace, "edges", "kind") == {"fanout": TASKS - 2}
    assert set(trace.edges["arg"].tolist()) == {-1}


def test_tasks_ran_once_and_in_the_order_of_the_graph(trace: Trace) -> None:
    tasks = trace.tasks
    order = np.argsort(tasks["task"])
    assert tasks["task"][order].tolist() == list(range(TASKS))
    assert not tasks["flags"].any()
    finish, dispatch = tasks["finish_ns"][order], tasks["dispatch_ns"][order]
    assert (finish[:-2] <= dispatch[2:]).all()


def test_counters_are_what_the_registers_counted(trace: Trace) -> None:
    for name, counted in (
        ("steps", lambda task: 500 if task % 2 else 2000),
        ("pmu_total_cycles", lambda task: 500 if task % 2 else 2000),
        ("task_numbers", lambda task: task),
    ):
        own = trace.counters["name"] == trace.words.index(name)
        found = dict(
            zip(
                trace.counters["task"][own].tolist(),
                trace.counters["value"][own].tolist(),
                strict=True,
            )
        )
        assert found == {task: counted(task) for task in range(TASKS)}
        assert (trace.counters["token"][own] != MISSING).all()


def test_every_task_has_the_marks_of_its_trace_engine(trace: Trace) -> None:
    marks = trace.marks
    assert words(trace, "marks", "pipe") == {"scalar": TASKS, "mte2": TASKS}
    assert Counter(marks["task"].tolist()) == dict.fromkeys(range(TASKS), 2)
    rows = {task: row for row, task in enumerate(trace.tasks["task"].tolist())}
    at = np.array([rows[task] for task in marks["task"].tolist()])
    assert (marks["start_ns"] >= trace.tasks["receive_ns"][at]).all()
    assert (marks["end_ns"] <= trace.tasks["end_ns"][at] + 1).all()


def test_host_phases_lie_on_the_axis_of_the_tasks(trace: Trace) -> None:
    phases = trace.phases
    own = np.flatnonzero(phases["lane"] == trace.words.index("host"))
    names = [trace.words[code] for code in phases["kind"][own].tolist()]
    assert names == ["set up", "run", "clean up"]
    start, end = phases["start_ns"][own], phases["end_ns"][own]
    assert start[1] <= trace.tasks["dispatch_ns"].min()
    assert trace.tasks["finish_ns"].max() <= end[1] <= start[2] <= end[2]
    assert phases["bytes"][own[0]] > 0 and phases["bytes"][own[1]] == MISSING
    assert words(trace, "phases", "kind") == {
        **dict.fromkeys(names, 1),
        **dict.fromkeys(("dispatch", "complete", "submit"), TASKS),
    }


def test_every_account_closes_and_names_its_kind(trace: Trace) -> None:
    ledger = {(entry.lane, entry.kind): entry for entry in trace.meta.ledger}
    assert all(e.closes and e.delivered == e.total and not e.unknown for e in ledger.values())
    totals: Counter[str] = Counter()
    for (_, kind), entry in ledger.items():
        totals[kind] += entry.total
    assert totals["edge"] == TASKS - 2
    assert totals["host_phase"] == 3
    assert totals["pmu"] == totals["core_task"] == totals["controller_task"] == TASKS
    assert totals["dumped tensor"] == 2 * TASKS
    assert totals["tensor"] == 4 * TASKS  # facts and one record of bytes each
    assert totals["mark"] == 2 * TASKS


def test_tensors_have_the_values_of_their_tasks(folder: Path) -> None:
    tensors = lanescope.read_tensors(folder / "all_records.tensors")
    assert len(tensors) == 2 * TASKS
    for one in tensors:
        first = one.arg_index == 0
        assert one.stage == ("before_dispatch" if first else "after_completion")
        assert one.functions == (("load", "sum")[one.task % 2],)
        expected = [one.task, one.task + 1] if first else [one.task + row for row in range(3)]
        assert one.array().tolist() == expected
        assert one.array().dtype == (np.float32 if first else np.int32)
        assert (one.is_contiguous, one.start_offset) == ((True, 0) if first else (False, 1))
    assert {one.task for one in tensors} == set(range(TASKS))


def test_a_selection_keeps_functions_tasks_arguments_and_stages(
    program: Path, tmp_path: Path
) -> None:
    done = collected(tmp_path, program, "40", options=("--dump-tensors=sum,4-5,arg1", "--json"))
    assert json.loads(done.stdout.splitlines()[-1])["tensors"]["count"] == 21
    tensors = lanescope.read_tensors(tmp_path / "all_records.tensors")
    assert {one.arg_index for one in tensors} == {1}
    assert {one.task for one in tensors} == {*range(1, 40, 2), 4}
    done = collected(tmp_path, program, "40", options=("--dump-tensors=nobody", "--force"))
    assert done.returncode == 1
    assert "'nobody'" in done.stderr


def test_limits_cut_tensors_and_say_so(program: Path, tmp_path: Path) -> None:
    options = ("--dump-tensors=outputs", "--dump-limit=8", "--dump-total=80")
    done = collected(tmp_path, program, "40", options=options)
    assert "TRUNCATED to 8 bytes: 10; DROPPED (limit 80 bytes): 30" in done.stdout
    tensors = lanescope.read_tensors(tmp_path / "all_records.tensors")
    assert all(one.elements().tolist() == [one.task, one.task + 1] for one in tensors)
    assert [one.truncated for one in tensors] == [True] * 10
    ledger = lanescope.load(tmp_path / "all_records.lanes").meta.ledger
    [dumped] = [entry for entry in ledger if entry.kind == "dumped tensor"]
    assert (dumped.total, dumped.delivered, dumped.dropped) == (40, 10, 30)


def test_parts_have_all_of_it_between_them(program: Path, tmp_path: Path) -> None:
    options = ("--pmu", "--dump-tensors", "--rotate", "600kB", "--buffer-records=63")
    done = collected(tmp_path, program, "12000", options=options)
    assert (done.returncode, done.stderr) == (0, "")
    parts = sorted(tmp_path.glob("all_records.*.lanes"))
    traces = [lanescope.load(part) for part in parts]
    assert len(parts) > 2
    assert all(entry.closes for trace in traces for entry in trace.meta.ledger)
    pairs = [p for t in traces for p in zip(t.edges["pred"], t.edges["succ"], strict=True)]
    assert sorted(pairs) == [(task, task + 2) for task in range(11998)]
    ran = [task for t in traces for task in t.tasks["task"][t.tasks["core"] >= 0].tolist()]
    assert sorted(ran) == list(range(12000))
    assert sum(words(trace, "counters", "name")["steps"] for trace in traces) == 12000
    tensors = [
        one for part in parts for one in lanescope.read_tensors(part.with_suffix(".tensors"))
    ]
    assert sorted((one.task, one.arg_index) for one in tensors) == [
        (task, argument) for task in range(12000) for argument in range(2)
    ]
    assert all(one.array()[0] == one.task for one in tensors)


def test_a_quota_counts_tensors_and_deletes_them_with_their_part(
    program: Path, tmp_path: Path
) -> None:
    options = ("--dump-tensors", "--rotate", "600kB", "--quota", "1MB", "--buffer-records=63")
    done = collected(tmp_path, program, "12000", options=options)
    assert (done.returncode, done.stderr) == (0, "")
    parts = sorted(part.stem for part in tmp_path.glob("*.lanes"))
    assert sorted(dump.stem for dump in tmp_path.glob("*.tensors")) == parts
    assert parts[0] != "all_records.0001"
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 1_000_000


def test_levels_and_options_that_are_off_leave_their_tables_empty(
    program: Path, tmp_path: Path
) -> None:
    done = collected(tmp_path, program, "40", options=("--chip-swimlane=1",))
    trace = lanescope.load(tmp_path / "all_records.lanes")
    assert done.returncode == 0
    assert [len(trace.table(name)) for name in ("edges", "phases", "marks", "counters")] == [0] * 4
    assert not (tmp_path / "all_records.tensors").exists()


def test_the_facade_takes_one_object(program: Path, tmp_path: Path) -> None:
    call = lanescope.CallConfig(
        chip_swimlane=2, pmu=True, dump_tensors=True, tensors=str(tmp_path / "of.tensors")
    )
    trace = lanescope.collect([str(program), "100"], call=call).trace
    require_edges(trace, 100)
    assert words(trace, "counters", "name")["steps"] == 100
    assert len(lanescope.read_tensors(tmp_path / "of.tensors")) == 200
    with pytest.raises(lanescope.UsageError, match="found them beside it"):
        lanescope.collect([str(program)], call=call, chip_swimlane=2)
    with pytest.raises(lanescope.UsageError, match="tensors=FOLDER"):
        lanescope.collect([str(program)], call=lanescope.CallConfig(dump_tensors=True))


DEPS = """{"tasks":[],"tensors":[],"edges":[{"pred":"3","succ":"9","arg":-1,"source":"explicit","""
DEPS += """"flags":["wait"]}]}"""


def test_edges_of_a_file_join_those_that_were_recorded(program: Path, tmp_path: Path) -> None:
    script = f"""printf '%s' '{DEPS}' > "$LANESCOPE_DEPS"; exec "{program}" 10"""
    options = ("--deps", str(tmp_path / "deps.json"), "--chip=a5", "--pmu=memory")
    done = collected(tmp_path, "/bin/sh", "-c", script, options=options)
    assert (done.returncode, done.stderr) == (0, "")
    trace = lanescope.load(tmp_path / "sh.lanes")
    pairs = list(zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True))
    assert sorted(pairs) == sorted([(3, 9), *((task, task + 2) for task in range(8))])
    assert words(trace, "edges", "kind") == {"explicit": 1, "fanout": 8}
    assert trace.meta.chip == "a5"
    names = words(trace, "counters", "name")
    assert names["pmu_rd_l1_instr"] == 10 and "steps" not in names


def test_a_file_that_was_not_written_is_a_problem_and_the_trace_is_stored(
    program: Path, tmp_path: Path
) -> None:
    done = collected(tmp_path, program, "10", options=("--deps", str(tmp_path / "deps.json")))
    assert done.returncode == 1
    assert f"the program did not write {tmp_path / 'deps.json'}" in done.stderr
    require_edges(lanescope.load(tmp_path / "all_records.lanes"), 10)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--pmu=memory",), "name it with --chip"),
        (("--chip=a2a3", "--pmu=nothing"), "expected a group of PMU events"),
        (("--chip=a2a3", "--core-swimlane"), "a2a3 has no trace engine"),
        (("--chip=nobody",), "nobody"),
        (("--dump-limit=5",), "--dump-limit and --dump-total need --dump-tensors"),
        (("--deps=x.json", "--rotate=1s"), "leave --rotate out"),
        (("--buffers=9999",), "expected buffers from 0 to 4096, found 9999"),
    ],
)
def test_options_without_effect_are_refused(
    tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    done = collected(tmp_path, "/bin/true", options=options)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_was_asked_for_and_never_came_is_named(tmp_path: Path) -> None:
    small = built(EXAMPLE.with_name("own_runtime.c"), tmp_path / "own_runtime")
    done = collected(tmp_path, small, "50", options=EVERYTHING)
    for option in EVERYTHING:
        assert f"{option} was asked for, but the program recorded nothing of it" in done.stdout


def test_alone_it_records_nothing(program: Path, tmp_path: Path) -> None:
    subprocess.run([program, "50"], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert list(tmp_path.iterdir()) == []


def test_recover_writes_the_tensors_and_says_so(program: Path, tmp_path: Path) -> None:
    capture = tmp_path / "run.capture"
    call = lanescope.CallConfig(dump_tensors=True, tensors=str(tmp_path / "first.tensors"))
    lanescope.collect([str(program), "100"], call=call, directory=capture)
    command = [sys.executable, "-m", "lanescope", "recover", str(capture), "-o", str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "200 tensors (100 before dispatch and 100 after completion)" in done.stdout
    assert len(lanescope.read_tensors(tmp_path / "all_records.tensors")) == 200


def test_the_flight_shows_what_the_host_did_last(program: Path, tmp_path: Path) -> None:
    capture = tmp_path / "run.capture"
    lanescope.collect([str(program), "100"], directory=capture)
    lanes = {lane.name: lane for lane in lanescope.flight(capture).lanes}
    assert lanes["host 0"].last[0].name == "clean up"
    command = [sys.executable, "-m", "lanescope", "recover", str(capture), "-o", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    assert not list(tmp_path.glob("*.tensors"))
    require_edges(lanescope.load(tmp_path / "all_records.lanes"), 100)
