"""The probe agent in C: on a model of an engine, on mapped files, and beside the one in Python."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from lanescope.device import perfmon
from lanescope.platforms.sim.switches import switched_core
from lanescope.probe import conversation, lines, probe_engine
from lanescope.probe.agent import AgentCore
from lanescope.probe.conversation import AgentConversation
from lanescope.probe.serve import serve

HERE = Path(__file__).parent
AGENT = HERE.parents[1] / "examples" / "probe_agent"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
CHECKED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")


def compiled(target: Path, board: Path, *options: str) -> str:
    sources = [str(AGENT / "probe_agent.c"), str(board)]
    command = ["gcc", "-std=c11", "-O1", *options, f"-I{AGENT}", *sources, "-o", str(target)]
    subprocess.run(command, check=True)
    return str(target)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled(tmp_path_factory.mktemp("c") / "agent", HERE / "board_model.c", *CHECKED)


SETTINGS = (
    ("address=virtual", "physical=none", "wrap=ring", "pointer=byte_count"),
    ("address=engine", "wrap=ring", "pointer=burst_index"),
    ("address=physical",),
)


@pytest.mark.parametrize("settings", SETTINGS)
def test_it_finds_what_the_model_does(
    settings: tuple[str, ...], model: str, tmp_path: Path
) -> None:
    command = f"{model} state={tmp_path / 'state'} {' '.join(settings)}"
    with AgentConversation(command) as agent:
        found = probe_engine(AgentCore(agent))
    assert found.complete
    # The simulator in Python, told the same, is another implementation of the same engine.
    assert found.configuration() == probe_engine(switched_core(settings)).configuration()
    assert (tmp_path / "state").read_text() == "0 0\n"


def started(model: str, *settings: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [model, *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdout is not None
    assert process.stdout.readline() == f"{lines.GREETING}\n".encode()
    return process


ON = b"1 write 0xc4 1\n2 write 0xb000 1\n"


def test_a_signal_switches_the_engine_off(model: str, tmp_path: Path) -> None:
    process = started(model, f"state={tmp_path / 'state'}")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(ON)
    assert process.stdout.readline() + process.stdout.readline() == b"1 ok\n2 ok\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert (tmp_path / "state").read_text() == "0 0\n"
    process.stdin.close()
    process.stdout.close()


def test_a_listener_that_goes_switches_the_engine_off(model: str, tmp_path: Path) -> None:
    process = started(model, f"state={tmp_path / 'state'}")
    assert process.stdin is not None and process.stdout is not None
    process.stdout.close()
    process.stdin.write(ON + b"3 counter\n")
    assert process.wait(10) == 0
    assert (tmp_path / "state").read_text() == "0 0\n"
    process.stdin.close()


def test_a_kernel_that_hangs_ends_with_the_engine_off(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "_END_S", 0.3)
    command = f"{model} kernels=slow state={tmp_path / 'state'}"
    with AgentConversation(command, answer_s=0.5) as agent:
        found = probe_engine(AgentCore(agent))
    assert found.problem == (
        "the agent did not answer within 0.5 s when it was asked "
        "'kernel scalar:400:1 mte2:1500:2 fixp:900:3'"
    )
    assert (tmp_path / "state").read_text() == "0 0\n"


REQUESTS = """
about|about 1|read 0xb01c|read 45084|read 0x4|read 0xB01C|read -1|read|write 0xb004 96
write 0xb004|write 0xb004 0x100000000|write 0xb001 1|counter|alloc 4608|alloc 64|alloc 1048577
alloc x|map 0|map 1|map 2|fill 0 0 00ff|fill 0 4606 00ff|fill 0 4607 00ff|fill 0 0 0|fill 0 0 0g
fill 0 x 00|fill 9 0 00|peek 0 0 4|peek 0 4600 8|peek 0 4601 8|peek 0 0 1025|drop 0|drop 7|drop
peek 0 99999999999999999999999 4|kernel scalar:100:1 mte2:20:1023|kernel|kernel scalar:100
kernel scalar:100:1024|kernel none:1:1|kernel :::|kernel scalar:99999999:1|hello|42|bye now
"""
"""Right and wrong ones, separated by bars."""


def answered(line: str, request: str) -> list[str]:
    """Return what two agents on two boards must have in common."""
    number, how, *values = line.split(" ")
    if how == "error" or request == "about":
        return [number, how]
    return [number, how, *values] if request.startswith("peek") else [number, how, str(len(values))]


def test_both_agents_take_and_refuse_the_same(model: str) -> None:
    requests = [*REQUESTS.strip().replace("\n", "|").split("|"), "bye"]
    text = "x y\n\n" + "".join(f"{at} {request}\n" for at, request in enumerate(requests))
    text += "99 counter\n"
    answers = BytesIO()
    serve(switched_core([]), BytesIO(text.encode()), answers)
    done = subprocess.run([model], input=text.encode(), capture_output=True, check=True)
    ours, theirs = (out.decode().splitlines() for out in (answers.getvalue(), done.stdout))
    assert theirs[0] == ours[0] == lines.GREETING
    rows = zip(ours[3:], theirs[3:], requests, strict=True)
    for one, other, request in rows:
        assert answered(one, request) == answered(other, request), request
    assert all(said.startswith("0 error expected ") for said in (*ours[1:3], *theirs[1:3]))
    assert all(len(line) < lines.LINE_BYTES for line in theirs)


def test_a_line_that_is_too_long_ends_it(model: str) -> None:
    done = subprocess.run([model], input=b"1" * 5000, capture_output=True, check=True)
    assert [line.split(b" ")[1] for line in done.stdout.splitlines()] == [b"1", b"error"]


def test_its_constants_are_those_of_the_house() -> None:
    text = (AGENT / "probe_agent.c").read_text()
    told = dict(re.findall(r"^    ([A-Z_]+) = ([^,]+),$", text, re.MULTILINE))
    assert int(told["PERF_MON_EN"], 16) == perfmon.PERF_MON_EN
    assert int(told["PERF_MON_GLOBAL_EN"], 16) == perfmon.GLOBAL_EN
    assert int(told["LINE_BYTES"]) == lines.LINE_BYTES
    assert int(told["PIECE_BYTES"]) == lines.PIECE_BYTES
    assert int(told["MOST_BUFFERS"]) == lines.MOST_BUFFERS
    assert f'puts("{lines.GREETING}");' in text
    window = (AGENT / "board_window.c").read_text()
    assert "CORE_BYTES = 1 << 20" in window and perfmon.SUB_CORE_BYTES == 1 << 20


def test_registers_and_memory_that_are_mapped(tmp_path: Path) -> None:
    program = compiled(tmp_path / "agent", AGENT / "board_window.c", *WARNINGS)
    registers, memory = tmp_path / "registers", tmp_path / "memory"
    registers.write_bytes(bytes(3 << 20))
    memory.write_bytes(bytes(1 << 20))
    kernel = tmp_path / "kernel"
    python = f"{sys.executable} -S -E {HERE / 'window_kernel.py'}"
    kernel.write_text(f'#!/bin/sh\nexec {python} {registers} {memory} "$@"\n')
    kernel.chmod(0o755)
    command = (
        f"{program} --registers {registers} --core 1 --memory {memory}@0x700000000000 "
        f"--kernel {kernel} --core-hz 1000000000 --counter-hz 1000000000"
    )
    with AgentConversation(command) as agent:
        found = probe_engine(AgentCore(agent)).configuration()
    assert found == {
        "address": "virtual",
        "stream": "shared",
        "wrap": "linear",
        "pointer": "byte_offset",
        "invalidate": False,
        "form": "chip6",
        "fixp_code": 6,
        "exclusive": True,
    }
    word = registers.read_bytes()[perfmon.SUB_CORE_BYTES + perfmon.GLOBAL_EN :][:4]
    assert word == bytes(4)
    wrong = subprocess.run([program, "--core", "5"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("probe_agent: expected --registers, --memory, --kernel, ")
