"""The agent's side of the line protocol, for a core that Python can reach.

An agent for a board is the C program in `examples/probe_agent`; this one serves simulated cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from lanescope.device.perfmon import WORD, Buffer, stop_engine
from lanescope.probe.device import BringUp, Step
from lanescope.probe.lines import (
    GREETING,
    LINE_BYTES,
    MOST_BUFFERS,
    NONE,
    PIECE_BYTES,
    WrongLine,
    number,
    octets,
    shown,
)

_MOST_BYTES = 1 << 20
"""The largest buffer that can be had."""
_MOST_STEPS = 64
_MOST_CYCLES = 1 << 20
_MARKS = 1 << 10


def serve(device: BringUp, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until they end or say `bye`; then switch the engine off."""
    agent = _Agent(device)
    try:
        answers.write(f"{GREETING}\n".encode())
        answers.flush()
        while line := requests.readline(LINE_BYTES + 1):
            words = line.decode("ascii", errors="replace").rstrip("\n").split(" ")
            answers.write(f"{agent.answer(words)}\n".encode("ascii", errors="replace"))
            answers.flush()
            if words[1:] == ["bye"] or not line.endswith(b"\n"):
                break
    except BrokenPipeError:
        pass  # nobody listens any more
    finally:
        stop_engine(device)


class _Agent:
    """What a request means on a device."""

    def __init__(self, device: BringUp) -> None:
        self._device = device
        self._buffers: list[Buffer] = []

    def answer(self, words: Sequence[str]) -> str:
        """Return the answer to one request."""
        asked = words[0] if words[0].isdecimal() else "0"
        try:
            if len(words) < 2 or asked != words[0]:
                raise WrongLine(f"expected 'NUMBER WORD …', found {shown(' '.join(words))}")
            return " ".join([asked, "ok", *self._values(words[1], words[2:])])
        except (WrongLine, ValueError) as wrong:
            return f"{asked} error {wrong}"

    def _values(self, word: str, rest: Sequence[str]) -> list[str]:
        does = {
            "about": (0, self._about),
            "read": (1, self._read),
            "write": (2, self._write),
            "counter": (0, self._counter),
            "alloc": (1, self._alloc),
            "map": (1, self._map),
            "fill": (3, self._fill),
            "peek": (3, self._peek),
            "drop": (1, self._drop),
            "kernel": (len(rest), self._kernel),
            "bye": (0, self._bye),
        }
        if word not in does or len(rest) != does[word][0]:
            raise WrongLine(f"no request '{word}' with {len(rest)} arguments")
        return does[word][1](*rest)  # type: ignore[operator, no-any-return]

    def _about(self) -> list[str]:
        device = self._device
        clocks = (str(device.clocks.core_hz), str(device.clocks.counter_hz))
        return [*clocks, str(int(device.can_invalidate)), *device.pipes]

    def _read(self, offset: str) -> list[str]:
        try:
            return [str(self._device.read(number(offset, WORD)))]
        except KeyError:
            raise WrongLine(f"no register at {offset}") from None

    def _write(self, offset: str, value: str) -> list[str]:
        self._device.write(number(offset, WORD), number(value, WORD + 1))
        return []

    def _counter(self) -> list[str]:
        return [str(self._device.counter())]

    def _alloc(self, size: str) -> list[str]:
        if len(self._buffers) == MOST_BUFFERS:
            raise WrongLine(f"all {MOST_BUFFERS} buffers are taken")
        buffer = self._device.allocate(number(size, _MOST_BYTES + 1))
        self._buffers.append(buffer)
        physical = NONE if buffer.physical is None else f"{buffer.physical:#x}"
        return [str(len(self._buffers) - 1), f"{buffer.virtual:#x}", physical]

    def _map(self, handle: str) -> list[str]:
        address = self._device.map_for_engine(self._buffer(handle))
        return [NONE if address is None else f"{address:#x}"]

    def _fill(self, handle: str, start: str, data: str) -> list[str]:
        size = len(data) // 2
        self._device.fill(self._part(handle, start, size), octets(data, size))
        return []

    def _peek(self, handle: str, start: str, size: str) -> list[str]:
        part = self._part(handle, start, number(size, PIECE_BYTES + 1))
        return [self._device.peek(part).hex()]

    def _drop(self, handle: str) -> list[str]:
        self._device.invalidate(self._buffer(handle))
        return []

    def _kernel(self, *steps: str) -> list[str]:
        if not 0 < len(steps) <= _MOST_STEPS:
            raise WrongLine(f"expected 1 to {_MOST_STEPS} steps, found {len(steps)}")
        self._device.run_kernel([self._step(step) for step in steps])
        return []

    def _step(self, text: str) -> Step:
        pipe, *rest = text.split(":")
        if pipe not in self._device.pipes or len(rest) != 2:
            raise WrongLine(f"expected PIPE:CYCLES:MARK, found {shown(text)}")
        return Step(pipe, number(rest[0], _MOST_CYCLES), number(rest[1], _MARKS))

    def _bye(self) -> list[str]:
        return []

    def _buffer(self, handle: str) -> Buffer:
        return self._buffers[number(handle, len(self._buffers))]

    def _part(self, handle: str, start: str, size: int) -> Buffer:
        buffer = self._buffer(handle)
        return buffer.inner(number(start, buffer.size - size + 1), size)
