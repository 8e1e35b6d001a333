"""Lines of a host's log, made by hand."""

from __future__ import annotations

from pathlib import Path

from lanescope.formats.simpler.host_log import HostLog
from lanescope.formats.simpler.invocations import RUN, RUNNER, WALL, Invocation, rounds
from lanescope.formats.simpler.strace import read_host_log

PREFIX = "[mono_ns=9000][T0x7f00][TIMING] emit_host_span: "


def record(
    name: str, ts: int, dur: int, text: str = "", *, pid: int = 41, inv: int = 1, depth: int = 0
) -> str:
    """One record as the writer formats it, without prefix and end of line."""
    head = f"[STRACE] v=1 pid={pid} tid={pid} inv={inv} hid=5ca1ab1e depth={depth}"
    return f"{head} name={name} ts={ts} dur={dur}" + (f" {text}" if text else "")


def run_lines(
    runner: tuple[int, int], wall: int, text: str = "", *, pid: int = 41, inv: int = 1
) -> list[str]:
    """The records of one run: `runner` is start and length, `text` the attributes of the root."""
    return [
        record(WALL, 0, wall, "clk=dev", pid=pid, inv=inv, depth=2),
        record(RUNNER, *runner, pid=pid, inv=inv, depth=1),
        record(RUN, runner[0] - 10, runner[1] + 20, text, pid=pid, inv=inv),
    ]


def log_of(folder: Path, lines: list[str], name: str = "host.41.log") -> HostLog:
    """Write lines into a log and read it."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return read_host_log(path)


def invocations_of(folder: Path, lines: list[str]) -> list[Invocation]:
    """The invocations of a log with these lines."""
    return rounds(log_of(folder, lines))
