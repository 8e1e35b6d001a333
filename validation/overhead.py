"""What recording costs on the simulated a2a3, beside the chip: orchestrator and schedulers apart.

The orchestrator's share is fitted to these very figures, so it says nothing. The schedulers' own
share is predicted, and judged by itself.
"""

from __future__ import annotations

from typing import NamedTuple

from lanescope import bench
from lanescope.overhead.comparison import BenchResult

PUBLISHED = {
    "off": (1164.37, 815.30),
    "staging": (1178.14, 947.06),
    "controller-rotated": (1173.80, 927.81),
}
"""Time of the schedulers and of the orchestrator in µs: hw-native-sys/simpler PR #878,
paged_attention_unroll Case1, recording off and at level 4."""
MOST_FACTOR = 2.0
"""The schedulers' overhead may be off by this factor: the chip's runs differ by 6 µs themselves."""


class Overhead(NamedTuple):
    """What one protocol adds, in µs."""

    protocol: str
    schedulers: float
    published_schedulers: float
    orchestrator: float
    published_orchestrator: float

    @property
    def factor(self) -> float:
        return self.schedulers / self.published_schedulers

    @property
    def holds(self) -> bool:
        return 1 / MOST_FACTOR <= self.factor <= MOST_FACTOR


def overheads(rounds: int = 15) -> list[Overhead]:
    """Simulate the published run at levels 0 and 4, with lengths that differ a little per round."""
    protocols = [name for name in PUBLISHED if name != "off"]
    report = bench(
        "paged_attention", platform="a2a3", levels=[0, 4], protocols=protocols, rounds=rounds
    )
    off, *on = report.results
    return [_overhead(result, off) for result in on]


def _overhead(result: BenchResult, off: BenchResult) -> Overhead:
    name = result.configuration.protocol
    theirs = [on - without for on, without in zip(PUBLISHED[name], PUBLISHED["off"], strict=True)]
    assert result.to_off_ns and result.orchestrator_ns and off.orchestrator_ns
    orchestrator = (result.orchestrator_ns.mean - off.orchestrator_ns.mean) / 1000
    return Overhead(name, result.to_off_ns.mean / 1000, theirs[0], orchestrator, theirs[1])


def print_overheads(rows: list[Overhead]) -> list[str]:
    """Print both shares; return a line for each that misses."""
    print("\nRecording's overhead on the simulated a2a3 at level 4, µs (published: PR #878)")
    print(f"  {'':<20} {'schedulers':>11} {'published':>10} {'':>20} {'orchestrator':>13}")
    for row in rows:
        verdict = "holds" if row.holds else "MISSED"
        print(
            f"  {row.protocol:<20} {row.schedulers:>11.1f} {row.published_schedulers:>10.1f} "
            f"{f'{row.factor:.1f} ×: {verdict}':>20} {row.orchestrator:>13.1f} "
            f"{row.published_orchestrator:.1f} (fitted to it)"
        )
    return [
        f"the schedulers' own overhead with {row.protocol}: {row.schedulers:.1f} µs, "
        f"{row.factor:.1f} times the published {row.published_schedulers:.1f}"
        for row in rows
        if not row.holds
    ]
