"""`bench` and its two sisters: typed answers, and what the command prints as JSON."""

from __future__ import annotations

import doctest
import json

import pytest

from lanescope.cli import main
from lanescope.errors import UsageError
from lanescope.overhead import bench, bench_core_sources, bench_fit
from lanescope.overhead import run as module
from lanescope.workloads import GraphBuilder

Output = pytest.CaptureFixture[str]
SMALL = ("bench", "chain", "--set", "tasks=20", "--platform", "a2a3", "--json")


def test_a_graph_of_ones_own_is_measured() -> None:
    builder = GraphBuilder("one")
    builder.task("only", kind="aiv", spin_ns=1000)
    done: list[tuple[int, int]] = []
    report = bench(
        builder,
        platform="a5",
        levels=[0, 1],
        protocols=["producer-rotated"],
        rounds=2,
        progress=lambda number, runs: done.append((number, runs)),
    )
    assert (report.setting.workload, report.setting.tasks, report.setting.pin) == ("one", 1, None)
    assert [len(result.samples) for result in report.results] == [2, 2]
    assert done == [(number, 6) for number in range(1, 7)]


def test_the_command_prints_the_report_as_json(capsys: Output) -> None:
    assert main([*SMALL, "--levels", "0,2", "--rounds", "2", "--protocols", "staging"]) == 0
    report = bench(
        "chain",
        settings={"tasks": 20},
        platform="a2a3",
        levels=(0, 2),
        protocols=("staging",),
        rounds=2,
    )
    told = {"schema": "urn:lanescope:bench:1", **report.to_dict()}
    assert json.loads(capsys.readouterr().out) == told


def test_the_command_prints_the_sources_as_json(capsys: Output) -> None:
    arguments = ["--platform", "a5", "--core-source", "perfmon,driver", "--rounds", "2", "--json"]
    assert main(["bench", "vector", "--set", "tiles=8", *arguments]) == 0
    report = bench_core_sources("vector", settings={"tiles": 8}, rounds=2)
    told = {"schema": "urn:lanescope:bench-sources:1", **report.to_dict()}
    assert json.loads(capsys.readouterr().out) == told


def test_the_command_prints_the_fit_as_json(capsys: Output) -> None:
    options = ["--platform", "a2a3", "--protocols", "producer-rotated", "--rounds", "6", "--json"]
    assert main(["bench", "--fit", *options]) == 0
    report = bench_fit(platform="a2a3", protocols=["producer-rotated"], rounds=6)
    told = {"schema": "urn:lanescope:bench-fit:1", **report.to_dict()}
    assert json.loads(capsys.readouterr().out) == told
    assert report.known["producer-rotated"]["core_task"] == 500


def test_threads_say_which_machine_they_had() -> None:
    report = bench(
        "chain", platform="threads", settings={"tasks": 3, "spin_ns": 0}, levels=[0], rounds=2
    )
    assert report.setting.cores == ("aic", "aiv", "aiv")
    assert report.setting.pin is False and report.to_dict()["clock_hz"] > 0


def test_probes_do_not_run_on_a_gpu() -> None:
    refusal = "bench --fit runs its probes on threads and on simulated chips; choose another"
    with pytest.raises(UsageError, match=refusal):
        bench_fit(platform="cuda")


def test_the_examples_in_the_docstrings_run() -> None:
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
