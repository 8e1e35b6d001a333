"""Serving a trace of ten million tasks: until the page can be asked for, memory, a tile, an area.

    python -m benchmarks.view_large [--times 10] [--rounds 3]

The generated run of a million tasks (2,000,000 phases, 1,500,000 edges) is repeated in time and
stored; `lanescope view` opens it in a process of its own. An area is all lanes over the whole run,
asked for directly and then by a page in Chromium, each of a server that has answered none before.
Exit code 1 when a median misses its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.foundation import prepare
from benchmarks.viewer import AREA, chromium, opened
from lanescope.trace import Table, Trace, load, save

LIMITS = {
    "until served s": 10.0,
    "peak MiB until served": 2048.0,
    "first tile s": 6.0,
    "tile s": 1.0,
    "first area s": 1.0,
    "area s": 1.0,
    "peak MiB afterwards": 3072.0,
    "first frame s": 5.0,
    "first area in the page s": 1.0,
    "then s": 1.0,
}
"""The first tile reads what tooltips show, of all tasks."""
_TASK_STEP, _TOKEN_STEP = 1 << 21, 1 << 15


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/view_large"))
    args = parser.parse_args()
    stored = args.folder / "large.lanes"
    shutil.rmtree(args.folder, ignore_errors=True)
    prepare(1_000_000, args.folder)
    save(repeated(load(args.folder / "stored" / "run.lanes"), args.times), stored)
    missed = print_table([visit(stored) for _ in range(args.rounds)])
    with chromium() as browser:
        if browser is None:
            print("no Chromium or no playwright here: the page was not measured")
            return missed
        return missed | print_table([browse(stored, browser) for _ in range(args.rounds)])


def repeated(trace: Trace, times: int) -> Trace:
    """The run again and again, each after the last; tables stay sorted as recordings are."""
    ends = (trace.tasks["finish_ns"], trace.phases["end_ns"])
    span = max(int(end.max()) for end in ends) + 1000
    return replace(
        trace,
        tasks=_repeated(trace.tasks, times, span, keys=("core",)),
        phases=_repeated(trace.phases, times, span, keys=("lane", "controller")),
        edges=_repeated(trace.edges, times, span, keys=()),
    ).with_meta(ledger=())


def _repeated(table: Table, times: int, span: int, *, keys: tuple[str, ...]) -> Table:
    steps = {"task": _TASK_STEP, "pred": _TASK_STEP, "succ": _TASK_STEP, "token": _TOKEN_STEP}
    columns: dict[str, Any] = {}
    for column in table.schema.columns:
        step = span if column.name.endswith("_ns") else steps.get(column.name, 0)
        values = table[column.name]
        parts = [
            np.where(values == column.missing, values, values + step * k) for k in range(times)
        ]
        columns[column.name] = np.concatenate(parts)
    if keys:
        order = np.lexsort([columns["start_ns"], *(columns[key] for key in reversed(keys))])
        columns = {name: values[order] for name, values in columns.items()}
    return Table.build(table.schema.name, columns)


@contextmanager
def served(stored: Path) -> Iterator[tuple[str, int, float]]:
    """A server in a process of its own: its link, the process, and seconds until the link came."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "lanescope", "view", str(stored), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = json.loads(server.stdout.readline())["url"]
        yield link, server.pid, time.perf_counter() - began
        server.send_signal(signal.SIGINT)
        assert server.wait() == 0


def visit(stored: Path) -> dict[str, float]:
    """One server: seconds until its address is known, memory, then a page, tiles and a question."""
    with served(stored) as (link, process, waited_s):
        found = {"until served s": waited_s}
        found["processor s of that"] = processor_s(process)
        found["peak MiB until served"] = _peak_mib(process)
        ask(link)
        address = link.partition("?")[0]
        before = processor_s(process)
        found["first area s"] = area_s(address)
        found["processor s of it"] = processor_s(process) - before
        found["area s"] = statistics.median(area_s(address) for _ in range(3))
        tables = ask(f"{address}data/0/overview")["tables"]
        found["overview MB"] = _size(address, "overview", tables) / 1e6
        before = processor_s(process)
        for number in ("5", "20", "21"):
            asked = time.perf_counter()
            tables = ask(f"{address}data/0/{number}")["tables"]
            _size(address, number, tables)
            found["first tile s" if number == "5" else "tile s"] = time.perf_counter() - asked
        found["processor s of three tiles"] = processor_s(process) - before
        asked = time.perf_counter()
        ask(f"{address}data/0/neighbours", {"row": 5})
        found["neighbours s"] = time.perf_counter() - asked
        found["peak MiB afterwards"] = _peak_mib(process)
    return found


def browse(stored: Path, browser: Any) -> dict[str, float]:
    """One server and one page: seconds from opening the link to the first frame, and two areas."""
    with served(stored) as (link, _, _):
        tab = opened(browser, link)
        first = tab.evaluate("performance.getEntriesByName('first frame')[0].startTime")
        areas = tab.evaluate(AREA, 2)
        tab.close()
    times = {"first frame": first, "first area in the page": areas[0], "then": areas[1]}
    return {f"{name} s": ms / 1000 for name, ms in times.items()}


def area_s(address: str) -> float:
    """Seconds for the figures of the whole run on all lanes."""
    lanes = list(range(256))
    asked = time.perf_counter()
    figures = ask(f"{address}data/0/area", {"t0": 0, "t1": 1 << 60, "lanes": {"0": lanes}})
    assert figures["functions"]
    return time.perf_counter() - asked


BROWSER = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
"""Keeps the cookie that the server's link hands out."""


def ask(address: str, question: dict[str, Any] | None = None) -> Any:
    data = None if question is None else json.dumps(question).encode()
    with BROWSER.open(address, data) as answer:
        body = answer.read()
        return json.loads(body) if answer.headers["Content-Type"] == "application/json" else body


def _size(address: str, tile: str, tables: dict[str, Any]) -> int:
    """Bytes of all columns of a tile, asked for one by one as the page does."""
    return sum(
        len(ask(f"{address}data/0/{tile}/{name}/{column['name']}".replace(" ", "%20")))
        for name, table in tables.items()
        for column in table["columns"]
    )


def _peak_mib(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def processor_s(process: int) -> float:
    """User and system time so far, of all threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def print_table(rounds: list[dict[str, float]]) -> int:
    missed = 0
    for name in rounds[0]:
        value = statistics.median(one[name] for one in rounds)
        late = value > LIMITS.get(name, float("inf"))
        missed |= late
        limit = f"limit {LIMITS[name]:g}" if name in LIMITS else ""
        print(f"{name:26} {value:9.2f} {limit:>14}" + ("  MISSED" if late else ""))
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
