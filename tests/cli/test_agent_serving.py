"""`lanescope agent` in this process: until when it serves, what it says, and which region it takes.

Nothing listens here; tests/cli/test_agent.py has agents that do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lanescope.cli import agent, main
from lanescope.device.layouts import layout
from lanescope.errors import InputError

Output = pytest.CaptureFixture[str]


class Agent:
    """An agent that is busy, and has served, as a list says look by look."""

    address = ("127.0.0.1", 7070)

    def __init__(self, looks: list[tuple[bool, int, bool]] | None = None) -> None:
        self.looks = looks or [(False, 1, True)]
        self.done: list[Any] = []

    @property
    def is_busy(self) -> bool:
        return self.looks[0][0]

    @property
    def served(self) -> int:
        return self.looks[0][1]

    def has_ended(self, _region: Any) -> bool:
        return self.looks[0][2]

    def beat(self) -> None:
        self.done.append("beat")

    def close(self) -> None:
        self.done.append("close")

    def sleep(self, seconds: float) -> None:
        self.done.append(seconds)
        self.looks.pop(0)


def served(made: Agent, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setattr("lanescope.capture.collect.has_ended", made.has_ended)
    monkeypatch.setattr(agent.time, "sleep", made.sleep)
    region: Any = None
    agent._serve(made, region)  # type: ignore[arg-type]
    return made.done


def test_an_agent_serves_until_the_program_ended_and_a_collector_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = [
        (False, 0, False),  # nobody is here yet: the region is told that a host is there
        (False, 0, True),
        (True, 0, True),
        (True, 1, True),
        (False, 1, False),
        (False, 1, True),
    ]
    done = served(Agent(looks), monkeypatch)
    assert done == ["beat", 0.05, "beat", 0.05, 0.05, 0.05, 0.05, "close"]


def test_an_agent_whose_work_is_done_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert served(Agent(), monkeypatch) == ["close"]


REGION: Any = SimpleNamespace(path=Path("a/region"), memory=np.zeros(12345, np.uint8))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the command asked an agent for, and what was then done with it."""
    asked: list[Any] = []

    def made(transport: Any, address: Any, *, token: str, has_ended: Any, tell: Any) -> Agent:
        asked.append((transport, address, token, has_ended()))
        tell("a collector is here")
        return Agent()

    monkeypatch.setattr("lanescope.device.agent.server.RegionAgent", made)
    monkeypatch.setattr("lanescope.device.agent.proof.new_token", lambda: "new token")
    monkeypatch.setattr("lanescope.device.agent.proof.given_token", lambda file: file and "given")
    monkeypatch.setattr("lanescope.device.transport.SharedMapping", lambda memory: len(memory))
    monkeypatch.setattr("lanescope.capture.collect.has_ended", lambda region: region is REGION)
    monkeypatch.setattr(agent, "_region", lambda path, tell: asked.append(path) or REGION)
    monkeypatch.setattr(agent, "_serve", lambda agent, region: asked.append(region is REGION))
    return asked


def test_an_agent_says_where_it_is_and_the_token_that_it_made(
    command: list[Any], capsys: Output
) -> None:
    assert main(["agent", "--region", "a", "--listen", "127.0.0.1:1"]) == 0
    assert command == [Path("a"), (12345, ("127.0.0.1", 1), "new token", True), True]
    assert capsys.readouterr().out.splitlines() == [
        "a collector is here",
        "agent on 127.0.0.1:7070, region a/region of 12,345 bytes",
        "token: new token",
        "the program has ended, and a collector was here; agent ends",
    ]


def test_a_token_that_was_given_is_not_printed(command: list[Any], capsys: Output) -> None:
    assert main(["agent", "--region", "a", "--token-file", "t"]) == 0
    assert command[1] == (12345, ("127.0.0.1", 0), "given", True)
    assert "token" not in capsys.readouterr().out


@pytest.mark.parametrize(("more", "token"), [([], "new token"), (["--token-file", "t"], None)])
def test_as_json_there_is_one_line(
    more: list[str], token: str | None, command: list[Any], capsys: Output
) -> None:
    assert main(["agent", "--region", "a", "--json", *more]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {
        "schema": "urn:lanescope:agent:1",
        "host": "127.0.0.1",
        "port": 7070,
        "region": "a/region",
        "bytes": 12345,
        "token": token,
    }


def test_ctrl_c_ends_an_agent_without_a_complaint(
    command: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(agent, "_serve", interrupted)
    assert main(["agent", "--region", "a", "--token-file", "t"]) == 0
    said = capsys.readouterr()
    assert (said.out.splitlines()[-1], said.err) == ("agent ends", "")


@pytest.fixture
def region_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Any, list[Any]]]:
    """The region of a path, and what was said and waited until it was there."""

    def find(path: Path, *arrive: Path) -> tuple[Any, list[Any]]:
        done: list[Any] = []
        coming = list(arrive)

        def sleep(seconds: float) -> None:
            done.append(seconds)
            if len(done) > 2:
                coming[0].parent.mkdir(exist_ok=True)
                coming[0].touch()

        monkeypatch.setattr(agent.time, "sleep", sleep)
        monkeypatch.setattr("lanescope.device.region.open_region", lambda path: path)
        return agent._region(path, done.append), done

    return find


def test_a_region_in_a_directory_is_waited_for_and_told_once(
    tmp_path: Path, region_of: Callable[..., tuple[Any, list[Any]]]
) -> None:
    at = tmp_path / "7-a" / "region"
    assert region_of(tmp_path, at) == (at, [f"agent waits for a region in {tmp_path}", 0.05, 0.05])


def test_the_region_of_the_directory_goes_before_that_of_the_first_process(
    tmp_path: Path, region_of: Callable[..., tuple[Any, list[Any]]]
) -> None:
    for made_ns, name in enumerate(("10-a", "7-b"), 1):
        header = np.zeros(1, layout("ls_header"))
        header["clock_unix_ns"] = made_ns
        (tmp_path / name).mkdir()
        header.tofile(tmp_path / name / "region")
    (tmp_path / "8-killed").mkdir()
    assert region_of(tmp_path) == (tmp_path / "10-a" / "region", [])
    (tmp_path / "region").touch()
    assert region_of(tmp_path) == (tmp_path / "region", [])
    assert region_of(tmp_path / "region") == (tmp_path / "region", [])
    with pytest.raises(InputError) as found:
        region_of(tmp_path / "none")
    assert str(found.value) == (
        f"{tmp_path}/none: expected a region's file or a directory, found nothing"
    )
