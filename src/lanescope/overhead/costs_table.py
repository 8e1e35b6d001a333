"""Fitted costs as a table; on a simulated chip its parameters stand beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanescope.overhead.statistics import CONFIDENCE
from lanescope.overhead.table import WIDTH, figures
from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections
from lanescope.replay.correction.record_costs import PAID, Cost, RecordCosts

KnownCosts = Mapping[str, Mapping[str, float]]
"""Protocol and kind of record to the ns that a simulated chip charges."""


def render_costs(fits: Sequence[RecordCosts], known: KnownCosts) -> str:
    """Return a row per protocol and kind of record, as plain text that ends in a newline.

    Without `known` costs the two columns that compare with them are left out.
    """
    rows = [(fit.protocol, kind, cost) for fit in fits for kind, cost in fit.costs.items()]
    names = tuple(f"{protocol} {kind}" for protocol, kind, _ in rows)
    columns = [
        PageColumn("protocol and record", "text", names, key=True),
        figures("ns", [_ns(cost.ns) for *_, cost in rows]),
        figures("from", [_ns(cost.low_ns) for *_, cost in rows]),
        figures("to", [_ns(cost.high_ns) for *_, cost in rows]),
    ]
    if known:
        truths = [known.get(protocol, {}).get(kind, 0.0) for protocol, kind, _ in rows]
        costs = [cost for *_, cost in rows]
        columns.append(figures("parameter", [_ns(truth) for truth in truths]))
        columns.append(figures("inside", list(map(_is_inside, costs, truths))))
    notes = [f"from, to: {CONFIDENCE:.0%} interval of the median, for each row by itself."]
    notes += [f"{kind}: paid by {PAID[kind][1]}." for kind in dict.fromkeys(k for _, k, _ in rows)]
    sections = (
        Section(title="what a record costs, ns", columns=tuple(columns)),
        Section(title="how to read this", lines=tuple(notes)),
    )
    return render_sections(sections, width=WIDTH)


def _ns(value: float) -> str:
    return f"{value:,.1f}"


def _is_inside(cost: Cost, truth_ns: float) -> str:
    return "yes" if cost.low_ns <= truth_ns <= cost.high_ns else "no"
