"""`lanescope what-if` from the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanescope.cli import main
from lanescope.replay.ranking import EFFORTS
from lanescope.trace import load, save

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("what-if")
    assert main(["run", "paged_attention", "-o", str(folder), "--quiet", "--no-perfetto"]) == 0
    return str(folder / "paged_attention.lanes")


def test_text_has_the_honesty_figure_first(stored: str, capsys: Output) -> None:
    assert main(["what-if", stored, "--scale", "QK=0.5", "--cores", "aiv=64"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Replay of paged_attention"
    assert lines[2].strip().startswith("replayed  1.19") and lines[2].endswith("%")
    assert any(line.strip().startswith("QK x0.5, aiv=64") for line in lines)


def test_json_and_a_stored_replay(stored: str, tmp_path: Path, capsys: Output) -> None:
    target = tmp_path / "half.lanes"
    assert main(["what-if", stored, "--scale", "QK=0.5", "-o", str(target), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (prediction,) = found["predictions"]
    assert prediction["change"] < -0.05 and found["trace"] == str(target)
    trace = load(target)
    assert trace.meta.origin == "predicted" and "QK x0.5" in trace.meta.notes[-1]


def test_what_is_asked_is_one_change_and_the_rank_comes_in_classes(
    stored: str, capsys: Output
) -> None:
    arguments = ["--drop-edge", "PV:UP", "--dispatch-cost", "0", "--submit-scale", "0.5"]
    arguments += ["--schedulers", "4", "--pre-dispatch", "2", "--rank", "--json"]
    assert main(["what-if", stored, *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    (prediction,) = found["predictions"]
    assert prediction["name"] == (
        "4 schedulers, pre-dispatch 2, dispatch cost 0 ns, submits x0.5, without PV:UP"
    )
    tried = {group["effort"]: group for group in found["ranking"]}
    assert tried.keys() == EFFORTS.keys()
    sizes = [len(tried[name]["predictions"]) + len(tried[name]["no_effect"]) for name in EFFORTS]
    assert sizes[:5] == [4, 2, 2, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scale", "NO=2"], "expected a function of the trace (QK, SF, PV, UP), found 'NO'"),
        (["--cores", "sm=3"], "expected a kind of core that ran tasks (aic, aiv), found 'sm'"),
        (["--cores", "aic=0"], "expected at least 1 core of kind aic, found 0"),
        (["--drop-edge", "QK"], "expected --drop-edge A:B or implied, found 'QK'"),
        (["--drop-edge", "UP:QK"], "there is no such edge to drop"),
        (["--dispatch-cost", "-1"], "expected --dispatch-cost of 0 or more, found -1.0"),
        (
            ["--buffers", "1"],
            "expected more room than the recorded run had: no producer waited for a buffer in it, "
            "so nothing is known of how soon buffers are given back",
        ),
        (["-o", "x.json"], "expected -o NAME.lanes, found x.json"),
    ],
)
def test_what_cannot_be_done_is_said(
    stored: str, arguments: list[str], message: str, capsys: Output
) -> None:
    assert main(["what-if", stored, *arguments]) == 2
    assert capsys.readouterr().err == f"lanescope: {message}\n"


def test_more_buffers_take_the_waits_for_them_away(tmp_path: Path, capsys: Output) -> None:
    small = ["--buffers", "1", "--buffer-records", "16"]
    assert main(["run", "fan", *small, "-o", str(tmp_path), "--quiet", "--no-perfetto"]) == 0
    capsys.readouterr()
    assert main(["what-if", str(tmp_path / "fan.lanes"), "--buffers", "8x64", "--json"]) == 0
    (prediction,) = json.loads(capsys.readouterr().out)["predictions"]
    assert prediction["name"] == "8 buffers of 64 records"
    assert -0.6 < prediction["change"] < -0.4


def test_a_replay_that_is_far_off_predicts_only_if_asked(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file does not say which tasks wait for engines, and these decide how long it takes."""
    slow = ["--set", "spin_ns=20000"]
    assert main(["run", "mixed", *slow, "-o", str(tmp_path), "--quiet", "--no-perfetto"]) == 0
    trace = load(tmp_path / "mixed.lanes")
    tasks = trace.tasks.replace(flags=np.zeros(len(trace.tasks), np.int32))
    save(replace(trace, tasks=tasks), tmp_path / "silent.lanes")
    capsys.readouterr()
    monkeypatch.setattr("lanescope.replay.what_if.FAR_OFF", 0.001)
    output = tmp_path / "no.lanes"
    command = ["what-if", str(tmp_path / "silent.lanes"), "--rank", "-o", str(output)]
    assert main(command) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "No prediction: the replay takes" in text
    assert "Waits that the replay does not explain" in text
    assert "waits for engines beside the cores are replayed as ordinary tasks" in text
    assert not output.exists()
    assert main([*command, "--anyway"]) == 0
    assert "What if: more cores" in capsys.readouterr().out
    assert output.exists()
