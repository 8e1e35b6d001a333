"""`lanescope.run`: every way to name a workload, and every option of the command line."""

from __future__ import annotations

import argparse
import doctest
import inspect
from pathlib import Path

import pytest

import lanescope
from lanescope.cli import run as command
from lanescope.errors import InputError, UsageError
from lanescope.platforms import run as module
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, RunRequest
from lanescope.platforms.run import run_request
from lanescope.workloads import GraphBuilder, build_workload

FILE = "from lanescope import GraphBuilder\n\n\ndef graph(width: int = 2):\n    {}\n"
BODY = "b = GraphBuilder('mine'); [b.task('t', spin_ns=100) for _ in range(width)]; return b"
OTHER_NAMES = {
    "set": "settings",
    "host_lost": "host_lost_s",
    "output": None,
    "no_perfetto": None,
    "force": None,
    "quiet": None,
    "help": None,
    "view": None,
}
"""Options whose keyword has another name; None: what a command prints or writes to disk."""
PYTHON_ONLY = {"dump_select"}
"""`--dump-tensors SELECT` says which tensors; in Python it is the folder that a command knows."""


def pair() -> GraphBuilder:
    builder = GraphBuilder("pair")
    first = builder.task("first", kind="aiv", spin_ns=1000)
    builder.task("second", kind="aiv", after=[first], spin_ns=500)
    return builder


def test_a_builder_runs_as_its_graph_does() -> None:
    built, made = lanescope.run(pair()), lanescope.run(pair().graph())
    assert built.meta.name == "pair"
    assert built.tasks["end_ns"].tolist() == made.tasks["end_ns"].tolist()


def test_a_name_and_its_settings_make_a_built_in_workload() -> None:
    trace = lanescope.run("chain", settings={"tasks": 3})
    assert (trace.meta.name, len(trace.tasks)) == ("chain", 3)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_makes_its_graph(kind: type[str] | type[Path], tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(FILE.format(BODY))
    trace = lanescope.run(kind(tmp_path / "my.py"), settings={"width": 4})
    assert (trace.meta.name, len(trace.tasks)) == ("mine", 4)


def test_settings_are_refused_for_a_graph_that_is_made() -> None:
    with pytest.raises(UsageError) as error:
        lanescope.run(pair(), settings={"tasks": 3})
    assert str(error.value) == (
        "the settings tasks are for a built-in workload or a file; this graph is already made"
    )


def test_what_is_no_workload_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        lanescope.run(7)  # type: ignore[arg-type]
    assert str(error.value) == (
        "expected a workload's name, a file NAME.py, a GraphBuilder or a TaskGraph, found a value "
        "of type int"
    )
    with pytest.raises(InputError, match="no such file"):
        lanescope.run(Path("nowhere.py"))


def test_every_option_of_the_command_is_a_keyword() -> None:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    options = {OTHER_NAMES.get(action.dest, action.dest) for action in parser._actions}
    keywords = set(inspect.signature(lanescope.run).parameters)
    assert keywords - PYTHON_ONLY == options - {None}


def test_the_machine_of_threads_is_the_one_asked_for() -> None:
    trace = lanescope.run(
        "chain", settings={"tasks": 4}, platform="threads", cores="aiv=2,aic=1", schedulers=2
    )
    assert trace.text("cores", "kind") == ["aiv", "aiv", "aic"]
    assert sorted(set(trace.cores["controller"].tolist())) == [0, 1]


@pytest.mark.parametrize("option", [{"cores": "aiv=1"}, {"schedulers": 2}, {"pin": True}])
def test_a_simulated_chip_has_its_machine_in_its_file(option: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"^--cores and --schedulers are for --platform"):
        lanescope.run("chain", platform="a5", **option)  # type: ignore[arg-type]


def test_level_and_counters_are_recorded_as_asked() -> None:
    trace = lanescope.run(pair(), chip_swimlane="2", pmu=False)
    assert (trace.meta.level, len(trace.counters)) == (2, 0)
    assert len(lanescope.run(pair(), pmu=True).counters) > 0


def test_a_dump_keeps_what_is_selected(tmp_path: Path) -> None:
    lanescope.run(
        "vector",
        settings={"tiles": 1, "elements": 64},
        dump_tensors=tmp_path / "dump",
        dump_select="add,outputs",
        dump_limit=16,
    )
    [tensor] = lanescope.read_tensors(tmp_path / "dump")
    assert (tensor.functions, tensor.stage, tensor.bin_size) == (("add",), "after_completion", 16)


def test_a_budget_lowers_the_level() -> None:
    graph = build_workload("paged_attention", {"batches": "16"})
    assert lanescope.run(graph, budget="1GB").meta.level == 4
    with pytest.raises(UsageError, match="level 0 records nothing"):
        lanescope.run(graph, budget="1B")


def test_the_outcome_says_whether_the_budget_was_kept(tmp_path: Path) -> None:
    graph = build_workload("chain", {"tasks": "20"})
    request = RunRequest(
        machine=MachineRequest(platform="a5"), recording=Recording(), budget="50%,1GB"
    )
    outcome = run_request(graph, request, directory=tmp_path / "run.capture")
    assert outcome.budget is not None and outcome.trace is not None
    figures = outcome.to_dict()
    assert figures["makespan_ns"] == outcome.makespan_ns and figures["check"] is None
    assert figures["budget"]["level"] == outcome.trace.meta.level == 4
    assert figures["budget"]["measured"]["kept"] is True
    assert [option["level"] for option in figures["budget"]["options"]] == [4, 3, 2, 1, 0]


def test_the_example_in_the_docstring_runs() -> None:
    assert doctest.testmod(module).failed == 0
