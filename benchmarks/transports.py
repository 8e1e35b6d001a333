"""Records per second through an agent on 127.0.0.1, against the same region as shared memory.

    python -m benchmarks.transports [--records 2M] [--rounds 3] [--json]

A C program (long_capture.c) records tasks as fast as it can, two records each, on 8 cores, and
waits where no buffer is free. Rounds of the two ways take turns, and medians are printed. The rate
counts from the first look at the region to the end of the session. CPU time is that of the
collector while it drains, and of the whole agent. Exit code 1 when a record is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import lanescope
from benchmarks.long_capture import CORES, RECORDS_PER_TASK, compile_program, count
from lanescope.capture.directory import REGION
from lanescope.device.region import open_region

TOKEN = "a token of this benchmark"


@dataclass(frozen=True)
class Round:
    """What draining one run took."""

    records: int
    seconds: float
    collector_cpu_s: float
    agent_cpu_s: float = 0.0


def main() -> int:
    """Measure both ways; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=count, default=2_000_000, help="2M, …")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    tasks = args.records // RECORDS_PER_TASK
    ways = {"shared mapping": shared, "agent": through_agent}
    rounds: dict[str, list[Round]] = {way: [] for way in ways}
    for _ in range(args.rounds):
        for way, measured in ways.items():
            with tempfile.TemporaryDirectory(prefix="lanescope-reach-") as folder:
                rounds[way].append(measured(Path(folder), tasks))
    if args.json:
        print(json.dumps({way: [asdict(one) for one in found] for way, found in rounds.items()}))
    for way, found in rounds.items() if not args.json else ():
        print(row(way, found))
    wanted = tasks * RECORDS_PER_TASK
    return int(any(one.records != wanted for found in rounds.values() for one in found))


def row(way: str, found: list[Round]) -> str:
    """The medians of a way, as a line."""
    rate = statistics.median(one.records / one.seconds for one in found)
    collector, agent = (
        statistics.median(1e9 * getattr(one, name) / one.records for one in found)
        for name in ("collector_cpu_s", "agent_cpu_s")
    )
    return (
        f"{way:15}{rate:12,.0f} records/s, CPU per record: collector {collector:.0f} ns, "
        f"agent {agent:.0f} ns"
    )


def shared(folder: Path, tasks: int) -> Round:
    """Drain the region's file, which this process maps."""
    with started(folder, tasks):
        while not (found := [*folder.glob(f"*-*/{REGION}")]):
            time.sleep(0.0005)
        return drained(lanescope.SharedMapping(open_region(found[0]).memory))


def through_agent(folder: Path, tasks: int) -> Round:
    """Drain the same through an agent."""
    command = [sys.executable, "-m", "lanescope", "agent", "--region", str(folder)]
    environment = {**os.environ, "LANESCOPE_TOKEN": TOKEN}
    agent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    with agent:
        assert agent.stdout is not None
        agent.stdout.readline()  # it waits for the region
        with started(folder, tasks):
            address = agent.stdout.readline().split()[2].rstrip(",")
            found = drained(lanescope.Socket(address, token=TOKEN))
        agent.stdout.read()
        _, status, used = os.wait4(agent.pid, 0)
        agent.returncode = os.waitstatus_to_exitcode(status)
    return Round(**{**asdict(found), "agent_cpu_s": used.ru_utime + used.ru_stime})


def started(folder: Path, tasks: int) -> subprocess.Popen[bytes]:
    """The program, which makes its region in the folder."""
    program = compile_program(folder)
    environment = {**os.environ, "LANESCOPE_CAPTURE": str(folder), "LANESCOPE_FLAGS": "3"}
    return subprocess.Popen([program, str(tasks), str(CORES)], env=environment)


def drained(transport: lanescope.Transport) -> Round:
    """Drain a region until its program has stopped."""
    begin, cpu = time.perf_counter(), time.process_time()
    with lanescope.Session(transport=transport) as session:
        while not session.has_stopped():
            time.sleep(0.005)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    ledger = session.trace().meta.ledger
    return Round(sum(entry.delivered for entry in ledger), seconds, cpu)


if __name__ == "__main__":
    sys.exit(main())
