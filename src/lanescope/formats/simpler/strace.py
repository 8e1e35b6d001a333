"""Reads the host's log: `[STRACE]` spans of every process, its own losses, and phase totals.

A record reads `[STRACE] v=1 pid= tid= inv= hid= depth= name= ts= dur= [clk=dev] [key=value …]`. It
may stand behind a prefix, between lines of any other kind, or on one line with other records. The
writer percent-encodes names and values, so `[` and white space always end one. A record of more
than 512 bytes is cut by the writer and ends in `~`; one without an end of line was cut by a copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lanescope.formats.json_file import map_file
from lanescope.formats.simpler.host import LATEST_NS
from lanescope.formats.simpler.host_log import (
    HostLog,
    HostSpan,
    HostSpans,
    LineDamage,
    PhaseTotal,
    decoded,
)

_LOG = re.compile(
    rb"\[(?:STRACE|CLOCK_ANCHOR|HOSTLOG_DROPS)\] v=\d|host-orch phase=\w"
    rb"|^\[mono_ns=\d+\]\[T0x",
    re.MULTILINE,
)
_STRACE = re.compile(
    rb"\[STRACE\](?: v=1 (pid=\d{1,18} tid=\d{1,18} inv=\d{1,18} hid=[0-9a-fA-F]{1,16})"
    rb" (depth=\d{1,18} name=[^\s\[~]+) ts=(\d{1,18}) dur=(\d{1,18})((?: [^\[\n~]*)?)(?=[\[\n]))?"
)
"""Whole records; 18 digits are below LATEST_NS. No group matches where `_careful` must look."""
_LINE_END = re.compile(rb"\n")
_PIECE_BYTES = 1 << 20
"""Records are matched in pieces of about this size."""
_REST = re.compile(rb"[^\[\n]*")
_DROPS = re.compile(rb"\[HOSTLOG_DROPS\](?: v=1 pid=(\d{1,18}) new=\d{1,18} total=(\d{1,18})\b)?")
_TOTAL = re.compile(
    rb"host-orch phase=(?:([^\s\[]+) total_ns=(\d{1,18}) count=(\d{1,18})"
    rb"(?: detail_sum=(\d{1,18}))? dropped=(\d{1,18})\b)?"
)
_FIELDS = ("v", "pid", "tid", "inv", "hid", "depth", "name", "ts", "dur")
_HEX = re.compile(rb"[0-9a-fA-F]{1,16}")
_OLD_NAMES = {"simpler_run": "chip.run", "l3": "node"}
"""What the first word of older names is called today."""


def is_host_log(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a log of the host."""
    return _LOG.search(head) is not None


def read_host_log(path: Path) -> HostLog:
    """Read a log. A damaged record is counted, and never takes another one with it.

    Raises InputError where the file is empty or cannot be read.
    """
    scan = _Scan(map_file(path))
    scan.read_spans()
    totals = list(scan.totals())
    dropped = scan.dropped()
    return HostLog(
        *(path, scan.spans, totals),
        cut=scan.cut,
        damaged=scan.damaged,
        first_damage=scan.first_damage(),
        dropped=dropped,
    )


class _Callers(dict[bytes, tuple[int, int, int, str]]):
    """`pid= tid= inv= hid=` as values; the spans of one run repeat them."""

    def __missing__(self, raw: bytes) -> tuple[int, int, int, str]:
        pid, tid, inv, hid = (part.partition(b"=")[2] for part in raw.split())
        values = self[raw] = int(pid), int(tid), int(inv), hid.decode()
        return values


class _Places(dict[bytes, tuple[int, str]]):
    """`depth= name=` as values; a log repeats few of them often."""

    def __missing__(self, raw: bytes) -> tuple[int, str]:
        depth, name = (part.partition(b"=")[2] for part in raw.split())
        values = self[raw] = int(depth), _name(name)
        return values


