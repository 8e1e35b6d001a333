"""`bench` and its two sisters: typed answers, and what the command prints as JSON."""

from __future__ import annotations

import argparse
import doctest
import inspect
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lanescope.cli import bench as command
from lanescope.cli import main
from lanescope.cli.options.recording import host_lost_s
from lanescope.errors import UsageError
from lanescope.overhead import bench, bench_core_sources, bench_fit, platforms
from lanescope.overhead import run as module
from lanescope.overhead.sample import RunSample
from lanescope.platforms.recording import Recording
from lanescope.replay.correction.record_costs import RecordCosts
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


def test_the_functions_do_without_options_what_the_command_does() -> None:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    args = parser.parse_args(["chain"])
    given = {name: one.default for name, one in inspect.signature(bench).parameters.items()}
    machine = {"platform": "a2a3", "cores": None, "schedulers": None, "pre_dispatch": 1}
    buffers = {"on_full": "block", "buffer_records": 1024, "buffers": 8}
    same = {**machine, "pin": False, "rounds": 15, "seed": 1, **buffers}
    for name, value in same.items():
        assert (name, given[name], getattr(args, name)) == (name, value, value)
    assert given["host_lost_s"] == host_lost_s(args) == 30.0
    assert ",".join(map(str, given["levels"])) == args.levels == "0,1,2,3,4"
    assert given["protocols"] is args.protocols is None
    for one in (bench_core_sources, bench_fit):
        other = inspect.signature(one).parameters
        assert [other[name].default for name in ("rounds", "seed")] == [15, 1]
    assert [inspect.signature(bench_fit).parameters["platform"].default] == [args.platform]


def test_what_was_asked_for_arrives_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every configuration once to warm up and twice to count."""
    recordings: list[Recording] = []

    def measured(graph: Any, machine: Any, recording: Recording, *, directory: Path) -> RunSample:
        recordings.append(recording)
        return RunSample(1000 + recording.chip_swimlane)

    monkeypatch.setattr(platforms, "measure_threads", measured)
    report = bench(
        "chain",
        settings={"tasks": 3},
        platform="threads",
        levels=[0, 3],
        protocols=["staging"],
        rounds=2,
        on_full="drop",
        host_lost_s=2.5,
        buffer_records=16,
        buffers=3,
    )
    asked = {"on_full": "drop", "host_lost_s": 2.5, "buffer_records": 16, "buffers": 3}
    by_level = {one.chip_swimlane: one for one in recordings}
    assert len(recordings) == 6
    assert by_level[3] == Recording(chip_swimlane=3, protocol="staging", **asked)
    assert sorted(by_level) == [0, 3]
    none = RunSample(1000, records=0, dropped=0, stalls=0, blocked_ns=0, orchestrator_ns=None)
    assert [list(one.samples) for one in report.results] == [
        [none] * 2,
        [replace(none, makespan_ns=1003)] * 2,
    ]
    setting = report.setting
    assert (setting.on_full, setting.buffer_records, setting.buffers) == ("drop", 16, 3)


def test_results_are_in_the_order_of_the_levels_whatever_ran_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[int] = []

    def measured(graph: Any, machine: Any, recording: Recording, *, directory: Path) -> RunSample:
        ran.append(int(recording.chip_swimlane))
        return RunSample(1000)

    monkeypatch.setattr(platforms, "measure_threads", measured)
    chosen: dict[str, Any] = {"platform": "threads", "protocols": ["staging"], "rounds": 2}
    for seed in range(1, 4):
        ran.clear()
        report = bench("chain", settings={"tasks": 3}, seed=seed, **chosen)
        assert [one.configuration.level for one in report.results] == [0, 1, 2, 3, 4]
        assert ran[:5] == [0, 1, 2, 3, 4] and sorted(ran[5:10]) == [0, 1, 2, 3, 4]
        assert ran[5:10] != ran[:5] or ran[10:] != ran[:5]


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


def test_every_round_of_sources_is_told() -> None:
    done: list[tuple[int, int]] = []
    report = bench_core_sources(
        "vector",
        settings={"tiles": 8},
        core_source=["perfmon"],
        rounds=3,
        seed=4,
        progress=lambda number, rounds: done.append((number, rounds)),
    )
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert [(one.source, len(one.rounds)) for one in report.results] == [("perfmon", 3)]
    setting = report.setting
    assert (setting.platform, setting.rounds, setting.seed, setting.tasks) == ("a5", 3, 4, 16)
    assert (setting.pin, setting.processors, len(setting.cores)) == (None, None, 108)


@pytest.mark.parametrize("platform", ["threads", "cuda"])
def test_only_simulated_chips_have_sources_to_compare(platform: str) -> None:
    with pytest.raises(UsageError) as refused:
        bench_core_sources("vector", platform=platform)
    assert str(refused.value) == (
        "--core-source needs a simulated chip with trace engines: --platform a5"
    )


def test_costs_are_fitted_where_they_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On threads no parameters are known."""
    asked: list[tuple[Any, ...]] = []

    def fitted(probed: Any, protocol: str, *, rounds: int, seed: int) -> RecordCosts:
        asked.append((type(probed).__name__, protocol, rounds, seed, probed.folder.is_dir()))
        return RecordCosts(platform=probed.name, protocol=protocol, basis="fitted", costs={})

    monkeypatch.setattr(module, "fit_costs", fitted)
    report = bench_fit(platform="threads", protocols=["staging", "staging"], rounds=8, seed=3)
    assert (report.platform, report.rounds, report.known) == ("threads", 8, {})
    chip = bench_fit(platform="a5", rounds=6)
    three = ("staging", "controller-rotated", "producer-rotated")
    assert (chip.platform, tuple(chip.known)) == ("a5", three)
    assert [fit.protocol for fit in chip.fits] == list(three)
    assert asked == [
        ("ThreadProbed", "staging", 8, 3, True),
        *(("SimProbed", protocol, 6, 1, True) for protocol in three),
    ]


def test_the_examples_in_the_docstrings_run() -> None:
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
