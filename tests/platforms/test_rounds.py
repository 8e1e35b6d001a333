"""Runs whose lengths vary: seeds, rounds, and what they print."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

import lanescope
from lanescope.cli import main
from lanescope.platforms.outcome import Makespans
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import RunRequest
from lanescope.platforms.run import run_request
from lanescope.workloads import GraphBuilder
from lanescope.workloads.lengths import Draw, drawn

Output = pytest.CaptureFixture[str]
FILE = """\
from lanescope import GraphBuilder
def graph(sigma=100.0):
    builder = GraphBuilder("varied")
    if sigma:
        builder.vary("A", sigma_ns=sigma, basis="measured", source="a test")
    for _ in range(6):
        builder.task("A", spin_ns=5000)
    return builder
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "varied.py"
    path.write_text(FILE)
    return path


def durations(trace: lanescope.Trace) -> list[int]:
    return (trace.tasks["end_ns"] - trace.tasks["start_ns"]).tolist()


def varied() -> GraphBuilder:
    builder = GraphBuilder("varied")
    builder.vary("A", sigma_ns=500)
    for _ in range(6):
        builder.task("A", spin_ns=5000)
    return builder


def test_a_trace_says_which_lengths_were_drawn() -> None:
    one, again, other = (lanescope.run(varied(), seed=seed) for seed in (1, 1, 2))
    assert durations(one) == durations(again) != durations(other)
    assert len(set(durations(one))) > 1
    assert one.meta.notes == ("The lengths of A (assumed) were drawn: seed 1.",)


def test_rounds_keep_the_trace_of_the_median() -> None:
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(recording=Recording(chip_swimlane=2), rounds=5)
        outcome = run_request(varied().graph(), request, directory=Path(folder, "capture"))
    assert outcome.rounds is not None and outcome.trace is not None
    assert outcome.makespan_ns == sorted(outcome.rounds.makespans_ns)[2]
    kept = drawn(varied().graph(), Draw(0, outcome.rounds.kept)).unit_ps
    assert kept is not None
    assert max(durations(outcome.trace)) == pytest.approx(kept.max() / 1000, abs=20)
    assert outcome.trace.meta.notes == (
        f"The lengths of A (assumed) were drawn: seed 0, round {outcome.rounds.kept} of 5.",
    )


def test_the_figures_of_all_rounds_as_a_dict() -> None:
    assert Makespans(3, (50, 10, 40, 20)).to_dict() == {
        "seed": 3,
        "kept": 3,
        "median_ns": 20,
        "least_ns": 10,
        "most_ns": 50,
        "makespans_ns": [50, 10, 40, 20],
    }


def test_the_command_prints_median_and_spread(file: Path, tmp_path: Path, capsys: Output) -> None:
    command = ["run", str(file), "--rounds", "3", "--seed", "9", "-o", str(tmp_path)]
    assert main([*command, "--quiet", "--no-perfetto", "--json"]) == 0
    rounds = json.loads(capsys.readouterr().out)["rounds"]
    ordered = sorted(rounds["makespans_ns"])
    assert len(set(ordered)) == 3
    assert (rounds["median_ns"], rounds["least_ns"], rounds["most_ns"]) == (
        *(ordered[1], ordered[0], ordered[2]),
    )
    assert main([*command, "--quiet", "--no-perfetto", "--force"]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line == (
        f"3 rounds of seed 9: median {ordered[1] / 1e6:.3f} ms, {ordered[0] / 1e6:.3f} to "
        f"{ordered[2] / 1e6:.3f} ms ({(ordered[2] - ordered[0]) / ordered[1]:.1%} apart); the "
        f"trace is round {rounds['kept']}"
    )


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            ["--set", "sigma=0", "--rounds", "2"],
            "no lengths of varied vary, so a seed changes nothing and all rounds are equal; say "
            "how they vary with GraphBuilder.vary(), or leave out --seed and --rounds",
        ),
        (["--rounds", "0"], "expected 1 to 10,000 rounds, found 0"),
        (["--seed", "-1"], "expected a seed from 0 to 9223372036854775807, found -1"),
        (
            ["--platform", "threads", "--seed", "1"],
            "--seed and --rounds are for simulated chips; on threads tasks take as long as they "
            "take",
        ),
    ],
)
def test_what_changes_nothing_is_refused(
    file: Path, tmp_path: Path, capsys: Output, options: list[str], problem: str
) -> None:
    assert main(["run", str(file), "-o", str(tmp_path), *options]) == 2
    assert capsys.readouterr().err == f"lanescope: {problem}\n"