class _Scan:
    """One pass over a log's bytes per kind of record, and what was found wrong."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self.array = data
        self.data = data.data
        self.spans = HostSpans()
        self.callers, self.places = _Callers(), _Places()
        self.cut = 0
        self.damaged = 0
        self.first: tuple[int, str] | None = None
        """where in the file the first damaged record is, and why it is one"""

    def _count_damage(self, place: int, reason: str) -> None:
        self.damaged += 1
        self.first = min(self.first or (place, reason), (place, reason))

    def read_spans(self) -> None:
        """Take every span that can be read."""
        start = 0
        while start < len(self.data):
            line = _LINE_END.search(self.data, start + _PIECE_BYTES)
            end = line.end() if line else len(self.data)
            rows = _STRACE.findall(self.data, start, end)
            if all(row[0] for row in rows):
                self._take(rows)
            else:
                self._take_one_by_one(start, end)
            start = end

    def _take(self, rows: list[tuple[bytes, ...]]) -> None:
        """Take whole records, column by column."""
        if not rows:
            return
        callers, places, starts, lengths, texts = zip(*rows, strict=True)
        spans = self.spans
        spans.callers += map(self.callers.__getitem__, callers)
        spans.places += map(self.places.__getitem__, places)
        spans.ts_ns.frombytes(_numbers(starts))
        spans.dur_ns.frombytes(_numbers(lengths))
        names = spans.places[-len(rows) :]
        spans.on_device += [
            b"clk=dev" in text and _is_device(place[1], text)
            for place, text in zip(names, texts, strict=True)
        ]
        spans.texts += texts

    def _take_one_by_one(self, start: int, end: int) -> None:
        for record in _STRACE.finditer(self.data, start, end):
            if record.lastindex is not None:
                self._take([record.groups()])
            elif (found := self._careful(record.end(), record.start())) is not None:
                self.spans.append(found)

    def _careful(self, place: int, start: int) -> HostSpan | None:
        """Read a record whose fields are in another order, too large, cut or damaged."""
        rest = _REST.match(self.data, place)
        assert rest is not None
        parts = rest.group().split()
        is_cut = rest.end() == len(self.data) or rest.group().rstrip().endswith(b"~")
        last = parts.pop() if is_cut and parts else b""
        fields: dict[str, bytes] = {}
        attributes = []
        for part in parts:
            key, _, value = part.partition(b"=")
            if (field := key.decode("latin-1")) in _FIELDS and field not in fields:
                fields[field] = value
            else:
                attributes.append(part)
        reason = _damage(fields)
        if is_cut:
            self.cut += 1
            # clk=dev stands first: without one whole attribute the span's clock is not known.
            if reason or not attributes:
                return None
            attributes.append(last.removesuffix(b"~") + b"~")
        elif reason:
            self._count_damage(start, reason)
            return None
        name, text = _name(fields["name"]), b"".join(b" " + part for part in attributes)
        numbers = {key: int(fields[key]) for key in ("pid", "tid", "inv", "depth")}
        return HostSpan(
            **numbers,
            hid=fields["hid"].decode(),
            name=name,
            ts_ns=int(fields["ts"]),
            dur_ns=int(fields["dur"]),
            on_device=_is_device(name, text),
            text=text,
        )

    def dropped(self) -> int:
        """Records that were lost: each process reports its running total now and then."""
        totals: dict[bytes, int] = {}
        for record in _DROPS.finditer(self.data):
            pid, total = record.groups()
            if pid is None:
                self._count_damage(record.start(), "a [HOSTLOG_DROPS] record without its counts")
            else:
                totals[pid] = max(totals.get(pid, 0), int(total))
        return sum(totals.values())

    def totals(self) -> Iterator[PhaseTotal]:
        """Every summary of a host phase."""
        for record in _TOTAL.finditer(self.data):
            phase, total, count, detail, dropped = record.groups()
            if phase is None:
                self._count_damage(record.start(), "a 'host-orch phase=' record without its sums")
                continue
            detail_sum = None if detail is None else int(detail)
            yield PhaseTotal(decoded(phase), int(total), int(count), detail_sum, int(dropped))

    def first_damage(self) -> LineDamage | None:
        """The damaged record nearest to the beginning of the file."""
        if self.first is None:
            return None
        place, reason = self.first
        return LineDamage(int(np.count_nonzero(self.array[:place] == ord("\n"))) + 1, reason)


def _numbers(digits: Sequence[bytes]) -> bytes:
    """Decimal numbers below 2^63 as 64-bit integers."""
    return np.fromstring(b" ".join(digits), np.int64, sep=" ").tobytes()


def _name(raw: bytes) -> str:
    """A span's name as it is called today."""
    word, dot, rest = decoded(raw).partition(".")
    return _OLD_NAMES.get(word, word) + dot + rest


def _is_device(name: str, text: bytes) -> bool:
    """Whether a span's time is the device's; `device_boundaries` says so but has host time."""
    return b"clk=dev" in text.split() and not name.endswith(".device_boundaries")


def _damage(fields: dict[str, bytes]) -> str | None:
    """Why a record's fields cannot be taken, or None."""
    for key in _FIELDS:
        value = fields.get(key)
        if not value:
            return f"a [STRACE] record without {key!r}"
        shown = value[:40].decode("utf-8", "replace")
        if key == "hid":
            if not _HEX.fullmatch(value):
                return (
                    f"'hid' of a [STRACE] record is {shown!r}, expected 1 to 16 hexadecimal digits"
                )
        elif key == "v":
            if value != b"1":
                return f"a [STRACE] record of version {shown!r}, expected 1"
        elif key != "name" and not (value.isdigit() and len(value) < 20 and int(value) < LATEST_NS):
            return f"{key!r} of a [STRACE] record is {shown!r}, expected a number below 2^61"
    return None
