"""Perfetto traces that lanescope wrote: the text about them, and their bars with arguments."""

from __future__ import annotations

import numpy as np

from lanescope.formats.drawn import KEY, About, DrawnRows
from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.packets import InternedNames, Packets
from lanescope.formats.perfetto.read_events import (
    COUNTER,
    arrows,
    pair_slices,
    read_track_events,
)
from lanescope.formats.proto_rows import as_doubles, content, double, number, optional
from lanescope.trace import MISSING
from lanescope.trace.numbering import find
from lanescope.trace.table import Array


def told(packets: Packets) -> About | None:
    """What the file says about itself; None where it is not one of ours."""
    file = packets.file
    at = np.flatnonzero(packets.interned[:, 0] >= 0)[-1:]
    _, entries = file.repeated(packets.interned[at], f.INTERNED_ANNOTATION_NAME)
    names = file.columns(entries, content(f.NAME_TEXT))[0] if len(entries) else entries
    if [file.text(span) for span in names.tolist()] != [KEY]:
        return None
    _, entries = file.repeated(packets.interned[at], f.INTERNED_ANNOTATION_TEXT)
    for begin, length in file.columns(entries, content(f.NAME_TEXT))[0].tolist():
        return About.read(file.path, bytes(file.data[max(begin, 0) : max(begin, 0) + length]))
    return None


def drawn_rows(packets: Packets, about: About) -> DrawnRows:
    """The bars and samples of the file."""
    events = read_track_events(packets)
    slices = pair_slices(events)
    begin, end = slices.begin, slices.end
    generation = packets.generation[events.packet[begin]]
    categories = InternedNames(packets, f.INTERNED_CATEGORY)
    [iid] = packets.file.columns(events.spans[begin], number(f.EVENT_CATEGORY_IID))
    arguments, words = _arguments(packets, events.spans[begin], generation)
    samples = np.flatnonzero(events.type == COUNTER)
    tracks = np.array([one.track for one in about.series], np.int64)
    return DrawnRows(
        track=events.track[begin],
        category=categories.find(generation, iid),
        categories=categories.texts,
        name=events.name[begin],
        names=events.names,
        start=events.time[begin],
        end=events.time[end],
        arguments=arguments,
        words=words,
        arrows=arrows(packets, events, slices),
        series=find(tracks, events.track[samples]),
        time=events.time[samples],
        value=events.value[samples],
    )


def _arguments(
    packets: Packets, spans: Array, generation: Array
) -> tuple[dict[str, Array], dict[str, list[str]]]:
    """A column per name of an annotation; texts are numbers that stand for them."""
    file = packets.file
    row, annotations = file.repeated(spans, f.EVENT_DEBUG_ANNOTATION)
    name_iid, whole, real, text_iid = file.columns(
        annotations,
        number(f.ANNOTATION_NAME_IID),
        optional(f.ANNOTATION_INT),
        double(f.ANNOTATION_DOUBLE),
        optional(f.ANNOTATION_TEXT_IID),
    )
    names = InternedNames(packets, f.INTERNED_ANNOTATION_NAME)
    texts = InternedNames(packets, f.INTERNED_ANNOTATION_TEXT)
    name = names.find(generation[row], name_iid)
    real = as_doubles(real)
    columns: dict[str, Array] = {}
    words: dict[str, list[str]] = {}
    for code in np.unique(name[name >= 0]).tolist():
        mine = np.flatnonzero(name == code)
        title = names.texts[code]
        if (text_iid[mine] != MISSING).any():
            meant = texts.find(generation[row[mine]], text_iid[mine])
            column = np.full(len(spans), MISSING)
            column[row[mine]] = np.where(meant >= 0, meant, MISSING)
            words[title] = texts.texts
        elif np.isfinite(real[mine]).any():
            column = np.full(len(spans), np.nan)
            known = np.where(whole[mine] != MISSING, whole[mine].astype(np.float64), real[mine])
            column[row[mine]] = known
        else:
            column = np.full(len(spans), MISSING)
            column[row[mine]] = whole[mine]
        columns[title] = column
    return columns, words
