"""`lanescope probe`: verdicts, captures, a device of one's own, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.cli import main
from lanescope.cli.probe import _NEEDED
from lanescope.platforms.sim.switches import SWITCHES
from lanescope.probe import BringUp, conversation

OWN = """
from lanescope.platforms.sim.bringup import SimulatedCore
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.engine import Behaviour

def device():
    return SimulatedCore(load_chip("a5"), Behaviour(form="eight_byte"))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_verdict_per_question_and_the_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--set", "wrap=ring", "--set", "pointer=byte_count"]) == 0
    out = capsys.readouterr().out
    assert out.count("?\n  answer    ") == 7
    assert "\n  answer    ring, byte_count (high confidence)\n" in out
    assert "\n  pointer     byte_count\n" in out
    assert out.endswith("\nprobe  7 raw captures\n")


def test_the_captures_are_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "-o", "one", "--set", "owner=contended", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["configuration"]["exclusive"] is False
    rows = json.loads((tmp_path / "one" / "captures.json").read_text())
    files = sorted(path.name for path in (tmp_path / "one").glob("*.bin"))
    assert [row["file"] for row in rows] == files
    assert len(files) > 7  # some were disturbed and done again
    assert main(["probe", "-o", "one", "--no-wrap", "--force"]) == 1
    assert len(list((tmp_path / "one").glob("*.bin"))) == 3


def test_what_cannot_be_told_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--set", "kind=aiv", "--no-wrap", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    told = {name: verdict["answer"] for name, verdict in found["verdicts"].items()}
    assert {name for name, answer in told.items() if answer == "cannot tell"} == {
        "fixp_code",
        "buffer",
    }
    assert found["configuration"]["wrap"] is None and not found["complete"]


def test_a_device_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    assert main(["probe", "--device", "mine.py", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["configuration"]["form"] == "eight_byte"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--set", "wrap=round"],
            "expected --set NAME=VALUE with address=virtual|engine|physical; ",
        ),
        (["--set", "pointer=byte_count"], "a linear buffer has pointer=byte_offset; choose "),
        (["--device", "no.py"], "no.py: expected a Python file with a function device(), found "),
        (["--device", "empty.py"], "empty.py: expected a function device(), found none"),
        (["--device", "half.py"], "half.py: device() returned an object without clocks, pipes, "),
        (["--device", "empty.py", "--set", "wrap=ring"], "--set is for the simulated core; "),
        (["--agent", "true", "--set", "wrap=ring"], "--set is for the simulated core; "),
        (["--agent", "true", "--device", "empty.py"], "--agent and --device are two ways to a "),
        (["--agent", ""], "expected --agent COMMAND, found nothing"),
        (["--agent", "a 'b"], 'expected --agent COMMAND, found "a \'b" (No closing quotation)'),
        (["--answer-seconds", "3"], "--answer-seconds is for an agent; add --agent, or leave "),
    ],
)
def test_refusals(
    tmp_path: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "half.py").write_text("def device():\n    return object()\n")
    assert main(["probe", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"lanescope: {sentence}")
    assert not (tmp_path / "probe").exists()


def test_a_device_needs_what_the_protocol_names() -> None:
    names = {name for name in vars(BringUp) if not name.startswith("_")}
    assert names == set(_NEEDED)


def test_the_switches_begin_with_what_the_core_does_untold() -> None:
    from lanescope.platforms.sim.engine import ASSUMED

    assert SWITCHES["address"][0] == ASSUMED.address
    assert (SWITCHES["wrap"][0], SWITCHES["pointer"][0]) == (ASSUMED.wrap, ASSUMED.pointer)
    assert (SWITCHES["form"][0], SWITCHES["fixp_code"][0]) == (
        ASSUMED.form,
        str(ASSUMED.fixp_code),
    )


@pytest.mark.parametrize(
    ("options", "answer_s"), [([], conversation.ANSWER_S), (["--answer-seconds", "2.5"], 2.5)]
)
def test_an_agent_has_as_long_to_answer_as_was_asked_for(
    options: list[str], answer_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Exception):
        pass

    given: list[tuple[str, float]] = []

    def conversing(command: str, *, answer_s: float) -> None:
        given.append((command, answer_s))
        raise Stopped

    monkeypatch.setattr(conversation, "AgentConversation", conversing)
    with pytest.raises(Stopped):
        main(["probe", "--agent", "some agent", *options])
    assert given == [("some agent", answer_s)]
