"""One trace or job in figures: what a worker does for an index.

The figures of a trace are those that `lanescope diff` compares, and a few counts. Analyses are
imported where they are used: who hands out the work needs none of them.
"""

from __future__ import annotations

from typing import Any

from lanescope.fleet.finding import JOB_ENDING, place_below
from lanescope.fleet.measured import COUNT, NANOSECONDS, Measure, Measured
from lanescope.trace.integrity import read_checksums
from lanescope.trace.meta import Meta
from lanescope.trace.places import Place, place_of
from lanescope.trace.store import load


def measure(root: str, trace: str) -> Measured:
    """The figures of one stored trace or job; what cannot be read is an InputError.

    Args:
        root: The folder or URL that it was found below.
        trace: Its path, or its URL without credentials and options.
    """
    place = place_below(place_of(root), trace)
    if place.suffix == JOB_ENDING:
        from lanescope.fleet.job_measures import measure_job

        return measure_job(place.url)
    return _measure_trace(place)


def _measure_trace(place: Place) -> Measured:
    from lanescope.analyze.compare.measures import measures

    trace = load(place)
    meta = trace.meta
    figures = measures(trace)
    rows: list[Measure] = [
        (group, name, value, NANOSECONDS, figures.counts.get(name))
        for (group, name), value in figures.values.items()
    ]
    lost = sum(entry.dropped + entry.unmatched for entry in meta.ledger)
    rows.append(("run", "tasks", float(len(trace.tasks)), COUNT, None))
    rows.append(("run", "records lost", float(lost), COUNT, None))
    files = read_checksums(place).files.values()
    facts = _facts(meta) | {"bytes": sum(file.bytes for file in files) or None}
    return Measured(facts, _labels(meta), rows)


def _facts(meta: Meta) -> dict[str, Any]:
    commit = meta.extra.get("commit")
    return {
        "name": meta.name,
        "origin": meta.origin,
        "chip": meta.chip,
        "tool": meta.tool,
        "commit": commit if isinstance(commit, str) else "",
        "host": meta.host,
        "date_ns": meta.epoch_ns,
        "rank": meta.rank,
        "world": meta.world,
        "run": meta.run,
    }


def _labels(meta: Meta) -> dict[str, str]:
    labels = meta.extra.get("labels")
    if not isinstance(labels, dict):
        return {}
    return {str(key): str(value) for key, value in labels.items()}
