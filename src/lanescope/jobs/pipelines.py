"""Ranks that messages join: the stages of one pipeline, of which a job may have several."""

from __future__ import annotations

import numpy as np

from lanescope.jobs.arrivals import MESSAGE
from lanescope.jobs.ends import Ends, islands
from lanescope.jobs.job import Job
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array


def pipelines(job: Job) -> Array:
    """By rank: the number of its pipeline, by first rank. A rank without messages is one alone."""
    arrivals = job.arrivals
    rows = np.flatnonzero(arrivals.tie[arrivals.collective] == MESSAGE)
    return joined(arrivals.rank[rows], arrivals.collective[rows], len(job.ranks))


def joined(item: Array, by: Array, items: int) -> Array:
    """Number of the set of each item; items that share a value of `by`, in a chain, are one set.

    Args:
        item: Row by row, an item: 0 … items - 1.
        by: Row by row, what joins items.
        items: How many items there are.
    """
    island = islands(Ends(numbered(by)[1], item, item, item, items))
    return numbered(island)[1]
