"""Values of a run for tasks and times that it has no records of: drawn from those it has."""

from __future__ import annotations

import numpy as np

from lanescope.replay.calibration.absences import Absences, Pieces
from lanescope.replay.readings.spans import Spans, both, either, outside
from lanescope.trace.table import Array

_FEWEST = 5
"""A group with fewer values is drawn for from all of them."""
_MOST = 20_000
"""About so many absences of a scheduler are drawn at most."""


def drawn_like(values: Array, group: Array, known: Array, rng: np.random.Generator) -> Array:
    """The values where they are known; elsewhere values that are drawn from the known ones of the
    same group, or from all known ones where the group has few."""
    drawn = values.copy()
    if not known.any():
        return drawn
    for code in np.unique(group[~known]).tolist():
        mine = (group == code) & ~known
        like = values[known & (group == code)]
        if len(like) < _FEWEST:
            like = values[known]
        drawn[mine] = rng.choice(like, int(np.count_nonzero(mine)))
    return drawn


def filled(
    absences: Absences, pieces: Pieces, window: tuple[int, int], *, turn_ns: int, seed: int
) -> Absences:
    """The absences, and others in all of the window's time that nothing is known of.

    What is known are the absences and the pieces, and a turn behind each. Others are drawn so that
    who wants something of a scheduler at any moment waits as long as in the pieces before which it
    had nothing to do.
    """
    begin, end = window
    rng = np.random.default_rng(seed)
    waits = (pieces.end_ns - pieces.start_ns)[pieces.idle]
    if not len(waits):
        return absences
    parts = [absences]
    for number in np.unique(np.append(pieces.scheduler, absences.scheduler)).tolist():
        mine, own = pieces.rows(pieces.scheduler == number), absences.scheduler == number
        known = either(
            [Spans(mine.start_ns, mine.end_ns + turn_ns),
             Spans(absences.start_ns[own], absences.end_ns[own] + turn_ns)]
        )  # fmt: skip
        free = both(outside(known, begin, end), _drawn_spans(waits, window, turn_ns, rng))
        acts = np.append(0, mine.acts)[np.searchsorted(mine.start_ns, free.start, side="right")]
        parts.append(
            Absences(
                scheduler=np.full(len(free.start), number),
                start_ns=free.start,
                end_ns=free.end,
                acts=acts,
            )
        )
    return _joined(parts)


def _drawn_spans(
    waits: Array, window: tuple[int, int], turn_ns: int, rng: np.random.Generator
) -> Spans:
    """Spans that follow each other, with room for a turn between two of them. A span has twice the
    length of a wait: a random moment is half a span from its end. A random moment meets long spans
    more often, so they are drawn less often: every wait is met equally often."""
    begin, end = window
    lengths = 2 * np.maximum(waits, max((end - begin) / _MOST, 1.0))
    often = (1 / lengths) / (1 / lengths).sum()
    count = int((end - begin) / float((lengths * often).sum()) * 1.5) + 10
    drawn = rng.choice(lengths, count, p=often)
    edges = begin + np.cumsum(np.append(-rng.uniform() * drawn[0], drawn)).astype(np.int64)
    edges = np.unique(np.clip(edges, begin, end))
    return Spans(edges[:-1] + turn_ns, edges[1:])


def _joined(parts: list[Absences]) -> Absences:
    scheduler, start, end, acts = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("scheduler", "start_ns", "end_ns", "acts")
    )
    order = np.lexsort((start, scheduler))
    whole = Absences(scheduler=scheduler, start_ns=start, end_ns=end, acts=acts)
    return whole.rows(order)
