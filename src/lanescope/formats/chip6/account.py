"""What became of every byte of a raw stream, for machines and for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lanescope.chunks import Decoded
from lanescope.formats.bundle import ImportAccount
from lanescope.render.cells import many_text, more_text

_SHOWN = 5
_LISTED = 1000
"""Damaged places that the JSON lists; `damaged_places` counts them all."""


def account(stream: Decoded) -> ImportAccount:
    """Bytes by what they are, what they decoded to, and where the damage is."""
    values = _values(stream)
    return ImportAccount(values, tuple(_lines(values)))


def _values(stream: Decoded) -> dict[str, Any]:
    damaged = [
        {"offset": one.offset, "bytes": one.bytes, "reason": one.reason.text}
        for one in stream.damaged.ranges(most=_LISTED)
    ]
    return {
        "bytes": asdict(stream.account),
        "stamps": len(stream.stamps.time),
        "busy_intervals": len(stream.busy.pipe),
        "pipe_marks": len(stream.marks.pipe),
        "one_ended": len(stream.unpaired.pipe),
        "damaged_places": stream.damaged.places(),
        "damaged": damaged,
    }


def _lines(values: dict[str, Any]) -> list[str]:
    count = values["bytes"]
    parts = [
        f"{count[key]:,} {key}" for key in ("decoded", "filler", "sentinel", "stub") if count[key]
    ]
    parts.append(f"{count['damaged']:,} damaged")
    lines = [f"{count['total']:,} bytes: {', '.join(parts)}"]
    lines.append(
        f"{many_text(values['stamps'], 'start stamp')}, "
        f"{many_text(values['busy_intervals'], 'busy interval')}, "
        f"{many_text(values['pipe_marks'], 'mark')}, "
        f"{many_text(values['one_ended'], 'interval')} with one end only"
    )
    for one in values["damaged"][:_SHOWN]:
        place = f"damaged at offset {one['offset']:,}: {one['bytes']:,} bytes"
        lines.append(f"{place}, {one['reason']}")
    if values["damaged_places"] > _SHOWN:
        lines.append(more_text(values["damaged_places"] - _SHOWN, "damaged place"))
    return lines
