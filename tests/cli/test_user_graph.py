"""`run`, `bench` and `workloads` with a Python file of the user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lanescope
from lanescope.cli import main

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "my_graph.py")

Output = pytest.CaptureFixture[str]


@pytest.mark.parametrize("platform", ["threads", "a2a3"])
def test_the_example_runs_and_is_stored(platform: str, tmp_path: Path, capsys: Output) -> None:
    arguments = ["run", EXAMPLE, "--set", "layers=3", "--platform", platform, "--json"]
    assert main([*arguments, "-o", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["tasks_done"] == 15
    trace = lanescope.load(tmp_path / "my_graph.lanes")
    assert trace.ran().all()
    assert (trace.meta.name, len(trace.tasks), len(trace.edges)) == ("my_graph", 15, 20)
    assert sorted(trace.text("functions", "name")) == ["MULTIPLY", "SUM"]


def test_the_example_can_be_measured(capsys: Output) -> None:
    options = ["--levels", "0,1", "--protocols", "producer-rotated", "--rounds", "2", "--json"]
    assert main(["bench", EXAMPLE, "--platform", "a2a3", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["workload"], found["tasks"]) == ("my_graph", 25)


def test_the_settings_of_a_file_are_listed(capsys: Output) -> None:
    assert main(["workloads", EXAMPLE]) == 0
    assert capsys.readouterr().out == (
        f"{EXAMPLE}: Every layer multiplies four tiles after the sum of the layer before, "
        "then adds them up.\n    --set layers=5\n"
    )


def test_the_same_in_python() -> None:
    trace = lanescope.run(EXAMPLE, settings={"layers": 2}, platform="a2a3")
    assert len(trace.tasks) == 10


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["run", "raises.py"], 1, "raises.py: line 2 raised ValueError: no  such shape"),
        (["bench", "raises.py"], 1, "raises.py: line 2 raised ValueError: no  such shape"),
        (["workloads", "empty.py"], 1, "empty.py: has no function graph(); define one that "),
        (["run", "none.py"], 1, "none.py: no such file; expected a Python file that defines a "),
        (["run", EXAMPLE, "--set", "width=3"], 2, "has no setting 'width'; it has: layers"),
        (["run", "my_graph"], 2, ", or a file of your own, NAME.py"),
    ],
)
def test_a_bad_file_is_one_sentence(
    arguments: list[str],
    code: int,
    sentence: str,
    tmp_path: Path,
    capsys: Output,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.py").write_text("")
    Path("raises.py").write_text("def graph():\n    raise ValueError('no \\nsuch shape')\n")
    assert main(arguments) == code
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("lanescope: ")
    assert sentence in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.py", "raises.py"]
