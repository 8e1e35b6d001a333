"""Records per second into the spool with a page that looks on, against none.

    python -m benchmarks.live [--records 40M] [--rounds 5] [--json]

A C program (long_capture.c) records tasks of level 2 as fast as it can, and a session drains them,
in turn without `--view`'s process and with it, asked by a page as often as a browser asks (twice a
second, with all columns of each version). The figure is the median over the rounds of the ratio of
records per second. Exit code 1 below 0.8: with one processor for the program and one for the drain,
the page's process takes its time from one of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Event, Thread
from typing import Any

from benchmarks.long_capture import CORES, RECORDS_PER_TASK, compile_program, count, drained

LEAST = 0.8
"""Least share of the records per second that must be left with a page looking on."""
ASK_S = 0.5


def main() -> int:
    """Measure in turn, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=count, default=40_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    alone, watched, versions = [], [], []
    with tempfile.TemporaryDirectory(prefix="lanescope-live-") as folder:
        program = compile_program(Path(folder))
        run = [str(program), str(args.records // RECORDS_PER_TASK), str(CORES)]
        for number in range(args.rounds):
            alone.append(args.records / seconds(run, Path(folder) / f"a{number}.capture"))
            capture = Path(folder) / f"b{number}.capture"
            with looking(capture) as seen:
                watched.append(args.records / seconds(run, capture))
            versions.append(len(seen))
    ratio = statistics.median(b / a for a, b in zip(alone, watched, strict=True))
    if args.json:
        figures = {"alone": alone, "watched": watched, "versions": versions, "ratio": ratio}
        print(json.dumps({**figures, "least": LEAST}))
    else:
        for name, rates in (("nobody looks", alone), ("a page looks on", watched)):
            print(f"{name:16} {statistics.median(rates) / 1e6:6.1f} M records/s")
        print(f"ratio {ratio:.3f} (limit: at least {LEAST}); versions taken per run: {versions}")
    return int(ratio < LEAST)


def seconds(run: list[str], capture: Path) -> float:
    """How long a run took that was drained, in seconds."""
    begun = time.perf_counter()
    drained(run, capture)
    return time.perf_counter() - begun


@contextmanager
def looking(capture: Path) -> Iterator[list[int]]:
    """A page that looks at a capture; the versions that it took."""
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
        yield seen
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
