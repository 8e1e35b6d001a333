"""The probe through an agent: the same findings, and one sentence where the agent goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from lanescope.cli import main
from lanescope.device import perfmon
from lanescope.device.perfmon import Buffer
from lanescope.errors import LanescopeError
from lanescope.platforms.sim.switches import switched_core
from lanescope.probe import conversation, probe_engine
from lanescope.probe.agent import AgentCore
from lanescope.probe.conversation import AgentConversation

FAULTY = Path(__file__).with_name("faulty_agent.py")
SIM = f"{sys.executable} -m lanescope.platforms.sim.agent"
LATE = 60
"""A request after the first experiments: two questions are answered by then, the last are not."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(conversation, "_END_S", 0.3)
    before = children()
    yield
    assert children() <= before  # no child is left, dead or alive


def children() -> set[int]:
    """The processes that this one has started and that were not waited for."""
    told = (file.read_text() for file in Path("/proc/self/task").glob("*/children"))
    return {int(number) for text in told for number in text.split()}


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("physical=none", "kind=aiv"),
        ("address=engine", "form=eight_byte"),
        ("address=physical", "wrap=ring", "pointer=burst_index", "cache=stale", "owner=contended"),
    ],
)
def test_an_agent_gives_the_same_findings(settings: tuple[str, ...]) -> None:
    command = " ".join([SIM, *(f"--set {setting}" for setting in settings)])
    with AgentConversation(command) as agent:
        found = probe_engine(AgentCore(agent))
    assert found == probe_engine(switched_core(settings))


def test_the_command_drives_an_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--agent", f"{SIM} --set wrap=ring", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["configuration"]["wrap"], found["problem"]) == ("ring", None)


