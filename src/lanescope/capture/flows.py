"""Flows: what one lane sends and another receives, made into edges between their tasks.

In a region a flow's two ends are slices with ids of their own; `duration` is the flow's number.
"""

from __future__ import annotations

import numpy as np

from lanescope.device.head import Array
from lanescope.device.layouts import constant
from lanescope.trace.schema import EdgeFlag
from lanescope.trace.trace import Words

Columns = dict[str, Array]


def flow_ends(slices: Array, end_ns: Array) -> Columns:
    """The ends of flows among a lane's slices: number, moment, task, and which end it is."""
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
    """An edge from the last send of a number to each receive after it.

    Two lanes' clocks may be `error_ns` apart, so a receive may look that much too early.
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
