"""What a trace on an object store costs against one on this machine: requests and milliseconds.

    python -m benchmarks.store [--traces 20] [--rounds 3] [--json]

The store is moto's S3 server on this machine, so there is no network in the times: what is left is
the price of the requests themselves, most of it the server's. Requests are counted by a proxy,
times are taken without it. Traces are those of `lanescope run paged_attention`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.s3_store import BUCKET, proxy_before, s3_server

import lanescope
from lanescope.trace.listing import traces_in
from lanescope.trace.places import Place

TABLES = ("collectives", "steps")


def main() -> int:
    """Prints a row per way of reading; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    trace = lanescope.run("paged_attention")
    names = [f"runs/{number:03}.lanes" for number in range(args.traces)]
    with tempfile.TemporaryDirectory() as folder, s3_server() as port, proxy_before(port) as proxy:
        direct = f"?endpoint_override=http://127.0.0.1:{port}&region=us-east-1"
        for name in names:
            lanescope.save(trace, Path(folder) / name)
            lanescope.save(trace, f"s3://a:b@{BUCKET}/{name}{direct}")
        places = {
            "here": traces_in(Path(folder)),
            "store": traces_in(f"s3://a:b@{BUCKET}/runs{direct}"),
        }
        rows = []
        for what, read in READS.items():
            row: dict[str, object] = {"read": what}
            for where, found in places.items():
                row[f"{where}_ms"] = round(milliseconds(read, found, args.rounds), 1)
            proxy.asked()
            read(traces_in(proxy.url("runs"))[0])
            row["requests"] = len(proxy.asked()) - 1
            rows.append(row)
    print(json.dumps(rows) if args.json else table(rows))
    return 0


READS: dict[str, Callable[[Place], object]] = {
    "all tables": lanescope.load,
    f"{' and '.join(TABLES)} alone": lambda place: lanescope.load(place, tables=TABLES),
    "tasks alone": lambda place: lanescope.load(place, tables=("tasks",)),
}


def milliseconds(read: Callable[[Place], object], places: list[Place], rounds: int) -> float:
    """Median over the rounds of the time per trace, one trace after another."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        for place in places:
            read(place)
        taken.append(1000 * (time.perf_counter() - began) / len(places))
    return statistics.median(taken)


def table(rows: list[dict[str, object]]) -> str:
    """The rows for people."""
    lines = [f"{'read':32} {'requests':>8} {'store ms':>9} {'here ms':>8}"]
    lines += [
        f"{row['read']!s:32} {row['requests']!s:>8} {row['store_ms']!s:>9} {row['here_ms']!s:>8}"
        for row in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
