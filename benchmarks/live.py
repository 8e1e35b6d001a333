"""What a page that looks on costs a recording, against none.

    python -m benchmarks.live [--records 40M] [--rounds 5] [--json]

A C program (long_capture.c) records tasks of level 2 as fast as it can, and a session drains them,
without `--view`'s process and with it, asked by a page as often as a browser asks (twice a second,
with all columns of each version). The two take turns in who is first. Told are medians over the
rounds: the processor time of program and drain together, as a ratio; which share of one processor
the page's process takes while it records; and the ratio of records per second, which depends on
what else the machine does and has no limit. Exit code 1 when a median misses its limit.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Event, Thread
from typing import Any

from benchmarks.long_capture import CORES, RECORDS_PER_TASK, compile_program, count, drained
from benchmarks.view_large import processor_s

LIMITS = {"recording": 1.25, "page": 0.35}
"""Most processor time of a recording that is looked at, relative to one that is not; and the most
of one processor that the page's process takes. It makes versions for a quarter of the time."""
ASK_S = 0.5


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recording."""

    seconds: float
    processor_s: float
    """Of the program and of the drain."""
    page_s: float = 0.0
    """Processor time of the page's process meanwhile."""
    versions: int = 0
    """Versions that the page took."""


def main() -> int:
    """Measure in turn, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=count, default=40_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lanescope-live-") as folder:
        program = compile_program(Path(folder))
        run = [str(program), str(args.records // RECORDS_PER_TASK), str(CORES)]
        pairs = [measured(run, Path(folder), number) for number in range(args.rounds)]
    figures = {
        "recording": statistics.median(b.processor_s / a.processor_s for a, b in pairs),
        "page": statistics.median(b.page_s / b.seconds for _, b in pairs),
        "rate": statistics.median(a.seconds / b.seconds for a, b in pairs),
    }
    if args.json:
        rounds = [[asdict(one) for one in pair] for pair in pairs]
        print(json.dumps({"rounds": rounds, **figures, "limits": LIMITS}))
    else:
        print_table(args.records, pairs, figures)
    return int(any(figures[name] > limit for name, limit in LIMITS.items()))


def measured(run: list[str], folder: Path, number: int) -> tuple[Recorded, Recorded]:
    """A recording without a page and one with it; odd rounds begin with the page."""
    pair = {}
    for watched in (False, True) if number % 2 == 0 else (True, False):
        capture = folder / f"{number}{watched}.capture"
        pair[watched] = with_page(run, capture) if watched else alone(run, capture)
    return pair[False], pair[True]


def print_table(
    records: int, pairs: list[tuple[Recorded, Recorded]], figures: dict[str, float]
) -> None:
    """Medians of both sides, and the figures that have a limit."""
    for place, name in enumerate(("nobody looks", "a page looks on")):
        runs = [pair[place] for pair in pairs]
        rate = statistics.median(records / one.seconds for one in runs) / 1e6
        cost = statistics.median(one.processor_s for one in runs) / records * 1e9
        print(f"{name:16} {rate:6.1f} M records/s {cost:8.1f} ns of processor time per record")
    print(f"records per second: {figures['rate']:.3f} times as many")
    for what, name in (
        ("ratio of processor time", "recording"),
        ("processors of the page", "page"),
    ):
        late = "  MISSED" if figures[name] > LIMITS[name] else ""
        print(f"{what}: {figures[name]:.3f} (limit {LIMITS[name]}){late}")
    print(f"versions taken per run: {[watched.versions for _, watched in pairs]}")


def alone(run: list[str], capture: Path) -> Recorded:
    """A recording in a process of its own, so that its processor time is nobody else's."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(recorded, run, capture).result()


def recorded(run: list[str], capture: Path) -> Recorded:
    """Record a run that is drained, and say what this process and the program took."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)

    def used() -> float:
        return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, whose))

    begun, before = time.perf_counter(), used()
    drained(run, capture)
    return Recorded(time.perf_counter() - begun, used() - before)


def with_page(run: list[str], capture: Path) -> Recorded:
    """A recording that a page looks at."""
    with looking(capture) as (process, seen):
        before = processor_s(process)
        found = alone(run, capture)
        page_s = processor_s(process) - before
        return Recorded(found.seconds, found.processor_s, page_s, len(seen))


@contextmanager
def looking(capture: Path) -> Iterator[tuple[int, list[int]]]:
    """A page that looks at a capture: the process that serves it, and the versions it took."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lanescope.facade.live", str(capture), "run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdin is not None
    seen: list[int] = []
    over = Event()
    page = Thread(target=_look, args=(process.stdout.readline().strip(), seen, over))
    page.start()
    try:
        yield process.pid, seen
    finally:
        over.set()
        page.join()
        process.stdin.close()
        process.wait()


def _look(link: str, seen: list[int], over: Event) -> None:
    """Do what a page does that follows the end."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opener.open(link).read()
    root = link.partition("?")[0]

    def asked(path: str) -> Any:
        return json.loads(opener.open(root + path).read())

    while not over.wait(ASK_S):
        version = asked("live/bench")["version"]
        if version in seen:
            continue
        seen.append(version)
        header = asked("live/bench/header")
        for place, trace in enumerate(header["traces"], header["live"]["first"]):
            for name, table in trace["tiles"][0]["tables"].items():
                for column in table["columns"]:
                    opener.open(f"{root}data/{place}/all/{name}/{column['name']}").read()


if __name__ == "__main__":
    sys.exit(main())
