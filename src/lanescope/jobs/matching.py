"""Which rows of two ranks are the same collective.

The key is the group, with its ranks where they are known, and the operation's number in it. Numbers
that a profiler counted begin where its recording began; `counted.py` finds by how much they differ.
Messages are matched by sender, receiver and number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import MESSAGE, Arrivals, tie_of
from lanescope.jobs.counted import recounted
from lanescope.jobs.facts import RankArrivals
from lanescope.render.cells import many_text
from lanescope.trace.numbering import nth
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

_SENDS = {"send", "isend"}
_RECEIVES = {"recv", "irecv"}
_NO_KIND = ""


class _Codes(dict[str, int]):
    """A code for every text, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def match(job: Job) -> Arrivals:
    """Match the collectives of all ranks of a job."""
    groups, kinds = _Codes(), _Codes()
    parts = [
        _keys(place, rank.facts.arrivals, groups, kinds) for place, rank in enumerate(job.ranks)
    ]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["sequence"], notes = recounted(columns, tuple(groups), job.numbers)
    return _grouped(columns, tuple(groups), tuple(kinds), notes, job)


def _keys(place: int, rows: RankArrivals, groups: _Codes, kinds: _Codes) -> dict[str, Array]:
    """One rank's rows with codes that all ranks share."""
    kind_words = [*rows.words, _NO_KIND]
    sends = np.array([word in _SENDS for word in kind_words])[rows.kind]
    receives = np.array([word in _RECEIVES for word in kind_words])[rows.kind]
    ends_known = (rows.source != MISSING32) & (rows.target != MISSING32)
    message = (sends | receives) & ends_known
    sender = np.where(message, rows.source, MISSING32).astype(np.int64)
    receiver = np.where(message, rows.target, MISSING32).astype(np.int64)
    named = _group_names(rows, message)
    kind = np.array([kinds[word] for word in kind_words], np.int64)[rows.kind]
    kind = np.where(message, kinds["message"], kind)
    counted = np.array([word != "source" for word in kind_words])[rows.matched]
    group = np.array([groups[name] for name in named], np.int64)
    sequence = rows.sequence.copy()
    # Counted within the group, both directions share one count; between two ranks they do not.
    some = np.flatnonzero(message & counted)
    sequence[some] = nth(_pair(group[some], sender[some], receiver[some]))
    return {
        "rank": np.full(len(rows), place),
        "row": np.arange(len(rows)),
        "group": group,
        "sequence": sequence,
        "kind": kind,
        "counted": counted,
        "message": message,
        "sender": sender,
        "receiver": receiver,
        "root": rows.source,
        "bytes": rows.bytes,
        "size": np.where(rows.size == MISSING32, 0, rows.size).astype(np.int64),
        "start": rows.start,
        "end": rows.end,
    }


def _pair(group: Array, sender: Array, receiver: Array) -> Array:
    keys = np.stack([group, sender, receiver], axis=1)
    place: Array = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    return place


def _group_names(rows: RankArrivals, message: Array) -> list[str]:
    """The name of each row's group, the same on all ranks.

    Counted on a stream, the group's name holds the stream's number, which ranks need not share:
    the first of the streams that run an operation on one rank is the first on the others.
    """
    words = rows.words
    streams: dict[str, list[int]] = {}
    found = []
    places = zip(
        *(column.tolist() for column in (rows.group, rows.peers, rows.matched, rows.queue)),
        message.tolist(),
        strict=True,
    )
    cells = list(places)
    for group, _, matched, queue, _ in cells:
        if matched >= 0 and words[matched] == "stream":
            queues = streams.setdefault(_operation(words, group), [])
            if queue not in queues:
                queues.append(queue)
    for queues in streams.values():
        queues.sort()
    for group, peers, matched, queue, is_message in cells:
        if matched >= 0 and words[matched] == "stream":
            name = _operation(words, group)
            which = streams[name].index(queue)
            found.append(name if len(streams[name]) == 1 else f"{name}, stream {which + 1}")
            continue
        name = words[group] if group >= 0 else ""
        # The ranks of a message are its sender and receiver, whatever the group says.
        ranks = words[peers] if peers >= 0 and not is_message else ""
        found.append(f"{name} [{ranks}]" if ranks else name)
    return found


