"""XSpace files by hand: planes, lines and events in a few words."""

from __future__ import annotations

import struct
from typing import Any

from lanescope.formats.perfetto.wire import message, number, tag, text
from lanescope.formats.xplane import fields as f

Value = int | float | str


class Plane:
    """One plane that numbers its names as they come."""

    def __init__(self, name: str, plane_id: int = 0, **stats: Value) -> None:
        self._head = number(f.PLANE_ID, plane_id) + text(f.PLANE_NAME, name)
        self._kinds: dict[str, tuple[int, bytes]] = {}
        self._stats: dict[str, int] = {}
        self._body = b""
        self._own = b"".join(message(f.PLANE_STATS, self.stat(*one)) for one in stats.items())

    def kind(self, name: str, *, display: str = "", **stats: Value) -> int:
        """The number of a kind of event; what is said of it first counts."""
        if name not in self._kinds:
            key = len(self._kinds) + 1
            about = number(1, key) + text(f.METADATA_NAME, name)
            about += text(f.METADATA_DISPLAY_NAME, display) if display else b""
            about += b"".join(message(f.METADATA_STATS, self.stat(*one)) for one in stats.items())
            self._kinds[name] = key, about
        return self._kinds[name][0]

    def stat(self, name: str, value: Value) -> bytes:
        """A stat; a text that begins with & is told by number."""
        head = number(f.STAT_METADATA_ID, self._number(name))
        if isinstance(value, float):
            return head + tag(f.STAT_DOUBLE, 1) + struct.pack("<d", value)
        if isinstance(value, int):
            return head + number(f.STAT_INT if value < 0 else f.STAT_UINT, value)
        if value.startswith("&"):
            return head + number(f.STAT_REF, self._number(value[1:]))
        return head + text(f.STAT_TEXT, value)

    def line(self, name: str, *events: tuple[Any, ...], at: int = 0, line_id: int = 1) -> Plane:
        """Add a line; an event is (name, offset in ps, duration in ps) and a dict of stats."""
        body = number(f.LINE_ID, line_id) + text(f.LINE_NAME, name)
        body += number(f.LINE_TIMESTAMP_NS, at)
        for kind, offset, duration, *more in events:
            stats = more[0] if more else {}
            one = number(f.EVENT_METADATA_ID, self.kind(kind))
            if offset is None:
                one += number(f.EVENT_OCCURRENCES, 3)
            else:
                one += number(f.EVENT_OFFSET_PS, offset)
            one += number(f.EVENT_DURATION_PS, duration)
            one += b"".join(message(f.EVENT_STATS, self.stat(*two)) for two in stats.items())
            body += message(f.LINE_EVENTS, one)
        self._body += message(f.PLANE_LINES, body)
        return self

    def encoded(self) -> bytes:
        """The plane as bytes."""
        kinds = b"".join(
            message(f.PLANE_EVENT_METADATA, number(f.MAP_KEY, key), message(f.MAP_VALUE, about))
            for key, about in self._kinds.values()
        )
        names = b"".join(
            message(
                f.PLANE_STAT_METADATA,
                number(f.MAP_KEY, key),
                message(f.MAP_VALUE, number(1, key), text(f.METADATA_NAME, name)),
            )
            for name, key in self._stats.items()
        )
        return self._head + self._body + kinds + names + self._own

    def _number(self, name: str) -> int:
        return self._stats.setdefault(name, len(self._stats) + 1)


def space(*planes: Plane, host: str = "", errors: tuple[str, ...] = ()) -> bytes:
    """A file of these planes."""
    body = b"".join(message(f.SPACE_PLANES, plane.encoded()) for plane in planes)
    body += b"".join(text(f.SPACE_ERRORS, one) for one in errors)
    return body + (text(f.SPACE_HOSTNAMES, host) if host else b"")
