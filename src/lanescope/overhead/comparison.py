"""All samples of a configuration as one result, beside level 0 and beside the baseline protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lanescope.overhead.plan import BASELINE, OFF, Configuration
from lanescope.overhead.sample import RunSample
from lanescope.overhead.statistics import PairedDifference, SampleSpread, paired_difference, spread
from lanescope.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchResult(Result):
    """One configuration over all rounds."""

    configuration: Configuration
    makespan_ns: SampleSpread
    to_off_ns: PairedDifference | None
    """Makespan minus that of level 0. None for level 0 itself, or where it was not measured."""
    to_off_percent: float | None
    to_off_ns_per_task: float | None
    to_baseline_ns: PairedDifference | None
    """Makespan minus that of staging at the same level. None for staging itself, or where it was
    not measured."""
    records_per_run: float
    dropped: int
    """Records that were dropped, in all rounds together."""
    stalls: int
    """How often a producer had no free buffer, in all rounds together."""
    blocked_ns_per_run: float
    """How long producers waited for a free buffer, all lanes together."""
    orchestrator_ns: SampleSpread | None
    """Time until everything was submitted. Simulated chips only; the makespan is then the
    schedulers'."""
    overhead_ns: PairedDifference | None
    """Time of schedulers and orchestrator together, minus that of level 0; simulated chips only."""
    samples: tuple[RunSample, ...]


def compare(
    samples: Mapping[Configuration, Sequence[RunSample]], *, tasks: int
) -> tuple[BenchResult, ...]:
    """Compare the configurations round by round.

    Sample i of every configuration was taken in round i. The graph has `tasks` tasks.
    """
    times = {key: [float(one.makespan_ns) for one in taken] for key, taken in samples.items()}
    return tuple(_result(key, samples, times, tasks=tasks) for key in samples)


def _result(
    key: Configuration,
    every: Mapping[Configuration, Sequence[RunSample]],
    times: Mapping[Configuration, Sequence[float]],
    *,
    tasks: int,
) -> BenchResult:
    samples = every[key]
    own = spread(times[key])
    to_off = _difference(key, Configuration(0, OFF), times)
    return BenchResult(
        configuration=key,
        makespan_ns=own,
        to_off_ns=to_off,
        to_off_percent=None if to_off is None else 100 * to_off.mean / (own.mean - to_off.mean),
        to_off_ns_per_task=None if to_off is None else to_off.mean / max(tasks, 1),
        to_baseline_ns=_difference(key, Configuration(key.level, BASELINE), times),
        records_per_run=sum(one.records for one in samples) / len(samples),
        dropped=sum(one.dropped for one in samples),
        stalls=sum(one.stalls for one in samples),
        blocked_ns_per_run=sum(one.blocked_ns for one in samples) / len(samples),
        orchestrator_ns=_orchestrator(samples),
        overhead_ns=_overhead(samples, every.get(Configuration(0, OFF))) if key.level else None,
        samples=tuple(samples),
    )


def _difference(
    key: Configuration, base: Configuration, times: Mapping[Configuration, Sequence[float]]
) -> PairedDifference | None:
    if key == base or base not in times:
        return None
    return paired_difference(times[key], times[base])


def _orchestrator(samples: Sequence[RunSample]) -> SampleSpread | None:
    times = _known(one.orchestrator_ns for one in samples)
    return None if times is None else spread(times)


def _overhead(
    samples: Sequence[RunSample], off: Sequence[RunSample] | None
) -> PairedDifference | None:
    mine, base = _both(samples), None if off is None else _both(off)
    return None if mine is None or base is None else paired_difference(mine, base)


def _both(samples: Sequence[RunSample]) -> list[float] | None:
    """Return the time of the schedulers plus that of the orchestrator, in ns, for every sample."""
    times = _known(one.orchestrator_ns for one in samples)
    if times is None:
        return None
    return [one.makespan_ns + own for one, own in zip(samples, times, strict=True)]


def _known(times: Iterable[int | None]) -> list[float] | None:
    """Times of all samples, where every sample has one."""
    found = list(times)
    known = [float(ns) for ns in found if ns is not None]
    return known if len(known) == len(found) else None
