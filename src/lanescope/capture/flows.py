"""Flows: one lane sends and another receives, which makes an edge between their two tasks.

The ends of a flow are slices with ids of their own. Their `duration` is the number of the flow.
"""

from __future__ import annotations

import numpy as np

from lanescope.device.head import Array
from lanescope.device.layouts import constant
from lanescope.trace.schema import EdgeFlag
from lanescope.trace.trace import Words

Columns = dict[str, Array]


def flow_ends(slices: Array, end_ns: Array) -> Columns:
    """Return the ends of flows among the slices of a lane.

    The columns are the number of the flow, its time in ns, the task, and whether it receives.
    """
    what = slices["what"] & np.uint32(constant("LS_SLICE_ID") | constant("LS_SLICE_MARK"))
    mark = constant("LS_SLICE_MARK")
    receives = what == constant("LS_SLICE_RECEIVE") | mark
    chosen = receives | (what == constant("LS_SLICE_SEND") | mark)
    chosen &= slices["task"] != constant("LS_SLICE_NO_TASK")
    return {
        "number": slices["duration"][chosen].astype(np.int64),
        "ns": end_ns[chosen],
        "task": slices["task"][chosen].astype(np.int64),
        "receives": receives[chosen],
    }


def flow_edges(lanes: list[Columns], words: Words, *, error_ns: int) -> Columns:
    """Return an edge from the last send of a number to each receive of this number after it.

    The clocks of two lanes may be `error_ns` apart, so a receive may seem that much too early.
    """
    ends = {name: np.concatenate([lane[name] for lane in lanes]) for name in lanes[0]}
    if not ends["receives"].any():
        return {}
    late = ends["ns"] + np.where(ends["receives"], error_ns, 0)
    order = np.lexsort((ends["receives"], late, ends["number"]))
    number, task, receives = (ends[name][order] for name in ("number", "task", "receives"))
    sent = np.maximum.accumulate(np.where(receives, -1, np.arange(len(order))))
    paired = receives & (sent >= 0)
    paired[paired] = number[sent[paired]] == number[paired]
    pred, succ = task[sent[paired]], task[paired]
    apart = pred != succ
    return {
        "pred": pred[apart],
        "succ": succ[apart],
        "kind": np.full(int(apart.sum()), words.code("flow"), np.int32),
        "arg": np.full(int(apart.sum()), -1, np.int32),
        "flags": np.full(int(apart.sum()), int(EdgeFlag.WAIT), np.int32),
    }
