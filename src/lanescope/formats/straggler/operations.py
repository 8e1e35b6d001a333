"""Types of operation in the study's files: their stream, their work, who takes part.

Source: ByteDance-Seed/StragglerAnalysis, `analyzer/metatypes.py` and `dependency_model.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

FORWARD, BACKWARD = "forward-compute", "backward-compute"
COMPUTE = (FORWARD, BACKWARD)
GATHER, SCATTER = "params-all-gather", "grads-reduce-scatter"
SEPARATE = "separate-grads-all-reduce"
LAYERNORM, EMBEDDING = "layernorm-grads-all-reduce", "embedding-grads-all-reduce"
CLIP, OPTIMIZER, GARBAGE = "optimizer-clip-main-grad", "optimizer", "gc"
DIRECTIONS = ("forward", "backward")
STREAMS = (
    "compute",
    "forward send",
    "forward receive",
    "backward send",
    "backward receive",
    "data parallel",
    "optimizer",
    "other",
)
"""Streams of a worker: on each of them one operation follows the other."""


@dataclass(frozen=True, slots=True)
class StudyOperation:
    """What is known of a type of operation."""

    stream: str
    work: str = "communication"
    kind: str = ""
    """The collective that it is; empty where the file does not tell who takes part."""


OPERATIONS = {
    FORWARD: StudyOperation("compute", "compute"),
    BACKWARD: StudyOperation("compute", "compute"),
    "forward-send": StudyOperation("forward send", kind="send"),
    "forward-recv": StudyOperation("forward receive", kind="recv"),
    "backward-send": StudyOperation("backward send", kind="send"),
    "backward-recv": StudyOperation("backward receive", kind="recv"),
    GATHER: StudyOperation("data parallel", kind="all_gather"),
    SCATTER: StudyOperation("data parallel", kind="reduce_scatter"),
    SEPARATE: StudyOperation("data parallel", kind="all_reduce"),
    GARBAGE: StudyOperation("optimizer", "compute"),
    LAYERNORM: StudyOperation("optimizer"),
    EMBEDDING: StudyOperation("optimizer", kind="all_reduce"),
    CLIP: StudyOperation("optimizer", kind="all_reduce"),
    OPTIMIZER: StudyOperation("optimizer", "compute"),
}
UNKNOWN = StudyOperation("other", "compute")
"""A type that the study does not have."""


def operation(name: str) -> StudyOperation:
    """What is known of a type of operation."""
    return OPERATIONS.get(name, UNKNOWN)
