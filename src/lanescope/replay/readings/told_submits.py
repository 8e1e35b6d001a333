"""When nodes were submitted, where the recording says how long it took to submit all.

An orchestrator that waits for nobody submits evenly, in the order of the nodes' ids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


class ToldSubmits(NamedTuple):
    """Moments in ns from the trace's base."""

    at_ns: Array
    """By node, in rising order."""
    begin_ns: int
    """When the orchestrator begins."""


def waits_for_nobody(trace: Trace) -> bool:
    """Say whether the recording tells of an orchestrator that waits for nobody."""
    facts = trace.meta.recording
    return facts is not None and facts.submitting_ns is not None


def told_submits(trace: Trace, nodes: Nodes) -> ToldSubmits | None:
    """The submits that the recording tells; None where it tells none.

    No node is submitted after its first dispatch, or that of a later one.
    """
    facts = trace.meta.recording
    if facts is None or facts.submit_lead_ns is None or facts.submitting_ns is None:
        return None
    dispatched = nodes.dispatch != MISSING
    if not dispatched.any():
        return None
    begin = int(nodes.dispatch[dispatched].min()) - facts.submit_lead_ns
    part = np.arange(1, len(nodes) + 1) / len(nodes)
    at = begin + np.round(part * facts.submitting_ns).astype(np.int64)
    latest = np.where(dispatched, nodes.dispatch, np.iinfo(np.int64).max)
    latest = np.minimum.accumulate(latest[::-1])[::-1]
    return ToldSubmits(np.maximum(np.minimum(at, latest), begin), begin)
