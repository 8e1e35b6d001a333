"""What ran on the lanes of a trace, in numbers and words, where the lanes are no cores."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from lanescope.trace.numbering import find
from lanescope.trace.vocabulary import vocabulary

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace

_WORK = {"copy": ("copy", "copies"), "fill": ("fill", "fills"), "wait": ("wait", "waits")}
"""Work of a stream that is no kernel: one and several of it."""
_ALSO = {
    "host_threads": "host thread",
    "phases": "host row",
    "steps": "step",
    "collectives": "collective",
    "marks": "mark",
    "counters": "counter value",
}
"""What else such a trace has, in the order of the line."""


def lane_numbers(trace: Trace) -> dict[str, Any]:
    """What a summary has beside tasks and cores; nothing for a trace of cores."""
    words = vocabulary(trace)
    if words.family == "cores":
        return {}
    ran: dict[str, int] = {f"{words.task}s": int(trace.ran().sum())}
    if words.family == "streams":
        counts = _by_work(trace)
        others = {several: counts[one] for one, (_, several) in _WORK.items() if counts[one]}
        ran = {"kernels": ran["kernels"] - sum(others.values()), **others}
    hosts = trace.controllers["lane"] == trace.code("host")
    return {
        "lanes": {f"{words.lane}s": len(trace.cores)},
        "ran": ran,
        "host_threads": int(np.count_nonzero(hosts)),
        "steps": len(trace.steps),
        "collectives": len(trace.collectives),
    }


def _by_work(trace: Trace) -> Counter[str]:
    """Number of rows that ran, by work; rows of work that is not known are under ""."""
    words = [*trace.text("functions", "work"), ""]
    at = find(trace.functions["func"], trace.tasks["func"][trace.ran()])
    counts = np.bincount(np.where(at < 0, len(words) - 1, at), minlength=len(words)).tolist()
    found: Counter[str] = Counter()
    for word, count in zip(words, counts, strict=True):
        found[word] += count
    return found


def lane_parts(result: dict[str, Any]) -> list[str]:
    """The parts of the line: 1,234 kernels, 5 copies on 3 streams; then what else there is."""
    ran = ran_text(result)
    lanes = ", ".join(_many(count, several) for several, count in result["lanes"].items())
    also = [_many(result[key], f"{one}s") for key, one in _ALSO.items() if result[key]]
    return [f"{ran} on {lanes}" if ran else lanes, *also]


def ran_text(result: dict[str, Any]) -> str:
    """What ran: 1,234 kernels, 5 copies."""
    return ", ".join(_many(count, several) for several, count in result["ran"].items() if count)


def _many(count: int, several: str) -> str:
    """A number and the thing, whose plural is given."""
    single = {plural: one for one, plural in _WORK.values()}.get(several, several[:-1])
    return f"{count:,} {single if count == 1 else several}"
