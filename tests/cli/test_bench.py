"""`lanescope bench` as a user calls it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]

THREADS = ("--platform", "threads", "--cores", "aiv=1")
SMALL = ("bench", "chain", "--set", "tasks=20", "--set", "spin_ns=0", *THREADS)


def test_small_chain_gives_the_table(capsys: Output) -> None:
    assert main([*SMALL, "--levels", "0,1", "--rounds", "3"]) == 0
    captured = capsys.readouterr()
    names = ["off", "1 staging", "1 controller-rotated", "1 producer-rotated"]
    first, *rest = captured.out.split("\n\n")
    assert first.startswith(
        "chain on threads: 20 tasks on 1 core and 1 scheduler, 3 rounds after one"
    )
    assert [line.strip().split("  ")[0] for line in rest[0].splitlines()[3:]] == names
    assert [line.strip().split("  ")[0] for line in rest[1].splitlines()[3:]] == names[1:]
    assert [line.strip().split("  ")[0] for line in rest[2].splitlines()[3:]] == names[2:]
    assert captured.err == ""


def test_json_has_every_sample_and_goes_to_the_file_too(tmp_path: Path, capsys: Output) -> None:
    target = tmp_path / "bench.json"
    options = ("--levels", "0,2", "--protocols", "producer-rotated", "--rounds", "3", "--json")
    assert main([*SMALL, *options, "-o", str(target)]) == 0
    printed = capsys.readouterr().out
    assert target.read_text() == printed
    assert list(tmp_path.iterdir()) == [target]
    found = json.loads(printed)
    assert (found["workload"], found["tasks"], found["rounds"]) == ("chain", 20, 3)
    assert found["clock_hz"] > 0
    off, on = found["results"]
    assert off["configuration"] == {"level": 0, "protocol": "off"}
    assert [sample["records"] for sample in on["samples"]] == [40, 40, 40]
    assert on["dropped"] == 0
    mean = sum(sample["makespan_ns"] for sample in on["samples"]) / 3
    assert on["makespan_ns"]["mean"] == pytest.approx(mean)
    assert on["to_off_ns"]["mean"] == pytest.approx(mean - off["makespan_ns"]["mean"])
    assert on["to_off_ns"]["low"] <= on["to_off_ns"]["mean"] <= on["to_off_ns"]["high"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--levels", "0,9"), "expected a chip-swimlane level, found '9'"),
        (("--protocols", "fast"), "expected a protocol (staging, "),
        (("--rounds", "1"), "expected at least 2 rounds"),
        (("--platform", "moon"), "expected a platform (threads"),
        (("--set", "tasks"), "expected --set NAME=VALUE, found 'tasks'"),
    ],
)
def test_bad_input_is_one_sentence(options: tuple[str, ...], message: str, capsys: Output) -> None:
    assert main([*SMALL, *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"lanescope: {message}")
    assert captured.err.count("\n") == 1


def test_output_without_a_folder_is_refused_before_anything_runs(
    tmp_path: Path, capsys: Output
) -> None:
    assert main([*SMALL, "-o", str(tmp_path / "none" / "bench.json")]) == 2
    assert f"expected a folder {tmp_path}/none to write into" in capsys.readouterr().err


def test_core_sources_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--platform", "a5", "--core-source", "perfmon,driver", "--rounds", "2"]
    assert main(["bench", "vector", *arguments]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^  perfmon +72\.0 +100% ", out, re.MULTILINE)
    assert re.search(r"^  driver +12\.0 +17% .* s$", out, re.MULTILINE)
    assert main(["bench", "vector", "--platform", "threads", "--core-source", "perfmon"]) == 2
    assert "needs a simulated chip with trace engines" in capsys.readouterr().err
