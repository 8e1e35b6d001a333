"""The agent on the device's machine: it reads and writes a region for one collector at a time.

It believes nothing that a connection says: sizes and offsets are checked, and only words of the
host are written.
"""

from __future__ import annotations

import secrets
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from lanescope.device.agent.proof import NONCE_BYTES, PROOF_BYTES, is_proof, proof_of
from lanescope.device.agent.wire import (
    MOST_BYTES,
    PAIR,
    VERSION,
    WireError,
    WireKind,
    receive_frame,
    send_frame,
)
from lanescope.device.head import check_header
from lanescope.device.transport import Transport, require_host_word, word_offset
from lanescope.errors import TransportError, UsageError
from lanescope.native import library
from lanescope.render.cells import many_text

_GREETING_S = 5.0
"""How long a connection may take to prove that it knows the token, in seconds."""
IDLE_S = 30.0
"""How long a collector may say nothing, in seconds. It beats 20 times a second."""
_MOST_STRANGERS = 16
"""Most connections that have proved nothing yet."""
_AGAIN_S = 0.1
"""Pause after a connection that could not be taken, in seconds."""


class RegionAgent:
    """Serves the region that a transport has opened, to collectors that know the token."""

    def __init__(
        self,
        transport: Transport,
        address: tuple[str, int],
        *,
        token: str,
        has_ended: Callable[[], bool] = lambda: False,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Listen on an address; port 0 chooses a free one.

        `has_ended` says whether nobody records any more. `tell` gets a sentence when a collector
        comes or goes.

        Raises:
            UsageError: nobody can listen there.
        """
        self._transport = transport
        self._header = check_header(
            transport.image, source=transport.name, region_bytes=len(transport.image)
        )
        self._token = token
        self._has_ended = has_ended
        self._tell = tell
        self._collector = threading.Lock()
        self._strangers = threading.BoundedSemaphore(_MOST_STRANGERS)
        self._closed = threading.Event()
        self.served = 0
        """Number of collectors that came and left again."""
        try:
            family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
            self._listener = socket.create_server(address, family=family)
        except OSError as error:
            raise UsageError(
                f"nobody can listen on {address[0]}:{address[1]} ({error.strerror or error})"
            ) from error
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        """Host and port."""
        threading.Thread(target=self._accept, name="lanescope agent", daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether a collector is connected."""
        return self._collector.locked()

    def beat(self) -> None:
        """Show the device that a collector will come: its producers wait, and drop nothing."""
        library().ls_host_beats(int(self._transport.image.ctypes.data))
        self._transport.write(word_offset("ls_header", "host_beat"))

    def close(self) -> None:
        """Listen no more. Connections end with the process."""
        self._closed.set()
        with suppress(OSError):  # some systems have no shutdown of a socket that listens
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                stream, peer = self._listener.accept()
            except OSError:  # it was closed, or the process has too many open files at the moment
                self._closed.wait(_AGAIN_S)
                continue
            if not self._strangers.acquire(blocking=False):
                stream.close()
                continue
            name = f"{peer[0]}:{peer[1]}"
            threading.Thread(target=self._serve, args=(stream, name), daemon=True).start()

    def _serve(self, stream: socket.socket, name: str) -> None:
        with stream:
            try:
                try:
                    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    theirs, ours = self._admit(stream)
                finally:
                    self._strangers.release()
                if not self._collector.acquire(blocking=False):
                    raise _Refusal("another collector is connected")
                try:
                    self._answer_all(stream, proof_of(self._token, b"agent", ours, theirs), name)
                finally:
                    self.served += 1
                    self._collector.release()
            except _Refusal as refusal:
                self._tell(f"{name} is refused: {refusal}")
                with suppress(WireError):
                    text = str(refusal).encode()
                    send_frame(stream, WireKind.REFUSED, text, limit_s=_GREETING_S)
            except (WireError, OSError) as error:
                self._tell(f"{name} leaves: {error}")

    def _admit(self, stream: socket.socket) -> tuple[bytes, bytes]:
        """Let in who knows the token; return the nonces of the collector and of the agent."""
        ours = secrets.token_bytes(NONCE_BYTES)
        hello = struct.pack("<I", VERSION) + ours
        send_frame(stream, WireKind.HELLO, hello, limit_s=_GREETING_S)
        kind, proof = receive_frame(stream, limit_s=_GREETING_S, most=256)
        if kind is not WireKind.PROOF or len(proof) != 4 + NONCE_BYTES + PROOF_BYTES:
            raise _Refusal("expected a proof of the token")
        [version] = struct.unpack_from("<I", proof)
        if version != VERSION:
            raise _Refusal(
                f"the collector speaks version {version}, this agent {VERSION}; install the "
                "same lanescope on both machines"
            )
        theirs, shown = bytes(proof[4 : 4 + NONCE_BYTES]), bytes(proof[4 + NONCE_BYTES :])
        if not is_proof(shown, self._token, b"collector", ours, theirs):
            raise _Refusal("the token is wrong; it is the one that this agent printed or was given")
        return theirs, ours

    def _answer_all(self, stream: socket.socket, proof: bytes, name: str) -> None:
        """Answer one frame after the other, until the collector leaves."""
        self._tell(f"{name} collects")
        size = struct.pack("<Q", len(self._transport.image))
        send_frame(stream, WireKind.WELCOME, proof + size, limit_s=_GREETING_S)
        while True:
            kind, asked = receive_frame(stream, limit_s=IDLE_S)
            self._transport.fence()
            try:
                answer = self._answer(kind, asked)
            except (ValueError, TransportError) as error:
                raise _Refusal(str(error)) from None
            self._transport.fence()
            send_frame(stream, WireKind.DATA, answer, limit_s=IDLE_S)

    def _answer(self, kind: WireKind, asked: bytearray) -> bytes:
        if kind is WireKind.ENDED:
            return bytes([self._has_ended()])
        if kind not in (WireKind.READ, WireKind.WRITE) or len(asked) % PAIR.size:
            raise ValueError(
                f"expected a question, found {many_text(len(asked), 'byte')} of {kind.name}"
            )
        pairs = list(PAIR.iter_unpack(asked))
        return self._read(pairs) if kind is WireKind.READ else self._write(pairs)

    def _read(self, ranges: list[tuple[int, int]]) -> bytes:
        image = self._transport.image
        if sum(size for _, size in ranges) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes were asked for at once")
        for offset, size in ranges:
            if offset + size > len(image):
                raise ValueError(
                    f"bytes {offset} to {offset + size} were asked for, and the region has "
                    f"{len(image)}"
                )
        self._transport.read(*ranges)
        return b"".join(image[offset : offset + size].tobytes() for offset, size in ranges)

    def _write(self, words: list[tuple[int, int]]) -> bytes:
        for offset, _ in words:
            require_host_word(offset, self._header)
        for offset, value in words:
            self._transport.image[offset : offset + 8].view(np.uint64)[0] = value
        self._transport.write(*(offset for offset, _ in words))
        return b""


class _Refusal(Exception):
    """Why a collector is sent away."""
