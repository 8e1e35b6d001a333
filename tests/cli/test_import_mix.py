"""`lanescope import` of a folder with a mix: what it finds, what it leaves out and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.cli import main

EVENT = {"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
CHART = json.dumps({"traceEvents": [EVENT]})
EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
Output = pytest.CaptureFixture[str]


@pytest.fixture
def mix(tmp_path: Path) -> Path:
    folder = tmp_path / "mix"
    (folder / "old.lanes").mkdir(parents=True)
    (folder / "a.json").write_text(CHART)
    (folder / "package.json").write_text('{"name": "of another tool"}')
    for k in range(5):
        (folder / f"notes{k}.txt").write_text("nothing")
    (folder / "cut.json").write_text(CHART[:40])
    (folder / "untimed.json").write_text('{"traceEvents": [{"ph": "X"}]}')
    run = folder / "run"
    run.mkdir()
    for file in EXAMPLE.iterdir():
        (run / file.name).write_bytes(file.read_bytes())
    (run / "chart.json").write_text(CHART)
    return folder


def test_the_good_ones_are_imported_and_the_others_named(mix: Path, capsys: Output) -> None:
    out = mix.parent / "out"
    assert main(["import", str(mix), "-o", str(out)]) == 1
    assert sorted(path.name for path in out.iterdir()) == ["mix-a.lanes", "run.lanes"]
    told = capsys.readouterr()
    failed = told.err.splitlines()
    assert [line.split(": ")[1] for line in failed] == [
        str(mix / "cut.json"),
        str(mix / "untimed.json"),
    ]
    names = ", ".join(str(mix / f"notes{k}.txt") for k in range(3))
    assert [line for line in told.out.splitlines() if line.startswith("skipped: ")] == [
        f"skipped: {mix / 'old.lanes'} (is a stored trace already)",
        f"skipped: {names} and 2 more (no importer looks into files of this name)",
        f"skipped: {mix / 'package.json'} (no importer knows what it holds)",
        f"skipped: {mix / 'run/chart.json'} (made from the run beside it; name it to import it)",
    ]


def test_json_has_traces_and_what_was_skipped(mix: Path, capsys: Output) -> None:
    assert main(["import", str(mix), "-o", str(mix.parent / "out"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert len(told["traces"]) == 2
    assert len(told["skipped"]) == 8
    reason = "no importer knows what it holds"
    assert {"path": str(mix / "package.json"), "reason": reason} in told["skipped"]


def test_a_damaged_file_among_named_ones_does_not_stop_the_others(
    mix: Path, capsys: Output
) -> None:
    out = mix.parent / "out"
    paths = [str(mix / name) for name in ("a.json", "cut.json", "package.json")]
    assert main(["import", *paths, "-o", str(out)]) == 1
    assert [path.name for path in out.iterdir()] == ["a.lanes"]
    failed = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in failed] == paths[1:]
