"""How a conversation with an agent begins: its command, and how long the agent has."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lanescope.errors import UsageError
from lanescope.probe import conversation
from lanescope.probe.conversation import ANSWER_S, START_S, AgentConversation, _words
from lanescope.probe.device import ProbeStopped
from lanescope.probe.lines import GREETING


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


HELLO = f"import sys; print({GREETING!r}, flush=True)"


def agent(folder: Path, program: str) -> str:
    """The command of an agent that greets and then does this."""
    (folder / "agent.py").write_text(f"{HELLO}\n{program}\n")
    return shlex.join([sys.executable, "-S", "-E", str(folder / "agent.py")])


ECHO = """
for at, line in enumerate(sys.stdin, 1):
    print(at, "ok", len(line), flush=True)
"""


def test_a_request_has_4096_bytes_with_its_number_and_end_at_most(tmp_path: Path) -> None:
    with AgentConversation(agent(tmp_path, ECHO)) as talk:
        assert talk.ask(list, "x" * 4093) == ["4096"]
        with pytest.raises(ProbeStopped) as caught:
            talk.ask(list, "x" * 4094)
        assert str(caught.value) == "a request has 4097 bytes, above 4096"


def test_an_answer_may_come_in_pieces_and_has_4096_bytes_with_its_end_at_most(
    tmp_path: Path,
) -> None:
    program = """
input()
for piece in ("1 ok ", "x" * 2000, "x" * 2090 + "\\n"):
    print(piece, end="", flush=True)
input()
print("2 ok " + "x" * 4091, end="", flush=True)
input()
"""
    with AgentConversation(agent(tmp_path, program)) as talk:
        assert talk.ask(list, "first") == ["x" * 4090]
        with pytest.raises(ProbeStopped) as caught:
            talk.ask(list, "second")
        assert str(caught.value) == (
            "the agent wrote over 4096 bytes on a line when it was asked 'second'"
        )


@pytest.mark.parametrize(
    ("program", "how"),
    [
        ("input(); sys.exit(7)", "ended with exit code 7"),
        ("import os; input(); os.kill(os.getpid(), 15)", "ended by signal 15"),
        ("input(); print('1 ok'); print('1 ok', flush=True); input()", "wrote more than one line"),
    ],
)
def test_an_agent_that_goes_wrong_is_told_with_what_it_was_asked(
    program: str, how: str, tmp_path: Path
) -> None:
    with AgentConversation(agent(tmp_path, program)) as talk:
        with pytest.raises(ProbeStopped) as caught:
            talk.ask(list, "read", "0xc4")
    assert str(caught.value) == f"the agent {how} when it was asked 'read 0xc4'"


def test_a_request_to_an_agent_that_has_ended_is_told_as_its_end(tmp_path: Path) -> None:
    with AgentConversation(agent(tmp_path, "import os; os.close(0); sys.exit(3)")) as talk:
        talk._process.wait(20)
        with pytest.raises(ProbeStopped) as caught:
            talk.ask(list, "about")
    assert str(caught.value) == "the agent ended with exit code 3 when it was asked 'about'"


def test_an_agent_ends_by_the_end_of_its_input(tmp_path: Path) -> None:
    with AgentConversation(agent(tmp_path, "sys.stdin.read(); sys.exit(5)")) as talk:
        process = talk._process
        assert process.poll() is None
    assert process.returncode == 5


def test_an_agent_that_does_not_end_is_asked_and_then_made_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "_END_S", 0.1)
    stays = "import signal, time\nsignal.signal(15, signal.{})\nprint('1 ok', flush=True)\n"
    for handler, code in (("SIG_DFL", -15), ("SIG_IGN", -9)):
        program = stays.format(handler) + "time.sleep(60)"
        with AgentConversation(agent(tmp_path, f"input()\n{program}")) as talk:
            talk.ask(list, "stay")
        assert talk._process.returncode == code


def test_windows_cannot_wait_for_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "os", SimpleNamespace(name="nt"))
    with pytest.raises(UsageError) as caught:
        AgentConversation("no-such-agent")
    assert str(caught.value) == ("--agent needs Linux or macOS: Windows cannot wait for a pipe")
