"""What a simulated core under test does, by words."""

from __future__ import annotations

import pytest

from lanescope.errors import UsageError
from lanescope.platforms.sim import agent
from lanescope.platforms.sim.bringup import SimulatedCore
from lanescope.platforms.sim.engine import ASSUMED, Behaviour
from lanescope.platforms.sim.switches import SWITCHES, switched_core


def test_a_core_does_what_is_assumed_unless_told_otherwise() -> None:
    core = switched_core([])
    assert core._behaviour == ASSUMED
    assert core._around.owner_period == 0 and core._around.tells_physical
    assert "cube" in core.pipes and "vector" not in core.pipes


@pytest.mark.parametrize(
    ("words", "behaviour"),
    [
        (["address=physical"], Behaviour(address="physical")),
        (["wrap=ring", "pointer=byte_count"], Behaviour(wrap="ring", pointer="byte_count")),
        (["cache=stale"], Behaviour(coherent=False)),
        (["form=eight_byte", "fixp_code=6"], Behaviour(form="eight_byte", fixp_code=6)),
        (["cache=stale", "cache=coherent"], ASSUMED),
    ],
)
def test_a_word_switches_the_behaviour_of_that_name(words: list[str], behaviour: Behaviour) -> None:
    assert switched_core(words)._behaviour == behaviour


def test_the_surroundings_and_the_kind_are_switched_too() -> None:
    core = switched_core(["owner=contended", "physical=none", "kind=aiv"])
    assert (core._around.owner_period, core._around.tells_physical) == (3, False)
    assert core.allocate(64).physical is None
    assert "vector" in core.pipes and "cube" not in core.pipes


@pytest.mark.parametrize("setting", ["wrap=round", "speed=high", "wrap", "", "=ring"])
def test_a_word_without_meaning_is_refused_with_those_there_are(setting: str) -> None:
    with pytest.raises(UsageError) as refused:
        switched_core([setting])
    known = (
        "address=virtual|engine|physical; physical=told|none; wrap=linear|ring; "
        "pointer=byte_offset|byte_count|burst_index; cache=coherent|stale; "
        "form=chip6|byte_swapped|eight_byte; fixp_code=10|6; owner=exclusive|contended; "
        "kind=aic|aiv"
    )
    assert str(refused.value) == f"expected --set NAME=VALUE with {known}, found {setting!r}"


@pytest.mark.parametrize("pointer", SWITCHES["pointer"][1:])
def test_a_linear_buffer_has_one_kind_of_pointer(pointer: str) -> None:
    with pytest.raises(UsageError) as refused:
        switched_core([f"pointer={pointer}"])
    assert str(refused.value) == (
        "a linear buffer has pointer=byte_offset; choose wrap=ring for others"
    )
    assert switched_core([f"pointer={pointer}", "wrap=ring"])._behaviour.pointer == pointer


def test_the_agent_refuses_a_wrong_word_before_it_serves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["agent", "--set", "wrap=round"])
    with pytest.raises(SystemExit) as ended:
        agent.main()
    assert ended.value.code == 2
    assert "expected --set NAME=VALUE with address=virtual" in capsys.readouterr().err


def test_the_agent_serves_the_core_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[object] = []
    monkeypatch.setattr("sys.argv", ["agent", "--set", "wrap=ring", "--set", "kind=aiv"])
    monkeypatch.setattr(agent, "serve", lambda *given: served.extend(given))
    agent.main()
    core = served[0]
    assert isinstance(core, SimulatedCore)
    assert (core._behaviour.wrap, "vector" in core.pipes, len(served)) == ("ring", True, 3)
