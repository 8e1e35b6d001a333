"""Two ways to see inside the cores, side by side: engines drained by the controllers, and the
driver's channels as published. Both see the same simulated runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from lanescope.bench.simulated import jittered
from lanescope.capture import SessionNote, create_session
from lanescope.capture.drain import counters
from lanescope.device.head import KINDS
from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording, features_of
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.driver import CORE_SOURCES, deliver
from lanescope.platforms.sim.kernel import PS_PER_S
from lanescope.platforms.sim.machine import SimSetup
from lanescope.platforms.sim.perfmon import require_engine
from lanescope.platforms.sim.run import region_config, simulate
from lanescope.workloads.graph import TaskGraph


@dataclass(frozen=True, slots=True)
class Round:
    """One run, seen through one source."""

    ran: int
    """Cores that ran something."""
    seen: int
    """Of these, how many delivered anything."""
    made: int
    records: int
    stop_s: float


@dataclass(frozen=True, slots=True)
class SourceResult:
    """All rounds of one source."""

    source: str
    rounds: tuple[Round, ...]

    @property
    def most_to_least(self) -> float:
        """Records of the round with most over those of the round with least."""
        counts = [found.records for found in self.rounds]
        return max(counts) / min(counts) if min(counts) else float("inf")


def read_sources(words: Sequence[str]) -> tuple[str, ...]:
    for word in words:
        if word not in CORE_SOURCES:
            raise UsageError(f"expected a core source ({', '.join(CORE_SOURCES)}), found {word!r}")
    return tuple(dict.fromkeys(words))


def compare_sources(
    graph: TaskGraph,
    chip: Chip,
    sources: Sequence[str],
    *,
    rounds: int,
    seed: int,
    directory: Path,
    step: Callable[[], None] = lambda: None,
) -> list[SourceResult]:
    """The same rounds for every source: each changes every task's length a little."""
    require_engine(chip)
    if rounds < 2:
        raise UsageError(f"expected at least 2 rounds, for a spread to be seen, found {rounds}")
    found: dict[str, list[Round]] = {source: [] for source in sources}
    for number in range(rounds):
        run = _traced(jittered(graph, seed, number), chip, directory)
        for source in sources:
            found[source].append(run.perfmon() if source == "perfmon" else run.driver(seed, number))
        step()
    return [SourceResult(source, tuple(own)) for source, own in found.items()]


@dataclass(frozen=True, slots=True)
class _Traced:
    """What the engines of one run made, and how many chunks their controllers took."""

    chip: Chip
    tasks: tuple[int, ...]
    made: list[int]
    taken: list[int]
    stop_s: float

    def perfmon(self) -> Round:
        return self._round(self.taken, self.stop_s)

    def driver(self, *seed: int) -> Round:
        delivery = deliver(self.chip, self.made, *seed)
        taken = [delivery.records.get(core, 0) for core in range(len(self.made))]
        return self._round(taken, delivery.stop_s)

    def _round(self, taken: list[int], stop_s: float) -> Round:
        ran = [core for core, tasks in enumerate(self.tasks) if tasks]
        seen = sum(taken[core] > 0 for core in ran)
        return Round(len(ran), seen, sum(self.made), sum(taken), stop_s)


def _traced(graph: TaskGraph, chip: Chip, directory: Path) -> _Traced:
    recording = Recording(chip_swimlane=1, core_swimlane=True)
    setup = SimSetup(chip=chip, features=features_of(recording))
    session = create_session(
        directory,
        region_config(graph, setup, recording),
        note=SessionNote(graph.name, chip.name),
    )
    try:
        result = simulate(
            graph, setup, region_address=session.region.address, host_tick=session.tick
        )
        session.stop()
        lanes = counters(session.region.memory, session.region.head)
        own = lanes[lanes["kind"] == KINDS.index("burst")]
        own = own[np.argsort(own["owner"])]
        return _Traced(
            chip,
            result.tasks_per_core,
            own["source_made"].astype(np.int64).tolist(),
            own["source_taken"].astype(np.int64).tolist(),
            result.engine_stop_ps / PS_PER_S,
        )
    finally:
        session.discard()


_HEAD = ("source", "cores seen", "of those that ran", "records", "of those made", "most / least",
         "stop")  # fmt: skip


def render_sources(results: Sequence[SourceResult]) -> str:
    """A row per source, means over the rounds."""
    rows = [_HEAD, *(_row(result) for result in results)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEAD))]
    lines = [
        "  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
        for row in rows
    ]
    notes = [
        "most / least: records of the round with most over those of the round with least.",
        "Both are simulated; rounds differ because each changes every task's length a little.",
    ]
    if any(result.source == "driver" for result in results):
        notes.append(
            "driver: a model of what is published about the driver's channels (which cores, one "
            "batch each,\n   counts that vary about tenfold, 3 to 4 s to stop each); nothing here "
            "was measured on a chip."
        )
    return "\n".join(["inside the cores: who delivers what", *lines, "", *notes]) + "\n"


def _row(result: SourceResult) -> tuple[str, ...]:
    rounds = result.rounds
    seen, ran = fmean(r.seen for r in rounds), fmean(r.ran for r in rounds)
    records, made = fmean(r.records for r in rounds), fmean(r.made for r in rounds)
    return (
        result.source,
        f"{seen:,.1f}",
        f"{seen / ran:.0%}" if ran else "-",
        f"{records:,.0f}",
        f"{records / made:.0%}" if made else "-",
        f"{result.most_to_least:.2f}",
        _time(fmean(r.stop_s for r in rounds)),
    )


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e6:.1f} µs"
