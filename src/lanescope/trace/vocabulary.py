"""What a trace's lanes, tasks and functions are called: the words follow the source.

A trace of cores has cores that run tasks. A trace of streams has streams or queues that run kernels
which a host launched. A trace of units has the instructions of a program, in order and without a
scheduler. A trace of tracks has slices of which nobody knows more than their place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from lanescope.trace.numbering import different

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace

Family = Literal["cores", "streams", "tracks", "units"]
"""What sort of lanes a trace has; it decides which questions can be asked."""

FAMILIES: frozenset[Family] = frozenset({"cores", "streams", "tracks", "units"})
_CORE = "core"
_TRACK = "track"
UNIT = "unit"
PROGRAM = "program"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words for one trace, each in the singular; an s makes the plural."""

    family: Family
    lane: str
    """What runs tasks: core, stream, queue, unit, track."""
    task: str
    """What runs there: task, kernel, instruction, slice."""
    function: str
    """What tasks of one name have in common: function, kernel, opcode, name."""


CORES = Vocabulary("cores", _CORE, "task", "function")
"""The words for a chip whose cores are known."""


def vocabulary(trace: Trace) -> Vocabulary:
    """The words for a trace, by the kinds of its lanes; a lane without a kind is a core.

    A profile of the host alone has no lanes; its phases have categories, as those beside streams.
    """
    if not len(trace.cores) and (trace.phases["category"] >= 0).any():
        return Vocabulary("streams", "stream", "kernel", "kernel")
    codes = different(np.maximum(trace.cores["lane"], -1)).tolist()
    kinds = {trace.word(code) or _CORE for code in codes} or {_CORE}
    if _CORE in kinds:
        return CORES
    if kinds == {_TRACK}:
        return Vocabulary("tracks", _TRACK, "slice", "name")
    if kinds == {UNIT}:
        return Vocabulary("units", UNIT, "instruction", "opcode")
    if kinds == {PROGRAM}:
        return Vocabulary("units", PROGRAM, "run", PROGRAM)
    return Vocabulary("streams", kinds.pop() if len(kinds) == 1 else "lane", "kernel", "kernel")
