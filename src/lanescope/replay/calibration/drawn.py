"""Values for tasks whose own are not known: those of other tasks, in a row.

One wait of a scheduler makes many tasks late at once. Values that were drawn one by one would make
them late one after the other. So a row of tasks gets the values of another row.
"""

from __future__ import annotations

import numpy as np

from lanescope.trace.table import Array


def sources(known: Array, order: Array, *, seed: int) -> Array:
    """By task: the task whose values it takes; a known task takes its own.

    `order` are all tasks in the order of time. The n-th unknown task takes the values of the n-th
    known one behind one that is drawn, round and round.
    """
    source = np.arange(len(known))
    unknown, like = order[~known[order]], order[known[order]]
    if len(like):
        first = int(np.random.default_rng(seed).integers(len(like)))
        source[unknown] = like[(first + np.arange(len(unknown))) % len(like)]
    return source
