"""Chrome traces that lanescope wrote: their bars with arguments, by the text about them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanescope.formats.chrome.arrows import chrome_arrows
from lanescope.formats.chrome.events import pair_events, read_events
from lanescope.formats.columns import whole_id
from lanescope.formats.drawn import KEY, About, DrawnRows
from lanescope.formats.json_cells import Cell, integer, nested, number, text
from lanescope.formats.json_file import JsonFile
from lanescope.trace import MISSING

_LEAST = -(1 << 63) + 1
_VALUE = "value"
"""The argument of a sample."""


def told(path: Path, json: JsonFile | None) -> About | None:
    """What the file says about itself; None where it is not one of ours."""
    if json is None or KEY not in json:
        return None
    return About.read(path, bytes(json.values[KEY].data))


def drawn_rows(path: Path, about: About) -> DrawnRows:
    """The bars and samples of the file."""
    cells = [_cell(name, kind) for name, kind in about.arguments.items()]
    extra = [] if _VALUE in about.arguments else [number(_VALUE, lenient=True)]
    events = read_events(path, (nested("args", [*cells, *extra]),))
    slices = pair_events(events)
    known = [whole_id(tid) for _, tid in events.lanes]
    tids = np.array([-1 if tid is None else tid for tid in known], np.int64)
    samples = np.flatnonzero(events.phase == "C")
    labels = {one.label: place for place, one in enumerate(about.series)}
    series = np.array([labels.get(name, -1) for name in events.names], np.int64)
    category = events.category[slices.row]
    columns = {name: events.rows[f"args.{name}"][slices.row] for name in about.arguments}
    return DrawnRows(
        track=tids[events.lane[slices.row]],
        category=np.where(category == MISSING, -1, category),
        categories=[str(value) for value in events.rows.values["cat"]],
        name=events.name[slices.row],
        names=events.names,
        start=events.time[slices.row],
        end=slices.end,
        arguments=columns,
        words={
            name: [str(value) for value in events.rows.values[f"args.{name}"]]
            for name, kind in about.arguments.items()
            if kind == "word"
        },
        arrows=chrome_arrows(events, slices),
        series=series[events.name[samples]],
        time=events.time[samples],
        value=events.rows[f"args.{_VALUE}"][samples],
    )


def _cell(name: str, kind: str) -> Cell:
    if kind == "word":
        return text(name, required=False)
    if kind == "real":
        return number(name, lenient=True)
    return integer(name, low=_LEAST, lenient=True)
