"""Frames over a stream that is made by hand: parts, limits, and every way in which one is wrong."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.device.agent import wire
from lanescope.device.agent.wire import (
    MOST_BYTES,
    WireError,
    WireKind,
    address_of,
    receive_frame,
    send_frame,
)


class Stream:
    """Notes what is sent; gives parts of bytes, or raises."""

    def __init__(self, *parts: bytes | OSError) -> None:
        self.parts = list(parts)
        self.limits: list[float] = []
        self.sent: list[bytes] = []

    def settimeout(self, limit_s: float) -> None:
        self.limits.append(round(limit_s, 6))

    def sendall(self, data: bytes) -> None:
        if self.parts and isinstance(self.parts[0], OSError):
            raise self.parts[0]
        self.sent.append(bytes(data))

    def recv_into(self, view: memoryview) -> int:
        part = self.parts.pop(0)
        if isinstance(part, OSError):
            raise part
        view[: len(part)] = part
        return len(part)


def frame(payload: bytes, *, kind: int = 8, size: int | None = None, crc: int = 0) -> bytes:
    size = len(payload) if size is None else size
    right = zlib.crc32(payload, zlib.crc32(struct.pack("<II", kind, size)))
    return struct.pack("<4sIII", b"LSAG", kind, size, right ^ crc) + payload


def send(stream: Stream, payload: bytes) -> None:
    send_frame(stream, WireKind.DATA, payload, limit_s=0.5)  # type: ignore[arg-type]


def receive(stream: Stream, **options: Any) -> tuple[WireKind, bytes]:
    kind, payload = receive_frame(stream, **{"limit_s": 5.0} | options)  # type: ignore[arg-type]
    return kind, bytes(payload)


def at_times(monkeypatch: pytest.MonkeyPatch, times: Iterable[float]) -> None:
    readings = iter(times)
    own = SimpleNamespace(monotonic=lambda: next(readings))
    monkeypatch.setattr(wire, "time", own)


def test_the_numbers_of_the_frames_are_those_of_the_page() -> None:
    assert {kind.name: int(kind) for kind in WireKind} == {
        "HELLO": 1,
        "PROOF": 2,
        "WELCOME": 3,
        "REFUSED": 4,
        "READ": 5,
        "WRITE": 6,
        "ENDED": 7,
        "DATA": 8,
    }
    assert (wire.VERSION, MOST_BYTES) == (1, 8_388_608)


@pytest.mark.parametrize(("size", "parts"), [(0, 1), (65535, 1), (65536, 2), (65537, 2)])
def test_a_large_payload_is_not_copied_behind_its_header(size: int, parts: int) -> None:
    stream = Stream()
    send(stream, b"x" * size)
    whole = frame(b"x" * size)
    assert stream.sent == ([whole] if parts == 1 else [whole[:16], whole[16:]])
    assert stream.limits == [0.5]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (TimeoutError("timed out"), "took no frame within 0.5 s"),
        (BrokenPipeError(32, "Broken pipe"), "the connection is broken (Broken pipe)"),
    ],
)
def test_a_frame_that_cannot_be_sent_is_a_sentence(error: OSError, sentence: str) -> None:
    with pytest.raises(WireError, match=f"^{re.escape(sentence)}$"):
        send(Stream(error), b"x")


def test_a_frame_arrives_in_parts_within_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part has the time that is left, and a thousandth of a second after the end."""
    data = frame(b"payload")
    at_times(monkeypatch, [10.0, 10.5, 12.0, 14.75, 15.5])
    stream = Stream(data[:5], data[5:16], data[16:20], data[20:])
    assert receive(stream) == (WireKind.DATA, b"payload")
    assert stream.limits == [4.5, 3.0, 0.25, 0.001]


def test_a_frame_without_a_payload_ends_with_its_header() -> None:
    stream = Stream(frame(b"", kind=7), b"more")
    assert receive(stream) == (WireKind.ENDED, b"")
    assert stream.parts == [b"more"]


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([b""], "the connection ended"),
        ([frame(b"")[:1], b""], "the connection ended inside a frame, 15 bytes early"),
        ([frame(b"")[:15], b""], "the connection ended inside a frame, 1 byte early"),
        ([frame(b"x" * 2000)[:16], b""], "the connection ended inside a frame, 2,000 bytes early"),
        ([frame(b"xyz")[:16], b"x", b""], "the connection ended inside a frame, 2 bytes early"),
        ([TimeoutError("timed out")], "sent no whole frame within 5 s"),
        ([frame(b"x")[:16], TimeoutError("timed out")], "sent no whole frame within 5 s"),
        ([ConnectionResetError(104, "Reset")], "the connection is broken (Reset)"),
        ([b"HTTP" + frame(b"")[4:]], "expected a frame, which begins with LSAG, found b'HTTP'"),
        ([frame(b"", kind=0)], "sent a frame of the unknown kind 0"),
        ([frame(b"", kind=9)], "sent a frame of the unknown kind 9"),
        ([frame(b"", crc=1)], "sent a frame of 0 bytes with a wrong checksum"),
        ([frame(b"", size=1, crc=1), b"x"], "sent a frame of 1 byte with a wrong checksum"),
        (
            [frame(b"", size=MOST_BYTES + 1)],
            "sent a frame of 8,388,609 bytes, where 8,388,608 are the most",
        ),
    ],
)
def test_what_is_no_frame_is_a_sentence(parts: list[bytes | OSError], sentence: str) -> None:
    with pytest.raises(WireError, match=f"^{re.escape(sentence)}$"):
        receive(Stream(*parts))


def test_a_frame_may_have_as_many_bytes_as_are_allowed() -> None:
    data = frame(b"1234")
    assert receive(Stream(data[:16], data[16:]), most=4) == (WireKind.DATA, b"1234")
    with pytest.raises(WireError, match=r"^sent a frame of 4 bytes, where 3 are the most$"):
        receive(Stream(data[:16], data[16:]), most=3)


@pytest.mark.parametrize("at", [4, 8, 12, 16])
def test_every_part_of_a_frame_is_under_the_checksum(at: int) -> None:
    """A size that became smaller, too: what is left of the payload is another one."""
    data = bytearray(frame(b"123456789", kind=6))
    data[at] ^= 1
    with pytest.raises(WireError, match=r"wrong checksum$"):
        receive(Stream(bytes(data[:16]), bytes(data[16 : 16 + data[8]])))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("here:0", ("here", 0)),
        ("::1:80", ("::1", 80)),
        ("[::1]:65535", ("::1", 65535)),
        ("a:b:32768", ("a:b", 32768)),
    ],
)
def test_the_last_colon_stands_before_the_port(text: str, address: tuple[str, int]) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize("text", ["", ":", "7070", ":7070", "[]:7070", "a:", "a:65536", "a: 7"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="HOST:PORT") as found:
        address_of(text)
    assert str(found.value) == (f"expected HOST:PORT, such as 127.0.0.1:7070, found {text!r}")
