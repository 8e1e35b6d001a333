"""`lanescope diff` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("diff")
    paths = []
    for spin in (2000, 3000):
        path = folder / f"spin{spin}.lanes"
        options = ["--set", "tasks=100", "--set", f"spin_ns={spin}", "--no-perfetto", "--quiet"]
        assert main(["run", "chain", *options, "-o", str(path)]) == 0
        paths.append(str(path))
    return paths[0], paths[1]


def test_text_puts_the_regression_first(runs: tuple[str, str], capsys: Output) -> None:
    assert main(["diff", *runs]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Diff\n  base")
    slower = text.split("\nSlower\n", 1)[1].splitlines()
    assert slower[2].split()[:2] == ["function", "LINK"] and "+50.00%" in slower[2]


def test_fail_if_exits_1(runs: tuple[str, str], capsys: Output) -> None:
    assert main(["diff", *runs, "--fail-if", "makespan>+2%"]) == 1
    assert "FAILED: makespan changed by +2" in capsys.readouterr().out
    assert main(["diff", *runs, "--fail-if", "makespan>+90%"]) == 0
    assert main(["diff", *reversed(runs), "--fail-if", "makespan > 2 %"]) == 0
    assert main(["diff", runs[0], runs[0], "--fail-if", "makespan>0%"]) == 0


def test_sides_of_several_runs(runs: tuple[str, str], capsys: Output) -> None:
    base, new = runs
    arguments = [base, base, "--new", new, new, "--json", "--fail-if", "LINK>+2%"]
    assert main(["diff", *arguments]) == 1
    found = json.loads(capsys.readouterr().out)
    assert len(found["base"]) == len(found["new"]) == 2
    first = found["rows"][0]
    assert (first["group"], first["name"], first["verdict"]) == ("run", "makespan", "slower")
    assert found["failed"] == ["LINK changed by +50.00 %, more than +2 %"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-if", "makespan"], "expected --fail-if \"NAME>+X%\", found 'makespan'"),
        (["--fail-if", "nothing at all>+2%"], "expected --fail-if with a measure of these runs"),
    ],
)
def test_conditions_that_mean_nothing_are_refused(
    runs: tuple[str, str], arguments: list[str], message: str, capsys: Output
) -> None:
    assert main(["diff", *runs, *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"lanescope: {message}")


def test_one_trace_is_not_enough(tmp_path: Path, capsys: Output) -> None:
    assert main(["diff", str(tmp_path / "a.lanes")]) == 2
    assert "expected two traces, or --new" in capsys.readouterr().err


def test_a_prediction_and_an_emulated_run_are_compared_by_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, model = tmp_path / "p.asm", str(tmp_path / "p.lanes")
    program.write_text("S_ADDI_INT gp1, gp0, 4\n\nV_ADD_VV gp1, gp1, gp0, 0\n")
    board = ["--board", "nexys_video", "--cost-source", "emulator"]
    assert main(["predict", str(program), *board, "--trace", model]) == 0
    emulated = tmp_path / "board.jsonl"
    line = '{{"pc":{},"op":"{} {{ rd: 1 }}","unit":"{}","issue_ps":{},"finish_ps":{}}}\n'
    first = line.format(0, "S_ADDI_INT", "scalar", 0, 1000)
    emulated.write_text(first + line.format(1, "V_ADD_VV", "vector", 1000, 14000))
    capsys.readouterr()
    assert main(["diff", model, str(emulated)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Predicted against emulated\n")
    assert "V_ADD_VV takes 13, predicted 9 (1 time, 100.0% of the difference)." in " ".join(
        text.split()
    )
    assert main(["diff", model, str(emulated), "--json", "--fail-if", "V_ADD_VV>+40%"]) == 1
    answer = json.loads(capsys.readouterr().out)
    (row,) = answer["program"]["lines"]
    assert (row["pc"], row["line"], row["difference"], row["share"]) == (1, 3, 4, 1.0)
    assert answer["failed"] == ["V_ADD_VV changed by +44.44 %, more than +40 %"]
    assert main(["diff", model, str(emulated), "--fail-if", "makespan>+1%"]) == 2
    assert "expected --fail-if with a figure of both sides (cycles," in capsys.readouterr().err
    emulated.write_text(first.replace("S_ADDI_INT", "M_MM"))
    assert main(["diff", model, str(emulated)]) == 1
    assert capsys.readouterr().err == (
        "lanescope: p.lanes and board.jsonl are different programs: instruction 0 is S_ADDI_INT in "
        "one and M_MM in the other; compare traces of the same program\n"
    )
