"""The analyses of one large run, as ratios to Python's own json.load of its records file.

    python -m benchmarks.analyze [--tasks 1000000] [--rounds 3]

Measured like benchmarks.foundation, with its run and its table: every step in a process of its own,
steps taking turns, ratios within a round. Exit code 1 when a median misses its limit.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from benchmarks import foundation
from benchmarks.foundation import Step, measure, prepare, print_sizes, print_table

_LOAD = """
from lanescope.trace import load
trace = load(sys.argv[1] + "/stored/run.lanes")
"""
_NODES = """
from lanescope.analyze.graph.nodes import nodes
found = nodes(trace)
"""

_REPORT = """
from lanescope.reports import build_report
text = build_report(trace).text()
assert text.startswith("Verdict")
"""
_VERDICT = """
from lanescope.analyze.cores.verdict import verdict
assert verdict(trace).chip is not None
"""
_CRITICAL = """
from lanescope.analyze.graph.critical import critical
assert critical(trace).path_runs
"""
_KERNELS = """
from lanescope.analyze.graph.paths import static_path
assert static_path(found).length_ns
"""
_PEER = """
from lanescope.analyze.controllers.peer import peer_overhead
assert peer_overhead(trace, found) is not None
"""
_REPLICA = """
from lanescope.replay.replica import replica_of
replica = replica_of(trace)
"""
_REPLAY = """
from lanescope.replay.replica import replay
assert replay(replica).makespan_ps
"""
_DIFF = """
from lanescope.analyze.compare.diff import diff
from lanescope.analyze.compare.measures import measures
one = measures(trace)
assert diff([one], [one]).rows
"""

STEPS = (
    foundation.STEPS[0],
    Step("re-open + report with verdict and paths", _LOAD + _REPORT, "", 0.5, 0.6),
    Step("report of the opened trace", _REPORT, _LOAD, 0.5, 0.6),
    Step("verdict", _VERDICT, _LOAD),
    Step("critical paths, tables", _CRITICAL, _LOAD),
    Step("static path and slack of the graph", _KERNELS, _LOAD + _NODES),
    Step("overhead as the runtime's tools count it", _PEER, _LOAD + _NODES),
    Step("what-if: calibrate and make the replica", _REPLICA, _LOAD),
    Step("what-if: one replay", _REPLAY, _LOAD + _REPLICA, 0.2),
    Step("diff: measure one run, compare", _DIFF, _LOAD),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/analyze"))
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    prepare(args.tasks, args.folder)
    rounds = [[measure(step, args.folder) for step in STEPS] for _ in range(args.rounds)]
    print_sizes(args.folder, args.tasks)
    return print_table(rounds, STEPS)


if __name__ == "__main__":
    sys.exit(main())
