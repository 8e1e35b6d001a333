"""`run`, `recover`, `collect` and `workloads` as a user calls them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.capture.runs import graph, recorded

import lanescope
from lanescope.cli import main
from lanescope.workloads import WORKLOADS

THREADS = ("--platform", "threads")
KERNELS = {"vector", "matmul_add", "decode_layer", "mixed", "spmd_mix"}
"""Made of pipe operations, of several cores or of none, which threads cannot run."""


@pytest.mark.parametrize("workload", sorted(KERNELS))
def test_kernels_need_a_simulated_chip(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = ["-o", str(tmp_path / "a.lanes")]
    assert main(["run", workload, "--platform", "threads", *target]) == 2
    assert "only simulated chips run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["run", workload, "--platform", "a2a3", *target]) == 0
    trace = lanescope.load(tmp_path / "a.lanes")
    assert trace.ran()[trace.tasks["core"] >= 0].all()


@pytest.mark.parametrize("workload", sorted(WORKLOADS.keys() - KERNELS))
def test_every_workload_runs_and_is_stored(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", workload, *THREADS, "-o", str(tmp_path)]) == 0
    trace = lanescope.load(tmp_path / f"{workload}.lanes")
    assert trace.ran().all()
    assert not list(tmp_path.glob("*.capture"))
    first, third, _, *report = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{tmp_path}/{workload}.lanes  level 4: {len(trace.tasks):,} tasks, 3")
    picture = tmp_path / f"{workload}.perfetto-trace"
    assert third == f"{picture}  open it at https://ui.perfetto.dev"
    assert picture.stat().st_size > 1000
    headline = f"{workload} on threads (measured): {len(trace.tasks):,} tasks on 3 cores"
    assert any(line.startswith(headline) for line in report) and "Verdict" in report


def test_quiet_and_no_perfetto_leave_the_trace_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ["--quiet", "--no-perfetto", "-o", str(tmp_path)]
    assert main(["run", "chain", "--set", "tasks=5", *short]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["chain.lanes"]


def test_paged_attention_has_1024_tasks_that_all_started(tmp_path: Path) -> None:
    assert (
        main(
            ["run", "paged_attention", "--chip-swimlane", *THREADS, "-o", str(tmp_path / "p.lanes")]
        )
        == 0
    )
    trace = lanescope.load(tmp_path / "p.lanes")
    assert len(trace.tasks) == 1024
    assert (trace.tasks["start_cycles"] > 0).all()
    assert len(trace.edges) == 1024
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    assert sorted(names.values()) == ["PV", "QK", "SF", "UP"]


@pytest.mark.parametrize(
    ("level", "tables"), [("1", (1, 0)), ("2", (1, 0)), ("3", (1, 1)), ("4", (1, 1))]
)
def test_the_level_decides_what_is_stored(
    level: str, tables: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "run",
        "chain",
        "--set",
        "tasks=50",
        f"--chip-swimlane={level}",
        "--json",
        *THREADS,
    ]
    assert main([*arguments, "-o", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["level"], result["tasks"]) == (int(level), 50)
    assert (bool(result["tasks"]), bool(result["phases"])) == tables


def test_level_0_runs_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "run",
        "chain",
        "--set",
        "tasks=50",
        "--chip-swimlane=0",
        *THREADS,
        "-o",
        str(tmp_path),
    ]
    assert main(arguments) == 0
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out.startswith("chain: 50 tasks on 3 cores in ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "nonsense"], "nonsense"),
        (["run", "chain", "--chip-swimlane=9"], "expected a chip-swimlane level, found '9'"),
        (
            ["run", "chain", "--platform", "abacus"],
            "expected a platform (threads, cuda, a2a3, a2a3-hbg, a5, or a chip's file)",
        ),
        (["run", "chain", "--set", "tasks"], "expected --set NAME=VALUE, found 'tasks'"),
        (["run", "chain", "--set", "colour=red"], "colour"),
        (["run", "chain", "--pre-dispatch", "7"], "7"),
        (["run", "chain", "--buffers", "0"], "a lane has 1 to 4096 buffers"),
        (["run", "chain", *THREADS, "--cores", "aic=1"], "aiv"),
        (["recover", "nowhere"], "expected the directory of a capture"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("lanescope: ")
    assert sentence in line
    assert list(tmp_path.iterdir()) == []


def test_recover_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(tmp_path / "a.capture", graph(100))
    assert main(["recover", str(tmp_path / "a.capture")]) == 0
    assert "100 tasks" in capsys.readouterr().out
    trace = lanescope.load(tmp_path / "random_dag.lanes")
    assert trace.meta.notes == ("Recovered; nothing is missing.",)
    assert main(["report", str(tmp_path / "random_dag.lanes")]) == 0
    assert "Recovered; nothing is missing." in capsys.readouterr().out


def test_an_interrupted_run_keeps_what_ran(tmp_path: Path) -> None:
    settings = ["--set", "tasks=300000", "--set", "spin_ns=20000"]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "lanescope",
            "run",
            "chain",
            *settings,
            *THREADS,
            "-o",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    spool = tmp_path / "chain.capture" / "spool"
    until = time.monotonic() + 30
    while not (spool.exists() and spool.stat().st_size > 200_000) and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in out
    trace = lanescope.load(tmp_path / "chain.lanes")
    ran = int(trace.ran().sum())
    assert 0 < ran < 300_000
    assert len(trace.tasks) == 300_000
    assert all(entry.closes for entry in trace.meta.ledger)
    assert trace.meta.notes[-1].startswith("The run was interrupted")


def test_stalls_are_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--buffers", "1", "--buffer-records", "1", "-o", str(tmp_path)]
    assert main(["run", "fan", "--set", "spin_ns=0", *THREADS, *small]) == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path / "fan.lanes")]) == 0
    assert "Recording made producers wait" in capsys.readouterr().out


def test_the_same_in_python() -> None:
    builder = lanescope.GraphBuilder("mine")
    first = builder.task("load", kind="aiv", spin_ns=1000)
    builder.task("sum", kind="aic", after=[first], spin_ns=500)
    trace = lanescope.run(builder.graph(), platform="threads", chip_swimlane=True)
    by_task = trace.tasks.rows(np.argsort(trace.tasks["task"]))
    assert by_task["end_ns"][0] <= by_task["start_ns"][1]
    assert trace.meta.level == 4
    with pytest.raises(lanescope.UsageError, match="level 0 records nothing"):
        lanescope.run("chain", chip_swimlane=False, settings={"tasks": 3})
