"""What recording costs per task, by protocol and level, against the least any recorder must do.

    python -m benchmarks.record_cost [--rounds 15] [--tasks 32768] [--json FILE]
    python -m benchmarks.record_cost --against 6b53856a

All loops run in one thread (record_cost.c) and take turns; a round's ratios are taken within the
round, because these machines are noisy. A task's own work is 2 ns, so that nothing hides the calls;
a small task's is 16 times that. Exit code 1 when a median misses its target.

`--against REVISION` lets the loops of an earlier revision take turns with these: programs built of
both trees, one after the other, and the ratio of each pair.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated")
"""From the dearest to the cheapest; after-finish is measured beside them, without a target."""
LEVELS = (1, 2, 3, 4)
Round = dict[str, float]

OFF_NOISE = 0.01
"""Two runs of the same plain loop are never told apart better than this."""
NOISE = 0.03
"""Medians closer than this are the same."""


MOST_DEARER = 1.02
"""Recording may cost so many times what it cost at the revision that it is held against."""


def build(folder: Path, tree: Path = ROOT) -> Path:
    program = folder / "record_cost"
    sources = [tree / "benchmarks/record_cost.c", tree / "native/src/drain.c"]
    include = ["-I", str(tree / "native/include"), "-I", str(tree / "native/src")]
    command = [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", *include, *map(str, sources)]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def measure(rounds: int, tasks: int) -> list[Round]:
    """ns per task of every loop, one table per round; the first round only warms up."""
    with tempfile.TemporaryDirectory() as folder:
        return run(build(Path(folder)), rounds, tasks)


def run(program: Path, rounds: int, tasks: int) -> list[Round]:
    command = [program, str(rounds), str(tasks)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


def ratios_against(revision: str, pairs: int, tasks: int) -> dict[str, list[float]]:
    """By loop that both revisions have: ns per task now over ns per task then, a value per pair."""
    ratios: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "old"
        (old / "tree").mkdir(parents=True)
        packed = subprocess.run(
            ["git", "archive", revision, "native", "benchmarks/record_cost.c"],
            cwd=ROOT, check=True, capture_output=True,
        )  # fmt: skip
        subprocess.run(["tar", "-x", "-C", old / "tree"], input=packed.stdout, check=True)
        programs = [build(old, old / "tree"), build(Path(folder))]
        for pair in range(pairs):
            order = (0, 1) if pair % 2 else (1, 0)
            rounds = {which: run(programs[which], 4, tasks) for which in order}
            for name in rounds[0][0].keys() & rounds[1][0].keys():
                then, now = (min(line[name] for line in rounds[which]) for which in (0, 1))
                ratios.setdefault(name, []).append(now / then)
    return ratios


def print_against(revision: str, pairs: int, tasks: int) -> int:
    """Print the ratio of every loop and of each protocol; return the exit code."""
    ratios = ratios_against(revision, pairs, tasks)
    print(f"ns per task now / at {revision}: median (quartiles) of {pairs} pairs")
    for name in sorted(ratios):
        print(f"  {name:32} {spread(ratios[name])}")
    found = []
    for protocol in PROTOCOLS:
        own = [ratios[name] for name in ratios if name.startswith(f"{protocol} ")]
        means = [statistics.geometric_mean(pair) for pair in zip(*own, strict=True)]
        found.append(Target(f"{protocol}, mean of its loops", spread(means), MOST_DEARER, "x"))
    for target in found:
        print(target)
    return 0 if all(target.met for target in found) else 1


@dataclass(frozen=True)
class Spread:
    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:7.2f}  ({self.low:.2f} to {self.high:.2f})"


def spread(values: list[float]) -> Spread:
    """Median and quartiles."""
    if len(values) < 2:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(low, median, high)


def parts(line: Round, protocol: str) -> float:
    """Core and controller timed alone, added, mean of levels 1 and 2."""
    names = [f"{protocol} {level} {who}" for level in (1, 2) for who in ("core", "controller")]
    return sum(line[name] for name in names) / 2


def whole(line: Round, protocol: str) -> float:
    """All calls in one loop, mean of the levels."""
    return statistics.mean(line[f"{protocol} {level}"] for level in LEVELS)


@dataclass(frozen=True)
class Target:
    name: str
    found: Spread
    most: float | None
    """None: no target, only the figure"""
    unit: str

    @property
    def met(self) -> bool:
        return self.most is None or self.found.median <= self.most

    def __str__(self) -> str:
        if self.most is None:
            return f"figure  {self.name}: {self.found} {self.unit}"
        word = "met" if self.met else "MISSED"
        return f"{word:7} {self.name}: {self.found} {self.unit}, at most {self.most:.2f}"


def plain_noise(rounds: list[Round]) -> float:
    """How far two runs of the plain loop over small tasks are apart: the upper quartile."""
    name = "small tasks, plain"
    apart = spread([abs(line[name + " again"] - line[name]) for line in rounds]).high
    return max(apart, OFF_NOISE * spread([line[name] for line in rounds]).median)


def targets(rounds: list[Round]) -> list[Target]:
    found = [
        Target(
            "ten calls that are off, small tasks, against the plain loop",
            spread([line["small tasks, off"] - line["small tasks, plain"] for line in rounds]),
            plain_noise(rounds),
            "ns more",
        ),
        Target(
            "ten calls that are off, tasks of 2 ns, against the plain loop",
            spread([line["off"] - line["plain"] for line in rounds]),
            None,
            "ns more",
        ),
        Target(
            "producer-rotated level 1 on the core, against the floor",
            spread([line["producer-rotated 1 core"] / line["floor"] for line in rounds]),
            1.5,
            "x",
        ),
    ]
    for low, high in (PROTOCOLS[:0:-1], PROTOCOLS[1::-1]):
        for words, cost in (("parts alone", parts), ("whole loop", whole)):
            ratios = [cost(line, low) / cost(line, high) for line in rounds]
            name = f"{low} against {high}, {words}"
            found.append(Target(name, spread(ratios), 1 + NOISE, "x"))
    return found


def print_tables(rounds: list[Round]) -> None:
    print(f"ns per task: median (quartiles) of {len(rounds)} rounds; {platform.machine()}")
    for name in rounds[0]:
        print(f"  {name:32} {spread([line[name] for line in rounds])}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tasks", type=int, default=32768)
    parser.add_argument("--json", type=Path, help="also write every round's figures here")
    parser.add_argument("--against", metavar="REV", help="hold the cost against that of a revision")
    args = parser.parse_args()
    if args.against:
        return print_against(args.against, args.rounds, args.tasks)
    rounds = measure(args.rounds, args.tasks)
    print_tables(rounds)
    verdicts = targets(rounds)
    for target in verdicts:
        print(target)
    if args.json:
        args.json.write_text(json.dumps(rounds, indent=1) + "\n")
    return 0 if all(target.met for target in verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
