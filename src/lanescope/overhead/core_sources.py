"""Two ways to see inside the cores, side by side: engines that the controllers drain, and the
driver's channels as published. Both see the same simulated runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from lanescope.capture import SessionNote, create_session
from lanescope.capture.drain import counters
from lanescope.device.kinds import KINDS
from lanescope.errors import UsageError
from lanescope.overhead.plan import require_rounds
from lanescope.overhead.simulated import jittered
from lanescope.overhead.table import WIDTH, figures
from lanescope.platforms.recording import Recording, features_of
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.driver import CORE_SOURCES, deliver
from lanescope.platforms.sim.perfmon import require_engine
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.run import region_config, simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections
from lanescope.results import Result
from lanescope.workloads.graph import TaskGraph


@dataclass(frozen=True, slots=True)
class SourceRound(Result):
    """One run as one source shows it."""

    ran: int
    """Cores that ran at least one task."""
    seen: int
    """Cores among these that delivered at least one record."""
    made: int
    """Records that the engines made."""
    records: int
    """Records that the source delivered."""
    stop_s: float
    """How long it took to stop the source, in seconds."""


@dataclass(frozen=True, slots=True)
class SourceResult(Result):
    """All rounds of one source."""

    source: str
    rounds: tuple[SourceRound, ...]

    @property
    def most_to_least(self) -> float:
        """Records of the round with most over those of the round with least; inf if that has 0."""
        counts = [one.records for one in self.rounds]
        return max(counts) / min(counts) if min(counts) else float("inf")


def read_sources(words: Sequence[str]) -> tuple[str, ...]:
    """Check the names of sources, and drop those that come twice."""
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
    """Run the same rounds for every source; each round changes every task's length a little.

    `step` is called after every round.
    """
    require_engine(chip)
    require_rounds(rounds)
    seen: dict[str, list[SourceRound]] = {source: [] for source in sources}
    for number in range(rounds):
        run = _traced(jittered(graph, seed, number), chip, directory)
        for source in sources:
            seen[source].append(run.perfmon() if source == "perfmon" else run.driver(seed, number))
        step()
    return [SourceResult(source, tuple(own)) for source, own in seen.items()]


@dataclass(frozen=True, slots=True)
class _Traced:
    """One run: chunks that each core's engine made, and those that its controller took."""

    chip: Chip
    tasks: tuple[int, ...]
    made: list[int]
    taken: list[int]
    stop_s: float

    def perfmon(self) -> SourceRound:
        return self._round(self.taken, self.stop_s)

    def driver(self, *seed: int) -> SourceRound:
        delivery = deliver(self.chip, self.made, *seed)
        taken = [delivery.records.get(core, 0) for core in range(len(self.made))]
        return self._round(taken, delivery.stop_s)

    def _round(self, taken: list[int], stop_s: float) -> SourceRound:
        ran = [core for core, tasks in enumerate(self.tasks) if tasks]
        seen = sum(taken[core] > 0 for core in ran)
        return SourceRound(len(ran), seen, sum(self.made), sum(taken), stop_s)


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


def render_sources(results: Sequence[SourceResult]) -> str:
    """Return a row per source, means over the rounds, as plain text that ends in a newline."""
    notes = [
        "most / least: records of the round with most over those of the round with least.",
        "Both are simulated; rounds differ because each changes every task's length a little.",
    ]
    if any(result.source == "driver" for result in results):
        notes.append(
            "driver: a model of what is published about the driver's channels (which cores, one "
            "batch each, counts that vary about tenfold, 3 to 4 s to stop each); nothing here "
            "was measured on a chip."
        )
    sections = (
        Section(title="inside the cores: who delivers what", columns=_columns(results)),
        Section(title="how to read this", lines=tuple(notes)),
    )
    return render_sections(sections, width=WIDTH)


def _columns(results: Sequence[SourceResult]) -> tuple[PageColumn, ...]:
    ran, seen, made, records, stop_s = (
        [fmean(getattr(one, name) for one in result.rounds) for result in results]
        for name in ("ran", "seen", "made", "records", "stop_s")
    )
    return (
        PageColumn("source", "text", tuple(result.source for result in results), key=True),
        figures("cores seen", [f"{count:,.1f}" for count in seen]),
        figures("of those that ran", list(map(_part, seen, ran))),
        figures("records", [f"{count:,.0f}" for count in records]),
        figures("of those made", list(map(_part, records, made))),
        figures("most / least", [f"{result.most_to_least:.2f}" for result in results]),
        figures("stop", [_time(seconds) for seconds in stop_s]),
    )


def _part(count: float, whole: float) -> str | None:
    return f"{count / whole:.0%}" if whole else None


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e6:.1f} µs"