def _operation(words: tuple[str, ...], group: int) -> str:
    """What a group that stands for a stream runs: the text behind the stream's name."""
    name = words[group] if group >= 0 else ""
    return name.partition(": ")[2] or name


def _grouped(
    columns: dict[str, Array],
    groups: tuple[str, ...],
    kinds: tuple[str, ...],
    notes: list[str],
    job: Job,
) -> Arrivals:
    keys = ("group", "sequence", "sender", "receiver")
    order = np.lexsort([columns["rank"], *(columns[name] for name in reversed(keys))])
    sorted_keys = [columns[name][order] for name in keys]
    new = np.ones(len(order), bool)
    if len(order):
        new[1:] = np.any([key[1:] != key[:-1] for key in sorted_keys], axis=0)
    rank = columns["rank"][order]
    again = ~new & np.append(False, rank[1:] == rank[:-1])[: len(rank)]
    if again.any():
        notes.append(
            f"Left out: {many_text(int(again.sum()), 'row')} of collectives. The same rank has "
            "another row with the same group and number."
        )
        order, new = order[~again], new[~again]
    number = np.cumsum(new) - 1
    counts = np.bincount(number, minlength=int(new.sum()))
    alone = counts < 2
    crowded, note = _crowded(columns, order, number, counts)
    if note:
        notes.append(note)
    keep = ~alone & ~crowded
    rows = order[keep[number]]
    number = (np.cumsum(keep) - 1)[number[keep[number]]]
    first = np.append(0, np.cumsum(counts[keep]))
    head = rows[first[:-1]] if len(first) > 1 else rows[:0]
    kind = columns["kind"][head]
    ties = np.array([*(tie_of(word) for word in kinds), 0])
    return Arrivals(
        groups=groups,
        kinds=kinds,
        group=columns["group"][head],
        sequence=columns["sequence"][head],
        kind=kind,
        bytes=_most(columns["bytes"][rows], first),
        size=np.where(columns["message"][head], 2, _most(columns["size"][rows], first)),
        root=_roots(columns, head, job),
        tie=np.where(columns["message"][head], MESSAGE, ties[kind]),
        first=first,
        collective=number,
        rank=columns["rank"][rows],
        row=columns["row"][rows],
        start=columns["start"][rows],
        end=columns["end"][rows],
        alone=int(counts[alone].sum()),
        notes=tuple(notes),
    )


def _crowded(
    columns: dict[str, Array], order: Array, number: Array, counts: Array
) -> tuple[Array, str]:
    """Collectives with more arrivals than their group has ranks: the name stands for several."""
    size = np.zeros(len(counts), np.int64)
    np.maximum.at(size, number, columns["size"][order])
    crowded: Array = (size > 0) & (counts > size)
    if not crowded.any():
        return crowded, ""
    return crowded, (
        f"{int(crowded.sum()):,} collectives were left out: more ranks have their group and number "
        "than the group has members, so one name stands for several groups."
    )


def _most(values: Array, first: Array) -> Array:
    if len(first) < 2:
        return values[:0]
    result: Array = np.maximum.reduceat(values, first[:-1])
    return result


def _roots(columns: dict[str, Array], head: Array, job: Job) -> Array:
    """Place of the root among the ranks of the job; -1 where it is not known or not here."""
    places = {number: place for place, number in enumerate(job.numbers)}
    numbers = np.where(
        columns["message"][head], columns["sender"][head], columns["root"][head]
    ).tolist()
    return np.array([places.get(number, -1) for number in numbers], np.int64)
