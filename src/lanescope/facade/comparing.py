"""What changed between runs: diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lanescope.analyze.compare import diff as comparing
from lanescope.analyze.compare.diff import Diff
from lanescope.analyze.compare.measures import measures
from lanescope.analyze.compare.program_diff import prediction_pair, program_diff
from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike, opened
from lanescope.trace.places import place_of
from lanescope.trace.some import select_some
from lanescope.trace.trace import Trace


def diff(
    base: TraceLike | Sequence[TraceLike], new: TraceLike | Sequence[TraceLike], **part: Any
) -> Diff:
    """Compares two sides, each of one run or several: what got slower, faster, new or gone.

    Args:
        base: A trace or several, as Traces or paths: the side before.
        new: The side after.
        **part: The part of every trace that is compared: `since`, `until`, `core`, `function`,
            `run` and `rank`, as for `select`.

    Returns:
        One row per measure with both values in ns, the change, and whether it is more than
        chance; several runs on a side are needed to tell chance. Of a predicted program and
        the same program as an emulator ran it: `diff.program`, by opcode and by line.

    Raises:
        InputError: A path cannot be read as a trace.
        UsageError: A trace has nothing in the part.
        LanescopeError: A predicted and an emulated trace are of different programs.

    Examples:
        >>> same = lanescope.diff("examples/small_run", "examples/small_run")
        >>> {row.verdict for row in same.rows}
        {'same'}
    """
    sides = _several(base), _several(new)
    if len(sides[0]) == len(sides[1]) == 1:
        return _of_two(_named(sides[0][0]), _named(sides[1][0]), part)
    return comparing.diff(
        *([measures(select_some(_named(one), **part)) for one in side] for side in sides)
    )


def _of_two(base: Trace, new: Trace, part: dict[str, Any]) -> Diff:
    """A prediction and an emulated run are compared by instruction, other runs by measures."""
    pair = prediction_pair(base, new)
    if pair is None:
        return comparing.diff(
            [measures(select_some(base, **part))], [measures(select_some(new, **part))]
        )
    if any(limit is not None for limit in part.values()):
        raise UsageError(
            "a predicted program and its run are compared whole, line by line; leave out the "
            "options that choose a part"
        )
    names = (base.meta.name,), (new.meta.name,)
    return Diff(*names, comparing.RATE, (), program_diff(*pair))


def _several(side: TraceLike | Sequence[TraceLike]) -> list[TraceLike]:
    return list(side) if isinstance(side, list | tuple) else [side]  # type: ignore[list-item]


def _named(trace: TraceLike) -> Trace:
    """The trace, called as its file is."""
    whole = opened(trace)
    return whole if isinstance(trace, Trace) else whole.with_meta(name=place_of(trace).name)
