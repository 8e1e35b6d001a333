"""The transport to an agent: the region is on another machine, whose agent reads and writes it.

An answer is put into the image when all of it has arrived and its checksum is right.
"""

from __future__ import annotations

import os
import secrets
import socket
import struct
from collections.abc import Iterable, Iterator

from lanescope.device.agent.fair_lock import FairLock
from lanescope.device.agent.proof import NONCE_BYTES, PROOF_BYTES, VARIABLE, is_proof, proof_of
from lanescope.device.agent.wire import (
    MOST_BYTES,
    PAIR,
    VERSION,
    WireError,
    WireKind,
    address_of,
    receive_frame,
    send_frame,
)
from lanescope.device.head import Array
from lanescope.device.shadow import ShadowCopy
from lanescope.device.transport import require_host_word
from lanescope.errors import TransportError, UsageError
from lanescope.render.cells import many_text

_MOST_REGION = 1 << 36
"""Largest region that is believed, in bytes."""
_PART = MOST_BYTES // 2
"""How many bytes are asked for at a time."""
_MOST_PAIRS = MOST_BYTES // PAIR.size


class Socket(ShadowCopy):
    """A transport to a region on another machine, through `lanescope agent` there.

    The two ends prove to each other that they know the token, which does not travel. The records
    are not encrypted: over a network that is not yours, use an SSH tunnel.

    Args:
        address: HOST:PORT on which the agent listens.
        token: The agent's token; without it the environment variable LANESCOPE_TOKEN has it.
        limit_s: How long an answer may take, in seconds.

    Raises:
        UsageError: The address is not HOST:PORT, or there is no token.

    Examples:
        >>> lanescope.Socket("127.0.0.1:7070", token="a token of the agent").name
        'agent 127.0.0.1:7070'
    """

    def __init__(self, address: str, *, token: str | None = None, limit_s: float = 10.0) -> None:
        super().__init__(self._pull_one, self._push_none, size=0, name=f"agent {address}")
        try:
            self._address = address_of(address)
        except ValueError as error:
            raise UsageError(str(error)) from None
        found = os.environ.get(VARIABLE) if token is None else token
        if not found:
            where = VARIABLE if token is None else "token="
            raise UsageError(
                f"expected the agent's token in {where}, found none; 'lanescope agent' prints it"
            )
        self._token = found
        self._limit_s = limit_s
        self._stream: socket.socket | None = None
        self._turns = FairLock()
        self._broken: TransportError | None = None
        self._is_open = False

    def place(self, first_bytes: Array, region_bytes: int) -> None:
        """Refuse it: the program on the other machine makes the region."""
        raise UsageError(
            f"{self.name}: the region is made by the program on its machine; leave out region=…"
        )

    def open(self) -> None:
        """Connect, prove that the token is known, and copy the head of the region."""
        try:
            self._stream = socket.create_connection(self._address, self._limit_s)
        except OSError as error:
            raise TransportError(
                f"{self.name}: cannot be reached ({error.strerror or error}); is 'lanescope agent' "
                "running there?"
            ) from error
        self._stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.size = self._greet()
        super().open()
        self._is_open = True

    def read(self, *ranges: tuple[int, int]) -> None:
        """Ask the agent for ranges of bytes, and put them into the image."""
        for offset, data in self._bring(ranges):
            self.image[offset : offset + len(data)].data[:] = data

    def write(self, *words: int) -> None:
        """Have the agent write words of the host, one by one.

        Raises:
            ValueError: a word belongs to the device; nothing was written.
        """
        for offset in words:
            require_host_word(offset, self._header)
        values = [int.from_bytes(self.image[at : at + 8].data, "little") for at in words]
        pairs = list(map(PAIR.pack, words, values))
        for first in range(0, len(pairs), _MOST_PAIRS):
            self._ask(WireKind.WRITE, b"".join(pairs[first : first + _MOST_PAIRS]), 0)

    def fence(self) -> None:
        """Do nothing: the agent has a fence between two answers."""

    def has_ended(self) -> bool:
        """Say whether nobody records into the region any more, as the agent sees it."""
        return any(self._ask(WireKind.ENDED, b"", 1))

    def close(self) -> None:
        """End the connection."""
        if self._stream is not None:
            self._stream.close()

    def _greet(self) -> int:
        """Shake hands; return the size of the region."""
        kind, hello = self._receive(None)
        if kind is not WireKind.HELLO or len(hello) < 4:
            raise self._break("did not greet as an agent does")
        [version] = struct.unpack_from("<I", hello)
        if version != VERSION:
            raise self._break(
                f"speaks version {version}, and this lanescope version {VERSION}; install the same "
                "lanescope on both machines"
            )
        if len(hello) != 4 + NONCE_BYTES:
            raise self._break("did not greet as an agent does")
        theirs, ours = bytes(hello[4:]), secrets.token_bytes(NONCE_BYTES)
        proof = proof_of(self._token, b"collector", theirs, ours)
        welcome = self._ask(
            WireKind.PROOF, struct.pack("<I", VERSION) + ours + proof, PROOF_BYTES + 8
        )
        if not is_proof(bytes(welcome[:PROOF_BYTES]), self._token, b"agent", theirs, ours):
            raise self._break("does not know the token, so it is not the agent that printed it")
        size = int.from_bytes(welcome[PROOF_BYTES:], "little")
        if size > _MOST_REGION:
            raise self._break(
                f"has a region of {size:,} bytes, where {_MOST_REGION:,} are the most"
            )
        return size

    def _ask(self, kind: WireKind, payload: bytes, size: int) -> bytearray:
        """Return the answer to a frame, which has so many bytes."""
        with self._turns:
            if self._broken is not None:
                raise self._broken
            assert self._stream is not None
            try:
                send_frame(self._stream, kind, payload, limit_s=self._limit_s)
            except WireError as error:
                # A sentence of the agent may say why.
                self._receive(WireError(str(error)))
                raise self._break(str(error)) from None
            expected = WireKind.WELCOME if kind is WireKind.PROOF else WireKind.DATA
            found, answer = self._receive(None)
            if found is not expected or len(answer) != size:
                raise self._break(
                    f"expected {many_text(size, 'byte')} of {expected.name}, found "
                    f"{len(answer):,} of {found.name}"
                )
            return answer

    def _receive(self, instead: WireError | None) -> tuple[WireKind, bytearray]:
        """Return the next frame; `instead` is the failure that is told where none comes."""
        assert self._stream is not None
        try:
            kind, answer = receive_frame(self._stream, limit_s=self._limit_s)
        except WireError as error:
            raise self._break(str(instead or error)) from None
        if kind is WireKind.REFUSED:
            text = bytes(answer[:300]).decode("utf-8", "replace")
            said = "".join(one if one.isprintable() else "?" for one in text)
            raise self._break(f"refuses: {said}")
        return kind, answer

    def _break(self, why: str) -> TransportError:
        """End the connection; return what is said now and at every further call."""
        kept = "; what was drained before is kept" if self._is_open else ""
        self._broken = TransportError(f"{self.name}: {why}{kept}")
        self.close()
        return self._broken

    def _pull_one(self, offset: int, target: memoryview) -> None:
        for at, data in self._bring([(offset, len(target))]):
            target[at - offset : at - offset + len(data)] = data

    def _bring(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, memoryview]]:
        """Yield an offset and the device's bytes from there on, until all ranges have come."""
        for parts in _batches(ranges):
            size = sum(size for _, size in parts)
            answer = self._ask(WireKind.READ, b"".join(PAIR.pack(*part) for part in parts), size)
            at, data = 0, memoryview(answer)
            for offset, count in parts:
                yield offset, data[at : at + count]
                at += count

    def _push_none(self, offset: int, data: memoryview) -> None:
        raise AssertionError("a word is written by an agent")


def _batches(ranges: Iterable[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield ranges that fit into one answer; a large one is cut into several."""
    parts, room = list[tuple[int, int]](), _PART
    for offset, size in ranges:
        while size:
            if not room or len(parts) == _MOST_PAIRS:
                yield parts
                parts, room = [], _PART
            count = min(size, room)
            parts.append((offset, count))
            offset, size, room = offset + count, size - count, room - count
    if parts:
        yield parts
