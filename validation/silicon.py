"""Simulated runs beside the chip: the window, and what the schedulers did in it.

The cases are files like a user's (`cases/`), the chip is `a2a3-hbg`. Nothing is fitted to a window
here; what the chip's file took from elsewhere, and the one value that others fitted, stands there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, RunRequest
from lanescope.platforms.run import run_request
from lanescope.platforms.sim.chip import load_chip
from lanescope.trace import Trace
from lanescope.workloads import TaskGraph, load_graph_file
from lanescope.workloads.lengths import varying_functions

CHIP = "a2a3-hbg"
FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True, kw_only=True)
class SiliconCase:
    """One case and what the chip measured; source: huawei-csl/simpler docs/asim."""

    name: str
    file: str
    level: int
    """What was recorded on the chip in that run: 0 nothing, 3 the schedulers' phases, too."""
    window_us: float
    most_error: float
    """How far the simulated window may be off."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of the schedulers' time by phase; the rest is idle."""
    most_points: float = 0.08
    """How far each share may be off."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Phases of all schedulers together; printed, not judged."""


CASES = (
    SiliconCase(
        name="paged_attention Case1",
        file="paged_attention_case1.py",
        level=0,
        window_us=19_550,
        most_error=0.08,
    ),
    SiliconCase(
        name="benchmark_bgemm",
        file="benchmark_bgemm.py",
        level=3,
        window_us=516,
        most_error=0.10,
        shares={"dispatch": 0.424, "complete": 0.288, "idle": 0.289},
    ),
    SiliconCase(
        name="paged_attention_unroll Case1",
        file="paged_attention_unroll.py",
        level=3,
        window_us=1_120,
        most_error=0.10,
        counts={"dispatch": 420, "complete": 1_220},
    ),
)


@dataclass(frozen=True)
class SimulatedCase:
    """One case as simulated: medians of the rounds' windows, means of their shares and counts."""

    case: SiliconCase
    windows_us: tuple[float, ...]
    shares: Mapping[str, float]
    counts: Mapping[str, float]
    """Phases of all schedulers together."""

    @property
    def window_us(self) -> float:
        return median(self.windows_us)

    @property
    def error(self) -> float:
        return self.window_us / self.case.window_us - 1

    def problems(self) -> list[str]:
        """What is further off than it may be."""
        found = []
        if abs(self.error) > self.case.most_error:
            found.append(f"{self.case.name}: window {self.error:+.1%}")
        for phase, share in self.case.shares.items():
            points = self.shares[phase] - share
            if abs(points) > self.case.most_points:
                found.append(f"{self.case.name}: {phase} {100 * points:+.1f} points")
        return found


def simulated(case: SiliconCase, graph: TaskGraph, *, rounds: int = 5) -> SimulatedCase:
    """Run the case with lengths of several seeds; the phases come from runs that record them."""
    runs = [_run(graph, case.level, seed) for seed in range(rounds)]
    recorded = runs if case.level >= 3 else [_run(graph, 3, 0)]
    found = [_phases(outcome) for outcome in recorded]
    return SimulatedCase(
        case,
        tuple(outcome.makespan_ns / 1000 for outcome in runs),
        _mean([shares for shares, _ in found]),
        _mean([counts for _, counts in found]),
    )


def _phases(outcome: RunOutcome) -> tuple[dict[str, float], dict[str, float]]:
    assert outcome.trace is not None
    return phases_of(outcome.trace, load_chip(CHIP).schedulers * outcome.makespan_ns)


def graph_of(case: SiliconCase) -> TaskGraph:
    """Return the graph of a case."""
    return load_graph_file(FOLDER / case.file, {})


def _run(graph: TaskGraph, level: int, seed: int) -> RunOutcome:
    request = RunRequest(
        machine=MachineRequest(platform=CHIP),
        recording=Recording(chip_swimlane=level),
        seed=seed if varying_functions(graph) else None,
    )
    with tempfile.TemporaryDirectory() as folder:
        return run_request(graph, request, directory=Path(folder, "capture"))


def phases_of(trace: Trace, schedulers_ns: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return each phase's share of the schedulers' time, and how often it was recorded."""
    phases = trace.phases
    kinds = [trace.words[code] for code in phases["kind"].tolist()]
    lengths = (phases["end_ns"] - phases["start_ns"]).tolist()
    shares, counts = {}, {}
    for kind in ("dispatch", "complete"):
        own = [length for length, name in zip(lengths, kinds, strict=True) if name == kind]
        shares[kind] = sum(own) / schedulers_ns
        counts[kind] = float(len(own))
    shares["idle"] = 1 - sum(shares.values())
    return shares, counts


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {key: fmean(row[key] for row in rows) for key in rows[0]}


def print_cases(found: list[SimulatedCase]) -> list[str]:
    """Print simulated beside measured; return what does not hold."""
    print(f"\nSimulated {CHIP} beside the chip (huawei-csl/simpler docs/asim)")
    for one in found:
        least, most = min(one.windows_us), max(one.windows_us)
        print(
            f"  {one.case.name:<28} {one.window_us:>10,.1f} µs ({least:,.1f} to {most:,.1f})  chip "
            f"{one.case.window_us:>8,.0f}  {one.error:+.1%}  within {one.case.most_error:.0%}: "
            + ("holds" if abs(one.error) <= one.case.most_error else "DOES NOT HOLD")
        )
        for phase, share in one.shares.items():
            print(f"      {phase:<12} {share:>6.1%}  {_beside(one, phase)}".rstrip())
    return [problem for one in found for problem in one.problems()]


def _beside(one: SimulatedCase, phase: str) -> str:
    """How often the phase was recorded, and what the chip says of it."""
    text = f"{one.counts[phase]:,.0f} phases" if phase in one.counts else ""
    if phase in one.case.counts:
        text += f", chip {one.case.counts[phase]:,}"
    theirs = one.case.shares.get(phase)
    if theirs is None:
        return text
    points = one.shares[phase] - theirs
    holds = "holds" if abs(points) <= one.case.most_points else "DOES NOT HOLD"
    return f"{text:<16} chip {theirs:.1%}  {100 * points:+.1f} points: {holds}"
