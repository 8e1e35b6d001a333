"""What a kernel's name tells of it: whether it communicates, and in which collective.

Names: NCCL `src/device/generate.py` (`ncclDevKernel_AllReduce_Sum_f32_RING_LL`; `ncclKernel_`
before 2.19; RCCL uses the same), vLLM `csrc/custom_all_reduce.cuh` (`cross_device_reduce_1stage`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lanescope.trace.table import Array

_COMMUNICATES = re.compile(
    r"(?:^|\b|_)(?:nccl|rccl)[A-Z_]|nccl(?:Dev)?Kernel|cross_device_reduce", re.IGNORECASE
)
_IN_NAME = re.compile(r"nccl(?:Dev)?Kernel_([A-Za-z]+)")
_PLAIN = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "allgatherv": "all_gather",
    "allgatherbase": "all_gather",
    "allgatherintotensor": "all_gather",
    "reducescatter": "reduce_scatter",
    "reducescatterbase": "reduce_scatter",
    "reducescattertensor": "reduce_scatter",
    "alltoall": "all_to_all",
    "alltoallv": "all_to_all",
    "alltoallbase": "all_to_all",
    "sendrecv": "send_recv",
    "send": "send",
    "recv": "recv",
    "receive": "recv",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "gather": "gather",
    "scatter": "scatter",
    "barrier": "barrier",
    "crossdevicereduce": "all_reduce",
    "collectivepermute": "collective_permute",
    "collectivebroadcast": "broadcast",
    "raggedalltoall": "all_to_all",
}
HLO_COLLECTIVES = (
    *("all-reduce", "all-gather", "all-to-all", "ragged-all-to-all", "reduce-scatter"),
    *("collective-permute", "collective-broadcast", "send", "recv"),
)
"""XLA's operations among devices, as HLO names them."""


def communicates(names: Sequence[str]) -> Array:
    """Per name: whether such a kernel communicates with other ranks."""
    return np.array([_COMMUNICATES.search(name) is not None for name in names], bool)


def collective_kind(name: str) -> str:
    """One spelling per kind: `all_reduce` for allreduce, AllReduce, all-reduce; `batch_put` for
    a kind that is not known, such as batchPut."""
    letters = re.sub(r"[^a-z]", "", name.lower())
    other = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip("_")).lower()
    return _PLAIN.get(letters.removesuffix("coalesced"), other)


def kind_of_kernel(name: str) -> str:
    """The kind that a kernel's name tells; empty where it does not."""
    if "cross_device_reduce" in name:
        return "all_reduce"
    found = _IN_NAME.search(name)
    if found is None:
        return ""
    kind = collective_kind(found[1])
    return "" if kind == "generic" else kind
