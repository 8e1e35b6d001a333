"""A prediction between the low and the high ends of counts that are known at run time only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from lanescope.model.isa.binding import BoundProgram, RunTimeCount
from lanescope.model.isa.parse import Program
from lanescope.model.schedule.prediction import Prediction
from lanescope.render.page import PageColumn, Section


class CountInterval(NamedTuple):
    """What was taken for the counts, and the prediction with all of them at their low ends."""

    counts: tuple[RunTimeCount, ...]
    low: Prediction | None
    """None where no count is an interval."""
    once: Program | None
    """The program with one turn for each count."""


def between(ends: BoundProgram, predicted: Callable[[Program], Prediction]) -> Prediction:
    """The prediction at the high ends, which knows the one at the low ends."""
    high = predicted(ends.high)
    if not ends.counts:
        return high
    low = predicted(ends.low) if ends.differ else None
    return replace(high, interval=CountInterval(ends.counts, low, ends.once))


def interval_dict(prediction: Prediction) -> dict[str, Any] | None:
    """The figures from low to high, as pairs; None where the text says every count."""
    interval = prediction.interval
    if interval is None:
        return None
    low = interval.low or prediction
    pairs = {name: (cycles, dict(_cycles(prediction))[name]) for name, cycles in _cycles(low)}
    return {
        "counts": [count._asdict() for count in interval.counts],
        "instructions": (low.instructions, prediction.instructions),
        "cycles": pairs,
        "time_ns": {
            name: [None if cycles is None else prediction.time_ns(cycles) for cycles in pair]
            for name, pair in pairs.items()
        },
        "bound_by": (low.bound_by().name, prediction.bound_by().name),
    }


def interval_facts(prediction: Prediction) -> list[tuple[str, str]]:
    """What was taken for each count, in words."""
    counts = () if prediction.interval is None else prediction.interval.counts
    return [("count", _said(count)) for count in counts]


def interval_sections(prediction: Prediction) -> list[Section]:
    """The figures from low to high; none where no count is an interval."""
    low = None if prediction.interval is None else prediction.interval.low
    if low is None:
        return []
    lows, highs = dict(_cycles(low)), dict(_cycles(prediction))
    names = [name for name, cycles in highs.items() if cycles is not None]
    return [
        Section(
            title="From the least to the most turns",
            columns=(
                PageColumn("figure", "text", tuple(n.replace("_", " ") for n in names), key=True),
                PageColumn("least", "count", tuple(lows[name] for name in names)),
                PageColumn("most", "count", tuple(highs[name] for name in names)),
                _times("least time", low, [lows[name] for name in names]),
                _times("most time", prediction, [highs[name] for name in names]),
            ),
            notes=("all other tables are for the most turns",),
        )
    ]


def interval_notes(prediction: Prediction) -> list[str]:
    """A sentence for a table that has only the most turns; none where no count is an interval."""
    interval = prediction.interval
    if interval is None or interval.low is None:
        return []
    counts = ", ".join(f"{c.name} {c.low} to {c.high}" for c in interval.counts)
    return [
        f"{prediction.name} on {prediction.board_name or 'no board'}: {interval.low.best:,} to "
        f"{prediction.best:,} cycles for {counts}; the table has the most"
    ]


def _times(title: str, prediction: Prediction, cycles: list[int | None]) -> PageColumn:
    times = tuple(None if n is None else prediction.time_ns(n) for n in cycles)
    return PageColumn(title, "time", times, scale="t")


def _cycles(prediction: Prediction) -> list[tuple[str, int | None]]:
    done = prediction.overlapped
    return [
        ("serial", prediction.serial),
        ("overlapped", None if done is None else done.cycles),
        ("critical_path", None if done is None else done.critical_path),
    ]


def _said(count: RunTimeCount) -> str:
    turns = f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"
    lines = ", ".join(map(str, count.lines[:4])) + (", …" if len(count.lines) > 4 else "")
    where = f" (line {lines})" if count.lines else ""
    if count.given:
        return f"{count.name} is {turns}{where}, as --bind says"
    return f"{count.name} is {turns}{where}, known at run time only: --bind {count.name}=N"
