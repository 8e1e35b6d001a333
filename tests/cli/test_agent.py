"""`lanescope agent` and `lanescope collect --connect`: two processes, and a program in C."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.capture.programs import EXAMPLE, built

from lanescope.cli import main
from lanescope.trace import load

LANESCOPE = [sys.executable, "-m", "lanescope"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    folder = tmp_path / "device"
    folder.mkdir()
    return folder


@pytest.fixture
def agent(capture: Path) -> Iterator[subprocess.Popen[str]]:
    """An agent that waits for a region."""
    command = [*LANESCOPE, "agent", "--region", str(capture)]
    environment = {name: value for name, value in os.environ.items() if name != "LANESCOPE_TOKEN"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"agent waits for a region in {capture}\n"
        yield process
        process.kill()


def started(program: Path, capture: Path, tasks: int = 10_000) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "LANESCOPE_CAPTURE": str(capture), "LANESCOPE_FLAGS": "23"}
    return subprocess.Popen([program, str(tasks)], env=environment, stdout=subprocess.DEVNULL)


def announced(agent: subprocess.Popen[str]) -> tuple[str, str]:
    """The address and the token that an agent prints."""
    assert agent.stdout is not None
    where, token = agent.stdout.readline(), agent.stdout.readline()
    assert where.startswith("agent on 127.0.0.1:")
    assert token.startswith("token: ")
    return where.split()[2].removesuffix(","), token.split()[1]


def test_a_program_is_collected_from_another_process(
    agent: subprocess.Popen[str], program: Path, capture: Path, tmp_path: Path
) -> None:
    with started(program, capture) as run:
        address, token = announced(agent)
        done = subprocess.run(
            [*LANESCOPE, "collect", "--connect", address, "--name", "far", "-o", str(tmp_path)],
            env={**os.environ, "LANESCOPE_TOKEN": token},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert run.returncode == 0
    assert (done.returncode, done.stderr) == (0, "")
    trace = load(tmp_path / "far.lanes")
    assert len(trace.tasks) > 0
    assert trace.meta.notes == ()
    assert all(entry.total == entry.delivered for entry in trace.meta.ledger)
    assert agent.stdout is not None
    assert agent.wait(30) == 0
    assert agent.stdout.read().endswith(
        "the program has ended, and a collector was here; agent ends\n"
    )


def test_a_killed_agent_costs_only_what_came_after(
    agent: subprocess.Popen[str], program: Path, capture: Path, tmp_path: Path
) -> None:
    with started(program, capture, tasks=1 << 40) as run:
        address, token = announced(agent)
        command = [*LANESCOPE, "collect", "--connect", address, "-o", str(tmp_path)]
        environment = {**os.environ, "LANESCOPE_TOKEN": token}
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as near:
            assert agent.stdout is not None
            assert agent.stdout.readline().endswith(" collects\n")
            spool = tmp_path / "agent.capture" / "spool"
            while not spool.exists() or spool.stat().st_size < 100_000:
                assert near.poll() is None
            agent.kill()
            _, wrong = near.communicate(timeout=60)
        run.kill()
    assert near.returncode == 1
    assert f"capturing stopped early: agent {address}: the connection " in wrong
    assert "what was drained before is kept" in wrong
    trace = load(tmp_path / "agent.lanes")
    assert len(trace.tasks) > 100
    assert all(entry.unknown and entry.closes for entry in trace.meta.ledger)


def test_a_token_is_kept_from_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = tmp_path / "token"
    words = ["agent", "--region", str(tmp_path), "--token-file", str(token)]
    assert main(words) == 1
    assert "the token cannot be read" in capsys.readouterr().err
    token.write_text("a token that others can read\n")
    token.chmod(0o644)
    assert main(words) == 1
    assert (
        f"others may use the token's file; 'chmod 600 {token}' forbids it"
        in capsys.readouterr().err
    )
    token.write_text("short\n")
    token.chmod(0o600)
    assert main(words) == 2
    assert (
        f"expected a token of 16 characters or more, found a shorter one in {token}"
        in capsys.readouterr().err
    )


def test_what_is_no_region_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agent", "--region", str(tmp_path / "none")]) == 1
    assert "expected a region's file or a directory, found nothing" in capsys.readouterr().err
    (tmp_path / "file").write_bytes(bytes(4096))
    assert main(["agent", "--region", str(tmp_path / "file")]) == 1
    assert "expected a region, but the first 8 bytes are not" in capsys.readouterr().err
    assert main(["agent", "--region", str(tmp_path), "--listen", "nowhere"]) == 2
    assert "expected HOST:PORT" in capsys.readouterr().err
