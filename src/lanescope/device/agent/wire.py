"""Frames between an agent and a collector, over TCP. Both ends check every one of them.

    0      4      8      12      16
   ┌──────┬──────┬──────┬───────┬─ payload …
   │"LSAG"│ kind │ size │ crc32 │   the checksum is over kind, size and payload; little-endian
   └──────┴──────┴──────┴───────┴─ payload …

agent → collector   HELLO    version u32, nonce of 32 bytes
collector → agent   PROOF    version u32, nonce of 32 bytes, HMAC of 32 bytes (see proof.py)
agent → collector   WELCOME  HMAC of 32 bytes, size of the region u64
                    REFUSED  a sentence; it may be the answer to every frame of the collector
collector → agent   READ     pairs of offset u64 and size u64      answer: DATA, all bytes
                    WRITE    pairs of offset u64 and value u64     answer: DATA, no bytes
                    ENDED    nothing                               answer: DATA, one byte, 0 or 1

The agent answers one frame after the other, with a fence between them. So does every answer bring
what the device had written before the question.
"""

from __future__ import annotations

import socket
import struct
import time
import zlib
from enum import IntEnum

from lanescope.render.cells import many_text

VERSION = 1
"""Version of these frames. Both ends must have the same."""
MOST_BYTES = 8 << 20
"""Most bytes of a payload."""
_MAGIC = b"LSAG"
_HEADER = struct.Struct("<4sIII")
_CHECKED = struct.Struct("<II")
PAIR = struct.Struct("<QQ")


class WireKind(IntEnum):
    """What a frame is."""

    HELLO = 1
    PROOF = 2
    WELCOME = 3
    REFUSED = 4
    READ = 5
    WRITE = 6
    ENDED = 7
    DATA = 8


class WireError(Exception):
    """A frame did not arrive whole and right; the message is the end of a sentence."""


def send_frame(
    stream: socket.socket, kind: WireKind, payload: bytes | bytearray, *, limit_s: float
) -> None:
    """Send one frame.

    Raises:
        WireError: the other end is gone, or does not take the frame within the limit.
    """
    crc = zlib.crc32(payload, zlib.crc32(_CHECKED.pack(kind, len(payload))))
    header = _HEADER.pack(_MAGIC, kind, len(payload), crc)
    stream.settimeout(limit_s)
    try:
        if len(payload) < 1 << 16:
            stream.sendall(header + payload)
        else:
            stream.sendall(header)
            stream.sendall(payload)
    except TimeoutError:
        raise WireError(f"took no frame within {limit_s:g} s") from None
    except OSError as error:
        raise WireError(f"the connection is broken ({error.strerror})") from None


def receive_frame(
    stream: socket.socket, *, limit_s: float, most: int = MOST_BYTES
) -> tuple[WireKind, bytearray]:
    """Return the kind and the payload of the next frame, which has at most `most` bytes.

    Raises:
        WireError: it is none, is damaged or too large, or is not there whole within the limit.
    """
    deadline = time.monotonic() + limit_s
    magic, kind, size, crc = _HEADER.unpack(
        _receive(stream, _HEADER.size, deadline=deadline, limit_s=limit_s, inside=False)
    )
    if magic != _MAGIC:
        raise WireError(f"expected a frame, which begins with LSAG, found {bytes(magic)!r}")
    if kind not in list(WireKind):
        raise WireError(f"sent a frame of the unknown kind {kind}")
    if size > most:
        raise WireError(f"sent a frame of {size:,} bytes, where {most:,} are the most")
    payload = _receive(stream, size, deadline=deadline, limit_s=limit_s, inside=True)
    if zlib.crc32(payload, zlib.crc32(_CHECKED.pack(kind, size))) != crc:
        raise WireError(f"sent a frame of {many_text(size, 'byte')} with a wrong checksum")
    return WireKind(kind), payload


def _receive(
    stream: socket.socket, size: int, *, deadline: float, limit_s: float, inside: bool
) -> bytearray:
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        try:
            stream.settimeout(max(deadline - time.monotonic(), 0.001))
            count = stream.recv_into(view[got:])
        except TimeoutError:
            raise WireError(f"sent no whole frame within {limit_s:g} s") from None
        except OSError as error:
            raise WireError(f"the connection is broken ({error.strerror})") from None
        if not count and (inside or got):
            missing = many_text(size - got, "byte")
            raise WireError(f"the connection ended inside a frame, {missing} early")
        if not count:
            raise WireError("the connection ended")
        got += count
    return data


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT.

    Raises:
        ValueError: the text is something else.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (host and port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise ValueError(f"expected HOST:PORT, such as 127.0.0.1:7070, found {text!r}")
    return host, int(port)