WHEN = "when it was asked "
FAULTS = {
    "die": f"the agent ended by signal 9 {WHEN}",
    "leave": f"the agent ended with exit code 3 {WHEN}",
    "hang": f"the agent did not answer within 1 s {WHEN}",
    "garbage": f"the agent answered wrongly {WHEN}",
    "number": f"the agent answered wrongly {WHEN}",
    "flood": f"the agent wrote over 4096 bytes on a line {WHEN}",
    "lines": f"the agent wrote more than one line {WHEN}",
    "refuse": f"the agent answered wrongly {WHEN}",
}
ENDINGS = {
    "garbage": r"expected '60 ok …' or '60 error …', found '\x00\\xff\x1b[31m<b>'",
    "number": "expected the answer number 60, found number '61'",
    "refuse": "it refuses: 'the bus is gone'",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_was_learned_is_kept(fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{sys.executable} {FAULTY} {fault} {LATE}"
    patience = ["--answer-seconds", "1"] if fault == "hang" else []
    begin = time.monotonic()
    assert main(["probe", "--agent", command, *patience, "--json"]) == 1
    assert time.monotonic() - begin < 45  # the agent that hangs sleeps for 60 s
    out, err = capsys.readouterr()
    assert err.startswith(f"lanescope: {FAULTS[fault]}") and err.count("\n") == 1
    assert err.endswith(f"{ENDINGS.get(fault, '')}\n")
    found = json.loads(out)
    assert f"lanescope: {found['problem']}\n" == err and not found["complete"]
    told = {name: verdict["answer"] for name, verdict in found["verdicts"].items()}
    assert (told["address"], told["stream"], told["owner"]) == ("virtual", "shared", "cannot tell")
    assert found["verdicts"]["owner"]["evidence"] == ["the probe ended before this question"]
    assert len(json.loads(Path("probe/captures.json").read_text())) >= 1


def test_what_was_learned_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--agent", f"{sys.executable} {FAULTY} die {LATE}"]) == 1
    out, err = capsys.readouterr()
    assert "  answer    virtual (high confidence)\n" in out
    assert "  evidence  the probe ended before this question\n" in out
    assert err.startswith("lanescope: the agent ended by signal 9 when it was asked '")


def agent(program: str) -> str:
    Path("agent.py").write_text(program)
    return f"{sys.executable} -S -E agent.py"


HELLO = "lanescope-probe-agent 1"


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("", "the agent ended with exit code 0 before its first line"),
        ("raise SystemExit(127)", "the agent ended with exit code 127 before its first line"),
        ("print('Welcome to board 7')", "the agent answered wrongly before its first line: "
         f"expected '{HELLO}', found 'Welcome to board 7'"),
        (f"print('{HELLO[:-1]}2')", "the agent answered wrongly before its first line: "
         f"expected '{HELLO}', found '{HELLO[:-1]}2'"),
        ("import os; os.close(1); input()",
         "the agent closed its output before its first line"),
        ("import time; time.sleep(9)", "the agent did not answer within 0.4 s before its first "),
        (f"print('{HELLO}'); input(); print('1 ok 1650000000 1000000000 2 cube')",
         "the agent answered wrongly when it was asked 'about': expected 0 or 1, and pipes of "),
        (f"print('{HELLO}'); input(); print('1 ok 1650000000 1000000000 1 cube cube')",
         "the agent answered wrongly when it was asked 'about': expected 0 or 1, and pipes of "),
        (f"print('{HELLO}'); input(); print('1 ok 1650000000 1000000000 1 cube pump')",
         "the agent answered wrongly when it was asked 'about': expected 0 or 1, and pipes of "),
        (f"print('{HELLO}'); input(); print('1 ok 1650000000 0x0 1 cube')",
         "the agent's clocks cannot be right: the counter clock must be positive, found 0 Hz"),
        (f"print('{HELLO}'); input(); print('1 ok 1650000000 1000000000')",
         "the agent answered wrongly when it was asked 'about': expected two clocks, 0 or 1, "),
        (f"print('{HELLO}'); input(); print('1 ok -5 1000000000 1 cube')",
         "the agent answered wrongly when it was asked 'about': expected a number below "
         "0xe8d4a51000, found '-5'"),
    ],
)  # fmt: skip
def test_an_agent_that_begins_wrongly_is_refused(
    program: str,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "time.sleep" in program:
        monkeypatch.setattr(conversation, "START_S", 0.4)
    flushed = f"import sys; sys.stdout.reconfigure(line_buffering=True)\n{program}\n"
    assert main(["probe", "--agent", agent(flushed)]) == 1
    assert capsys.readouterr().err.startswith(f"lanescope: {sentence}")


def test_an_agent_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--agent", "./probe_agent core 3"]) == 1
    sentence = "the agent './probe_agent' cannot be started (No such file or directory)"
    assert capsys.readouterr().err == f"lanescope: {sentence}\n"
    assert not Path("probe").exists()


# What an agent may say where it is right until then; the request is the one after `about`.
ALLOC = "o = ['1 ok 1650000000 1000000000 1 scalar', {!r}]\nfor x in o: input(); print(x)\n"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("2 ok 0 0x1000", "expected a buffer's number and its two addresses, found '0 0x1000'"),
        ("2 ok 0 none 0x1000", "expected a number below 0xffffffffffe0, found 'none'"),
        ("2 ok 0 0xffffffffffffffff none", "expected a number below 0xffffffffffe0, found "
         "'0xffffffffffffffff'"),
        ("2 ok 0 0x1000 0xffffffffffe0", "expected a number below 0xffffffffffe0, found "
         "'0xffffffffffe0'"),
        ("2 ok 2147483648 0x1000 none", "expected a number below 0x80000000, found '2147483648'"),
        ("2 ok 0 0x1000 0x1000 more", "expected a buffer's number and its two addresses, found "
         "'0 0x1000 0x1000 more'"),
        ("02 ok 0 0x1000 none", "expected the answer number 2, found number '02'"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_are_refused(answer: str, problem: str) -> None:
    program = f"import sys; sys.stdout.reconfigure(line_buffering=True)\nprint('{HELLO}')\n"
    with AgentConversation(agent(program + ALLOC.format(answer))) as conversing:
        core = AgentCore(conversing)
        with pytest.raises(LanescopeError) as caught:
            core.allocate(32)
    assert (
        str(caught.value) == f"the agent answered wrongly when it was asked 'alloc 32': {problem}"
    )


def test_two_buffers_at_one_address_are_refused() -> None:
    program = f"import sys; sys.stdout.reconfigure(line_buffering=True)\nprint('{HELLO}')\n"
    program += ALLOC.format("2 ok 0 0x1000 none") + "input(); print('3 ok 1 0x1000 none')\n"
    with AgentConversation(agent(program)) as conversing:
        core = AgentCore(conversing)
        core.allocate(32)
        with pytest.raises(LanescopeError, match=r"^the agent gave the address 0x1000 twice$"):
            core.allocate(32)


def test_an_agent_that_is_left_switches_its_engine_off() -> None:
    core = switched_core([])
    seen: list[tuple[int, int]] = []

    class Watched:
        def __getattr__(self, name: str) -> object:
            return getattr(core, name)

        def write(self, offset: int, value: int) -> None:
            seen.append((offset, value))
            core.write(offset, value)

    from io import BytesIO

    from lanescope.probe.serve import serve

    answers = BytesIO()
    serve(Watched(), BytesIO(b"1 write 0xc4 1\n2 write 0xb000 1\n"), answers)  # type: ignore[arg-type]
    assert answers.getvalue() == b"lanescope-probe-agent 1\n1 ok\n2 ok\n"
    assert seen[-2:] == [(perfmon.GLOBAL_EN, 0), (perfmon.PERF_MON_EN, 0)]


def test_an_interrupt_ends_the_agent(tmp_path: Path) -> None:
    # The agent ignores SIGTERM: it is the worst case.
    file = tmp_path / "pid"
    command = f"{sys.executable} {FAULTY} hang {LATE} {file}"
    probe = subprocess.Popen(
        [sys.executable, "-m", "lanescope", "probe", "--agent", command],
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 20
    while not (file.exists() and file.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.3)
    probe.send_signal(signal.SIGINT)
    _, err = probe.communicate(timeout=20)
    assert probe.returncode == 130 and err.startswith("lanescope: interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


class Told:
    """A conversation whose answers to what is asked after `about` are these."""

    def __init__(self, *answers: str) -> None:
        self.answers = ["1650000000 1000000000 0 cube scalar", *answers]
        self.asked: list[str] = []

    def ask(self, read: Callable[[list[str]], Any], *words: str) -> Any:
        self.asked.append(" ".join(words))
        return read(self.answers.pop(0).split())


def test_registers_and_the_counter_have_32_and_63_bits() -> None:
    told = Told("0xffffffff", "", "9223372036854775807", "0x100000000", "9223372036854775808")
    core = AgentCore(cast(Any, told))
    assert (core.can_invalidate, core.pipes) == (False, ("cube", "scalar"))
    assert core.read(0xC4) == 0xFFFFFFFF
    core.write(0xB000, 31)
    assert core.counter() == (1 << 63) - 1
    with pytest.raises(LanescopeError, match=r"^expected a number below 0x100000000, found"):
        core.read(0xC4)
    with pytest.raises(LanescopeError, match=r"^expected a number below 0x8000000000000000, found"):
        core.counter()
    assert told.asked == [
        *("about", "read 0xc4", "write 0xb000 0x1f", "counter", "read 0xc4", "counter")
    ]


def test_memory_goes_in_pieces_of_1024_bytes() -> None:
    told = Told("5 0x1000 none", "", "", "ab" * 1024, "cd" * 6, "0xfffffffffff", "none", "")
    core = AgentCore(cast(Any, told))
    buffer = core.allocate(1030)
    assert buffer == Buffer(0x1000, None, 1030)
    core.fill(buffer, bytes(1030))
    assert core.peek(buffer) == b"\xab" * 1024 + b"\xcd" * 6
    assert core.map_for_engine(buffer) == 0xFFFFFFFFFFF
    assert core.map_for_engine(buffer) is None
    core.invalidate(buffer)
    assert told.asked[1:] == [
        *("alloc 1030", f"fill 5 0 {'00' * 1024}", f"fill 5 1024 {'00' * 6}"),
        *("peek 5 0 1024", "peek 5 1024 6", "map 5", "map 5", "drop 5"),
    ]


def test_an_address_has_48_bits_and_one_value_is_one() -> None:
    core = AgentCore(cast(Any, Told("0 0x1000 0x2000", "0x1000000000000", "1 2")))
    buffer = core.allocate(32)
    with pytest.raises(LanescopeError, match=r"^expected a number below 0x1000000000000, found"):
        core.map_for_engine(buffer)
    with pytest.raises(LanescopeError, match=r"^expected one value, found '1 2'$"):
        core.map_for_engine(buffer)
    core = AgentCore(cast(Any, Told("too much")))
    with pytest.raises(LanescopeError, match=r"^expected no value, found 'too much'$"):
        core.write(0, 0)
