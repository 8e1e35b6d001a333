"""Fitted costs as plain text; beside them, where the platform is simulated, its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanescope.bench.statistics import CONFIDENCE
from lanescope.bench.table import aligned
from lanescope.replay.correction.record_costs import PAID, RecordCosts

_HEAD = ("protocol and record", "ns", "from", "to")


def render_costs(fits: Sequence[RecordCosts], known: Mapping[str, Mapping[str, float]]) -> str:
    """A row per protocol and kind; `known` is by protocol and kind. Ends in a newline."""
    head = (*_HEAD, "parameter", "inside") if known else _HEAD
    rows = [
        [f"{fit.protocol} {kind}", f"{cost.ns:,.1f}", f"{cost.low_ns:,.1f}", f"{cost.high_ns:,.1f}"]
        + (_beside(fit, kind, known.get(fit.protocol, {}).get(kind, 0.0)) if known else [])
        for fit in fits
        for kind, cost in fit.costs.items()
    ]
    notes = [f"from, to: {CONFIDENCE:.0%} interval of the median, for each row by itself."]
    kinds = dict.fromkeys(kind for fit in fits for kind in fit.costs)
    notes += [f"{kind}: paid by {PAID[kind][1]}." for kind in kinds]
    return "\n".join([aligned("what a record costs, ns", head, rows), "", *notes]) + "\n"


def _beside(fit: RecordCosts, kind: str, truth_ns: float) -> list[str]:
    cost = fit.costs[kind]
    return [f"{truth_ns:,.1f}", "yes" if cost.low_ns <= truth_ns <= cost.high_ns else "no"]
