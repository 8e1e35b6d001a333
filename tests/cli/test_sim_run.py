"""`run` and `bench` on simulated chips, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lanescope
from lanescope.cli import main
from lanescope.platforms.sim.chip_file import built_in_file
from lanescope.trace.tables import SCHEMA

Output = pytest.CaptureFixture[str]

SMALL = ("--set", "batches=2", "--set", "groups=4")
ONE_CLUSTER = """base = "a2a3"
[chip]
name = { value = "small", basis = "assumed", source = "a test" }
clusters = { value = 1, basis = "assumed", source = "a test" }
"""


def one_cluster(folder: Path) -> str:
    path = folder / "small.toml"
    path.write_text(ONE_CLUSTER)
    return str(path)


@pytest.mark.parametrize(("chip", "cores"), [("a2a3", 72), ("a5", 108)])
def test_a_workload_runs_on_a_chip_and_is_stored(
    chip: str, cores: int, tmp_path: Path, capsys: Output
) -> None:
    assert main(["run", "paged_attention", "--platform", chip, "-o", str(tmp_path)]) == 0
    stored, _, _, ran, *_ = capsys.readouterr().out.splitlines()
    assert ran.startswith(f"paged_attention on {chip} (simulated): 1,024 tasks on {cores} cores (")
    assert stored.startswith(f"{tmp_path}/paged_attention.lanes  level 4: 1,024 tasks, {cores}")
    assert not list(tmp_path.glob("*.capture"))
    trace = lanescope.load(tmp_path / "paged_attention.lanes")
    assert (trace.meta.origin, trace.meta.chip, trace.meta.level) == ("simulated", chip, 4)
    assert trace.ran().all()
    assert all(entry.closes for entry in trace.meta.ledger)


def test_a_users_chip_runs(tmp_path: Path, capsys: Output) -> None:
    chip = one_cluster(tmp_path)
    arguments = ["run", "paged_attention", *SMALL, "--platform", chip, "-o", str(tmp_path)]
    assert main(arguments) == 0
    assert "paged_attention on small (simulated): 32 tasks on 3 cores" in capsys.readouterr().out
    trace = lanescope.load(tmp_path / "paged_attention.lanes")
    assert trace.meta.chip == "small"
    assert set(trace.tasks["core"].tolist()) == {0, 1, 2}


def test_two_runs_give_the_same_tables(tmp_path: Path, capsys: Output) -> None:
    said = []
    for name in ("a", "b"):
        target = str(tmp_path / f"{name}.lanes")
        arguments = ["run", "random_dag", "--set", "tasks=300", "--platform", "a2a3"]
        assert main([*arguments, "--buffers", "1", "--buffer-records", "2", "-o", target]) == 0
        said.append(capsys.readouterr().out.replace(f"{name}.lanes", ""))
    assert said[0].splitlines()[4:] == said[1].splitlines()[4:]
    first, second = (lanescope.load(tmp_path / f"{name}.lanes") for name in ("a", "b"))
    assert first.meta == second.meta
    assert len(first.stalls) > 0
    for table in SCHEMA:
        for name, column in first.table(table).columns.items():
            other = second.table(table)[name]
            assert (column.dtype, column.tobytes()) == (other.dtype, other.tobytes()), (table, name)


def test_level_0_runs_and_leaves_nothing(tmp_path: Path, capsys: Output) -> None:
    arguments = ["run", "chain", "--set", "tasks=50", "--platform", "a2a3", "--chip-swimlane=0"]
    assert main([*arguments, "-o", str(tmp_path)]) == 0
    assert list(tmp_path.iterdir()) == []
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("chain: 50 tasks on 72 cores in ")


def test_json_has_the_controllers_times(tmp_path: Path, capsys: Output) -> None:
    arguments = ["run", "chain", "--set", "tasks=50", "--platform", "a2a3", "--json"]
    assert main([*arguments, "--chip-swimlane=0", "-o", str(tmp_path)]) == 0
    off = json.loads(capsys.readouterr().out)
    assert main([*arguments, "-o", str(tmp_path)]) == 0
    on = json.loads(capsys.readouterr().out)
    # 756.5 ns per task and 40 per edge; the last edge of 49 is that of the last task.
    assert off["orchestrator_ns"] == (50 * 7362 + 49 * 400) // 10
    assert on["orchestrator_ns"] > off["orchestrator_ns"]
    assert on["makespan_ns"] == max(on["orchestrator_ns"], on["scheduler_ns"])
    assert (on["tasks_done"], sum(on["tasks_per_core"]), on["interrupted"]) == (50, 50, False)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--platform", "a2a3", "--cores", "aiv=1"],
            "--cores and --schedulers are for --platform threads and cuda, --pin for threads; what "
            "a2a3 has stands in its file (see 'lanescope platforms')",
        ),
        (
            ["--platform", "a9"],
            "expected a platform (threads, cuda, a2a3, a2a3-hbg, a5, or a chip's file), found 'a9'",
        ),
    ],
)
@pytest.mark.parametrize("command", ["run", "bench"])
def test_what_a_chip_cannot_do_is_one_sentence(
    command: str,
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: Output,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command, "chain", *arguments]) == 2
    assert capsys.readouterr().err == f"lanescope: {sentence}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_chip_is_refused_with_its_name(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "a2a3"\n[chip]\nclusters = 1\n')
    assert main(["run", "chain", "--platform", str(path), "-o", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"lanescope: {path}: [chip] clusters: expected {{ value = …, basis = …, source = … }}, "
        "found 1\n"
    )
    assert list(tmp_path.iterdir()) == [path]


def test_a_simulated_run_is_exported(tmp_path: Path) -> None:
    target = tmp_path / "a.lanes"
    arguments = ["run", "paged_attention", *SMALL, "--platform", "a2a3", "-o", str(target)]
    assert main(arguments) == 0
    trace = lanescope.load(target)
    picture = tmp_path / "again.perfetto-trace"
    assert main(["export", str(target), "--to", "perfetto", "-o", str(picture)]) == 0
    assert picture.stat().st_size > 1000
    folder = tmp_path / "a.simpler"
    assert main(["export", str(target), "--to", "simpler", "-o", str(folder)]) == 0
    assert main(["import", str(folder), "-o", str(tmp_path / "b.lanes")]) == 0
    back = lanescope.load(tmp_path / "b.lanes")
    for name in ("task", "func", "core", "token", "dispatch_ns", "start_ns", "end_ns"):
        assert np.array_equal(back.tasks[name], trace.tasks[name]), name
    assert len(back.phases) == len(trace.phases)


# ---- bench -----------------------------------------------------------------------------------

CHAIN = ("bench", "chain", "--platform", "a2a3", "--levels", "0,4", "--rounds", "3")


def test_bench_shows_the_controllers(capsys: Output) -> None:
    assert main([*CHAIN]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "chain on a2a3 (simulated): 1,024 tasks on 72 cores and 3 schedulers, 3 rounds after"
    )
    [table] = [block for block in out.split("\n\n") if block.startswith("controllers, µs\n")]
    names = ["off", "4 staging", "4 controller-rotated", "4 producer-rotated"]
    assert [line.strip().split("  ")[0] for line in table.splitlines()[3:]] == names
    assert "Simulated: rounds differ because each changes every task's length by up to 2%" in out


def test_bench_json_has_every_sample_of_the_controllers(capsys: Output) -> None:
    assert main([*CHAIN, "--set", "tasks=40", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["platform"], len(found["cores"]), found["schedulers"]) == ("a2a3", 72, 3)
    off, *on = found["results"]
    assert {sample["orchestrator_ns"] for sample in off["samples"]} == {
        (40 * 7362 + 39 * 400) // 10
    }
    for result in on:
        assert len(result["samples"]) == 3
        assert all(sample["records"] > 3 * 40 for sample in result["samples"])
        assert result["overhead_ns"]["mean"] > 0


def test_recording_costs_and_least_where_cores_do_it_themselves(capsys: Output) -> None:
    """Staging and controller-rotated are not compared: 40 rounds do not tell them apart."""
    arguments = ["bench", "paged_attention", "--platform", "a2a3", "--levels", "0,4"]
    assert main([*arguments, "--rounds", "5", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    mean = {one["configuration"]["protocol"]: one["makespan_ns"]["mean"] for one in results}
    assert mean["off"] < mean["producer-rotated"]
    assert mean["producer-rotated"] < min(mean["staging"], mean["controller-rotated"])


def counter_names(path: Path) -> set[str]:
    return set(lanescope.load(path).text("counters", "name"))


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--pmu", "mte2_busy_cycles"),
        ("--pmu=4", "main_read_req"),
        ("--pmu=memory_l0", "l0a_write_req"),
    ],
)
def test_hardware_counters_by_group(option: str, name: str, tmp_path: Path, capsys: Output) -> None:
    assert main(["run", "matmul_add", option, "-o", str(tmp_path)]) == 0
    trace = str(tmp_path / "matmul_add.lanes")
    assert "--section counters" in capsys.readouterr().out
    assert main(["report", trace, "--section", "counters"]) == 0
    said = capsys.readouterr().out
    assert "Counters per function" in said and name in said
    assert name in counter_names(tmp_path / "matmul_add.lanes")


def test_counters_alone_bring_the_core_timing_along(tmp_path: Path, capsys: Output) -> None:
    options = ["--chip-swimlane=0", "--pmu", "--quiet"]
    assert main(["run", "matmul_add", *options, "-o", str(tmp_path)]) == 0
    trace = lanescope.load(tmp_path / "matmul_add.lanes")
    assert (trace.meta.level, len(trace.counters)) == (1, 128 * 9)


def test_an_unknown_group_names_those_there_are(tmp_path: Path, capsys: Output) -> None:
    assert main(["run", "matmul_add", "--pmu=3", "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "lanescope: expected a group of PMU events (1 arithmetic, 2 pipe, 4 memory, 5 memory_l0, "
        "6 resource_conflict, 7 memory_ub, 8 l2_cache), found '3'\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_threads_have_no_counters(tmp_path: Path, capsys: Output) -> None:
    assert main(["run", "chain", "--platform", "threads", "--pmu", "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "lanescope: the threads have no performance counters to record; PMU events are counted on "
        "simulated chips (a2a3, a2a3-hbg, a5, or a chip's file)\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_users_chip_has_counters_only_if_its_file_says_so(tmp_path: Path, capsys: Output) -> None:
    chip = one_cluster(tmp_path)
    arguments = ["run", "matmul_add", "--pmu", "--platform", chip, "-o", str(tmp_path)]
    assert main(arguments) == 0
    assert counter_names(tmp_path / "matmul_add.lanes")
    capsys.readouterr()
    whole = Path(str(built_in_file("a2a3"))).read_text()
    Path(chip).write_text(whole.partition("[pmu]")[0])
    assert main(arguments) == 2
    assert capsys.readouterr().err == (
        "lanescope: a2a3 has no performance counters: its file has no section [pmu]; add one, or "
        'start it with a first line like base = "a2a3"\n'
    )


def test_counters_from_python() -> None:
    trace = lanescope.run("matmul_add", pmu="pipe", settings={"rows": 1, "columns": 1})
    assert len(trace.counters) == 2 * 9


def test_the_core_swimlane_shows_what_pipes_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ["--set", "rows=2", "--set", "columns=2"]
    assert main(["run", "matmul_add", "--platform", "a5", "--core-swimlane", *small]) == 0
    out = capsys.readouterr().out
    assert "--section inside" in out and "Nothing lost" in out
    assert main(["report", "matmul_add.lanes", "--full"]) == 0
    out = capsys.readouterr().out
    assert "  also recorded  core_swimlane\n" in out
    assert "Inside the cores\n" in out
    driver = ["--core-swimlane", "--core-source", "driver", "--quiet", "--force"]
    assert main(["run", "matmul_add", "--platform", "a5", *driver, *small]) == 0
    trace = lanescope.load(tmp_path / "matmul_add.lanes")
    assert "the driver's channels" in trace.meta.notes[-1]


@pytest.mark.parametrize(
    ("platform", "sentence"),
    [
        ("threads", "lanescope: the threads have no trace engines, so nothing shows what happens "),
        ("a2a3", "lanescope: a2a3 has no trace engine that lanescope can read: its file has no "),
    ],
)
def test_a_platform_without_trace_engines_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "vector", "--platform", platform, "--core-swimlane"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(sentence) and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_python_records_the_core_swimlane_too() -> None:
    trace = lanescope.run(
        "vector", platform="a5", core_swimlane=True, chip_swimlane=1, settings={"tiles": 2}
    )
    assert len(trace.marks) and trace.meta.level == 1
