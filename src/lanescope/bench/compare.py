"""All samples of a configuration as one result, beside level 0 and beside the baseline protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanescope.bench.measure import Sample
from lanescope.bench.plan import BASELINE, OFF, Configuration
from lanescope.bench.statistics import Difference, Spread, paired_difference, spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One configuration over all rounds."""

    configuration: Configuration
    makespan_ns: Spread
    to_off_ns: Difference | None
    """To level 0; None where it was not measured, or for itself."""
    to_off_percent: float | None
    to_off_ns_per_task: float | None
    to_baseline_ns: Difference | None
    """To staging at the same level; None where it was not measured, or for itself."""
    records_per_run: float
    dropped: int
    """In all rounds together."""
    stalls: int
    """In all rounds together."""
    blocked_ns_per_run: float
    """All lanes together."""
    samples: tuple[Sample, ...]


def compare(samples: Mapping[Configuration, Sequence[Sample]], *, tasks: int) -> tuple[Result, ...]:
    """Sample i of every configuration was taken in round i; the graph has `tasks` tasks."""
    times = {key: [float(one.makespan_ns) for one in found] for key, found in samples.items()}
    return tuple(_result(key, samples[key], times, tasks=tasks) for key in samples)


def _result(
    key: Configuration,
    samples: Sequence[Sample],
    times: Mapping[Configuration, Sequence[float]],
    *,
    tasks: int,
) -> Result:
    own = spread(times[key])
    to_off = _difference(key, Configuration(0, OFF), times)
    return Result(
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
        samples=tuple(samples),
    )


def _difference(
    key: Configuration, base: Configuration, times: Mapping[Configuration, Sequence[float]]
) -> Difference | None:
    if key == base or base not in times:
        return None
    return paired_difference(times[key], times[base])
