"""How a conversation with an agent begins: its command, and how long the agent has."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.probe.conversation import ANSWER_S, START_S, _words


def test_the_page_says_how_long_an_agent_has() -> None:
    page = (Path(__file__).parents[2] / "docs/probe-agent.md").read_text()
    told = f"An agent has {START_S:g} s for its first line and {ANSWER_S:g} s for each answer"
    assert told in page


def test_a_command_is_read_as_a_shell_reads_it() -> None:
    assert _words("ssh board 'probe agent' --core 3") == [
        *("ssh", "board", "probe agent", "--core", "3")
    ]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("", "expected --agent COMMAND, found nothing"),
        ("  ", "expected --agent COMMAND, found nothing"),
        ("ssh 'board", 'expected --agent COMMAND, found "ssh \'board" (No closing quotation)'),
    ],
)
def test_a_command_that_cannot_be_read_is_refused(command: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        _words(command)
    assert str(caught.value) == problem
