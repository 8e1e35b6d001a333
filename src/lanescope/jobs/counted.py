"""Numbers that a profiler counted, made the same on all ranks.

A rank that was recorded from a later moment on counts from 0 there. The right shift is the one with
which the ends of the group's operations keep the same distances on both ranks: two clocks differ by
an offset and a drift, which a straight line takes away.
"""

from __future__ import annotations

import numpy as np

from lanescope.trace.table import Array

_FARTHEST = 512
"""Recordings of two ranks that begin so many operations apart or more are left as they are."""
_NEAR = 32
"""So many are tried beyond the difference of the two counts."""
_FEWEST = 4
"""So many operations must two ranks have in common."""
_BETTER = 0.25
"""A shift is believed when it leaves less than this part of the scatter of the numbers as given."""


def recounted(
    columns: dict[str, Array], groups: tuple[str, ...], ranks: tuple[int, ...]
) -> tuple[Array, list[str]]:
    """The sequence numbers of all rows, and a note for every group that was moved.

    Args:
        columns: rank, group, sender, receiver, sequence, kind, counted, start and end of all rows.
        groups: names of the groups.
        ranks: numbers of the ranks.
    """
    sequence = columns["sequence"].copy()
    notes: list[str] = []
    counted = np.flatnonzero(columns["counted"])
    keys = np.stack([columns[name][counted] for name in ("group", "sender", "receiver")], axis=1)
    group = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((columns["start"][counted], columns["rank"][counted], group))
    by_group = counted[order]
    for rows in _runs(by_group, group[order]):
        parts = _runs(rows, columns["rank"][rows])
        if len(parts) < 2:
            continue
        reference = max(parts, key=len)
        moved = []
        for part in parts:
            if part is reference:
                continue
            shift = _shift(columns, part, reference)
            if shift:
                moved.append((ranks[int(columns["rank"][part[0]])], shift))
                sequence[part] = _renumbered(columns["sequence"], part, reference, shift)
        if moved:
            notes.append(_note(groups[int(columns["group"][rows[0]])], moved))
    return sequence, notes


def _runs(rows: Array, keys: Array) -> list[Array]:
    """Rows cut where the key changes."""
    return np.split(rows, np.flatnonzero(keys[1:] != keys[:-1]) + 1)


def _shift(columns: dict[str, Array], part: Array, reference: Array) -> int:
    """By how many operations `part` begins later than the reference; 0 where nothing says so."""
    kind, sequence = columns["kind"], columns["sequence"]
    end = columns["end"].astype(np.float64)
    given = _positions(sequence[part], sequence[reference])
    farthest = min(_FARTHEST, abs(len(part) - len(reference)) + _NEAR)
    shifts = np.arange(-farthest, farthest + 1)
    place = given + shifts[:, None]
    inside = (given >= 0) & (place >= 0) & (place < len(reference))
    place = np.clip(place, 0, len(reference) - 1)
    least = max(_FEWEST, min(len(part), len(reference)) // 2)
    other = (inside & (kind[part] != kind[reference][place])).any(axis=1)
    usable = (inside.sum(axis=1) >= least) & (~other | (shifts == 0))
    if not usable[farthest]:
        return 0
    scatter = np.full(len(shifts), np.inf)
    scatter[usable] = _scatter(end[part], end[reference], place[usable], inside[usable])
    best = int(np.argmin(scatter))
    if best in (0, len(shifts) - 1):
        return 0  # at the end of what is tried: the right one may lie behind it
    return int(shifts[best]) if scatter[best] < _BETTER * scatter[farthest] else 0


def _positions(sequence: Array, reference: Array) -> Array:
    """Place in the reference of the row with the same number; -1 where there is none.

    Both rise, because rows of a group are numbered by start.
    """
    place = np.searchsorted(reference, sequence)
    inside = place < len(reference)
    same = inside & (reference[np.minimum(place, len(reference) - 1)] == sequence)
    return np.where(same, place, np.where(inside, -1, np.arange(len(sequence))))


def _scatter(end: Array, reference: Array, place: Array, inside: Array) -> Array:
    """By row of `place`: median distance of the ends' differences from a straight line."""
    difference = np.where(inside, end - reference[place], np.nan)
    difference -= np.nanmedian(difference, axis=1, keepdims=True)
    time = np.where(inside, end, np.nan)
    time -= np.nanmean(time, axis=1, keepdims=True)
    slope = np.nansum(time * difference, axis=1) / np.maximum(np.nansum(time * time, axis=1), 1.0)
    result: Array = np.nanmedian(np.abs(difference - slope[:, None] * time), axis=1)
    return result


def _renumbered(sequence: Array, part: Array, reference: Array, shift: int) -> Array:
    """Numbers of the part's rows: those of the reference; before and behind it they go on."""
    place = np.arange(len(part))
    given = _positions(sequence[part], sequence[reference])
    place = np.where(given >= 0, given, place) + shift
    known = sequence[reference]
    inside = (place >= 0) & (place < len(known))
    outside = np.where(place < 0, known[0] + place, known[-1] + 1 + place - len(known))
    result: Array = np.where(inside, known.take(place, mode="clip"), outside)
    return result


def _note(group: str, moved: list[tuple[int, int]]) -> str:
    some = ", ".join(f"rank {rank} by {shift:+d}" for rank, shift in moved[:4])
    more = f" and {len(moved) - 4:,} more" if len(moved) > 4 else ""
    return (
        f"Operations of {group} were counted from different moments; numbers were moved so that "
        f"the ends agree: {some}{more}."
    )
