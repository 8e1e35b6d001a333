"""`lanescope run` on outcomes made by hand: what is asked for, kept, printed and refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.analyze.hand import entry, make_trace, task
from tests.cli.options.test_sentences import BUDGET, TOTALS, TWO, choice

from lanescope.cli import main, run
from lanescope.errors import LanescopeError, OutputError
from lanescope.platforms.budget.choice import BudgetOutcome, BudgetReport
from lanescope.platforms.outcome import Makespans, RunOutcome
from lanescope.trace import load

Output = pytest.CaptureFixture[str]
CHAIN = ["run", "chain", "--set", "tasks=2", "--quiet"]


def trace_of(**meta: Any) -> Any:
    return make_trace(
        {"name": "chain", **meta},
        cores=[{"core": 0, "kind": "aic"}],
        tasks=[task(0, None, None, 1, 2, None, task=1)],
    )


def outcome(**more: Any) -> RunOutcome:
    usual = {
        "trace": None,
        "makespan_ns": 1_234_567_890,
        "tasks_per_core": (1000, 234),
        "tasks_done": 1234,
        "region_bytes": 0,
        "spool_bytes": 0,
    }
    return RunOutcome(**{**usual, **more})


class Runs:
    """Stands in for what runs a workload."""

    def __init__(self) -> None:
        self.outcome = outcome()
        self.asked: list[tuple[Any, Path]] = []

    def run(self, graph: Any, request: Any, *, directory: Path) -> RunOutcome:
        self.asked.append((request, directory))
        (self.outcome.capture or directory).mkdir()
        return self.outcome


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runs:
    made = Runs()
    monkeypatch.setattr("lanescope.platforms.run.run_request", made.run)
    monkeypatch.chdir(tmp_path)
    return made


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


RAN = "chain: 1,234 tasks on 2 cores in 1,234.568 ms"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({}, RAN),
        ({"interrupted": True}, f"{RAN}, interrupted"),
        (
            {"tasks_done": 1, "tasks_per_core": (1,), "makespan_ns": 1_000_000},
            "chain: 1 task on 1 core in 1.000 ms",
        ),
        (
            {"orchestrator_ns": 1_500_000_000, "scheduler_ns": 1},
            f"{RAN} of simulated time (orchestrator 1,500.000 ms)",
        ),
        ({"scheduler_ns": 0}, f"{RAN} of simulated time (graph built by the host)"),
        (
            {"orchestrator_ns": 0, "interrupted": True},
            f"{RAN} of simulated time (orchestrator 0.000 ms), interrupted",
        ),
    ],
)
def test_how_long_a_run_took_is_one_sentence(more: dict[str, Any], sentence: str) -> None:
    assert run._ran("chain", outcome(**more)) == sentence


def test_a_trace_is_stored_and_its_capture_goes(runs: Runs, capsys: Output) -> None:
    runs.outcome = outcome(trace=trace_of())
    assert main([*CHAIN, "--no-perfetto"]) == 0
    assert capsys.readouterr().out.splitlines() == [RAN, "chain.lanes  level 0: 1 task, 1 core"]
    assert left() == ["chain.lanes"]
    assert runs.asked[0][1] == Path("chain.capture")
    assert main(CHAIN) == 0
    assert capsys.readouterr().out.splitlines() == [
        "chain.lanes is there already, so this is chain-2.lanes; --force replaces",
        RAN,
        "chain-2.lanes  level 0: 1 task, 1 core",
        "chain-2.perfetto-trace  open it at https://ui.perfetto.dev",
    ]
    assert main([*CHAIN, "--no-perfetto", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["perfetto"] is None


def test_a_capture_that_lies_elsewhere_goes_from_there(runs: Runs, tmp_path: Path) -> None:
    runs.outcome = outcome(trace=trace_of(), capture=tmp_path / "elsewhere")
    assert main([*CHAIN, "--no-perfetto"]) == 0
    assert left() == ["chain.lanes"]


def test_records_that_are_not_accounted_for_keep_the_capture(runs: Runs, capsys: Output) -> None:
    runs.outcome = outcome(trace=trace_of(ledger=(entry("core 0", 3, 1),)), interrupted=True)
    assert main([*CHAIN, "--no-perfetto"]) == 1
    assert capsys.readouterr().err == (
        "lanescope: the ledger does not close: core 0: 3 core_task records were made, but 1 "
        "delivered, 0 dropped and 0 unmatched do not add up to that; what was recorded is in "
        "chain.capture, 'lanescope recover' makes a trace of it\n"
    )
    assert left() == ["chain.capture", "chain.lanes"]
    assert len(load("chain.lanes").tasks) == 1


@pytest.mark.parametrize(("interrupted", "code"), [(False, 0), (True, 130)])
def test_an_interrupt_is_told_by_the_exit_code_and_no_page_stays(
    interrupted: bool, code: int, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []

    class View:
        def __enter__(self) -> View:
            return self

        def __exit__(self, *_: object) -> None:
            told.append("close")

        def stored(self, traces: list[Path], where: Path) -> None:
            told.append((traces, where))

        def stay(self) -> None:
            told.append("stay")

    monkeypatch.setattr(run.live, "viewing", lambda args, *words: told.append(words) or View())
    runs.outcome = outcome(trace=trace_of(), interrupted=interrupted)
    assert main([*CHAIN, "--no-perfetto"]) == code
    where = Path("chain.lanes")
    assert told == [
        (Path("chain.capture"), "chain"),
        ([where], where),
        *([] if interrupted else ["stay"]),
        "close",
    ]
    told.clear()
    runs.outcome = outcome(interrupted=interrupted)
    assert main([*CHAIN, "-o", "b.lanes"]) == code
    assert told == [(Path("b.capture"), "chain"), *([] if interrupted else ["stay"]), "close"]


def checked(problem: str) -> Any:
    return SimpleNamespace(problem=problem, sentence="as the reference", to_dict=dict)


@pytest.mark.parametrize(
    ("more", "error", "sentence"),
    [
        ({"trace": trace_of(ledger=(entry("a", 1, 1),))}, None, ""),
        (
            {"trace": trace_of(ledger=(entry("a", 1, 1, unknown=True, reason="b"),))},
            LanescopeError,
            "it is not known how many records were lost in 1 lane: a, core_task: b; what was "
            "recorded is in c, 'lanescope recover' makes a trace of it",
        ),
        ({"tensors": TOTALS, "check": checked("")}, None, ""),
        (
            {"tensors": msgspec.structs.replace(TOTALS, problem="full"), "check": checked("off")},
            OutputError,
            "full",
        ),
        ({"tensors": TOTALS, "check": checked("off by 1")}, LanescopeError, "off by 1"),
    ],
)
def test_what_is_not_as_it_should_be_is_refused_in_the_end(
    more: dict[str, Any], error: type[Exception] | None, sentence: str
) -> None:
    if error is None:
        run._raise_problem(outcome(**more), Path("c"))
        return
    with pytest.raises(error) as found:
        run._raise_problem(outcome(**more), Path("c"))
    assert (type(found.value), str(found.value)) == (error, sentence)


def test_everything_that_is_known_of_a_run_is_printed_in_order(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = BudgetReport(choice(TWO, BUDGET, 5), BudgetOutcome(0.01, 5, True))
    every = {
        "budget": made,
        "rounds": Makespans(0, (1, 3)),
        "check": checked(""),
        "tensors": TOTALS,
    }
    run._show("chain", outcome(**every), {"tensors_folder": "folder"}, with_report=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:11] for line in lines] == [
        *("budget 10%:", "  level 4 d", "  by a gues"),
        *("chain: 1,23", "2 rounds of", "as the refe", "folder  4,3", "budget kept"),
    ]
    monkeypatch.setattr("lanescope.cli.report.show", lambda *words: print("page", words[1]))
    result = {
        "trace": "a.lanes",
        "level": 1,
        "tasks": 1,
        "cores": 1,
        "runs": 0,
        "phases": 0,
        "edge_rows": 0,
        "marks": 0,
        "counters": 0,
        "dropped": 0,
        "unmatched": 0,
        "unknown_lanes": 0,
        "perfetto": "a.perfetto-trace",
    }
    whole = outcome(trace=trace_of(), check=checked("off"))
    run._show("chain", whole, result, with_report=True)
    stored = "a.lanes  level 1: 1 task, 1 core"
    opened = "a.perfetto-trace  open it at https://ui.perfetto.dev"
    assert capsys.readouterr().out.splitlines() == [stored, opened, "", "page a.lanes"]
    run._show("chain", whole, {**result, "perfetto": None}, with_report=False)
    assert capsys.readouterr().out.splitlines() == [RAN, stored]


def test_a_dump_as_json_says_where_it_is(runs: Runs, capsys: Output) -> None:
    assert main([*CHAIN, "--json", "--dump-tensors=add"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tensors_folder"] == "chain.tensors"
    assert runs.asked[0][0].dump.select == "add"
    assert main([*CHAIN, "--json", "-o", "b.lanes"]) == 0
    assert "tensors_folder" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "beside", "source"),
    [
        ([], [".perfetto-trace"], None),
        (["--no-perfetto"], [], None),
        (["--dump-tensors=a"], [".perfetto-trace", ".tensors"], None),
        (["--dump-tensors=a", "--no-perfetto", "--core-swimlane"], [".tensors"], "perfmon"),
        (["--core-swimlane", "--core-source", "driver"], [".perfetto-trace"], "driver"),
    ],
)
def test_what_is_written_beside_a_trace_and_what_is_seen_inside_cores(
    words: list[str], beside: list[str], source: str | None
) -> None:
    from lanescope.cli import parser_of

    args = parser_of("run").parse_args(["chain", *words])
    assert (run._beside(args), run._core_source(args)) == (beside, source)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--core-source", "driver"],
            "--core-source says where --core-swimlane comes from; add --core-swimlane",
        ),
        (
            ["--view", "--chip-swimlane=0"],
            "level 0 records nothing that --view could show; leave out --view",
        ),
        (
            ["--view", "--platform", "cuda"],
            "--view does not show a run on a GPU while it goes on; leave out --view, and look at "
            "its trace with 'lanescope view'",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_runs(
    words: list[str], sentence: str, runs: Runs, capsys: Output
) -> None:
    assert main([*CHAIN, *words]) == 2
    assert capsys.readouterr().err == f"lanescope: {sentence}\n"
    assert runs.asked == []


def test_seed_rounds_and_budget_are_asked_for(runs: Runs) -> None:
    words = ["--seed", "3", "--rounds", "2", "--budget", "2%", "--protocol", "staging"]
    assert main([*CHAIN, *words, "--pmu", "--chip-swimlane=1"]) == 0
    (request, _) = runs.asked[0]
    assert (request.seed, request.rounds, request.budget, request.dump) == (3, 2, "2%", None)
    recording = request.recording
    assert (recording.chip_swimlane, recording.pmu, recording.protocol) == (1, "2", "staging")
