"""A core behind a probe agent, as the probe's experiments see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from lanescope.chunks import Clocks
from lanescope.device.perfmon import WORD, Buffer
from lanescope.errors import UsageError
from lanescope.probe.conversation import AgentConversation
from lanescope.probe.device import ProbeStopped, Step
from lanescope.probe.lines import PIECE_BYTES, WrongLine, maybe_number, number, octets, shown
from lanescope.trace.pipes import PIPES

ADDRESS_LIMIT = 1 << 48
"""Addresses are below: the engine's two base registers hold 48 bits."""
COUNTER_LIMIT = 1 << 63
_MOST_HZ = 10**12
_MOST_HANDLES = 1 << 31


class AgentCore:
    """A `BringUp` whose every access is a request to an agent."""

    def __init__(self, agent: AgentConversation) -> None:
        """Ask the agent what it has.

        Raises:
            ProbeStopped: it does not answer, or has clocks that no stream can have.
        """
        self._agent = agent
        self._handles: dict[int, int] = {}
        """Virtual address of a buffer to the agent's number of it."""
        core_hz, counter_hz, self.can_invalidate, self.pipes = agent.ask(_about, "about")
        try:
            self.clocks = Clocks(core_hz, counter_hz)
        except UsageError as error:
            raise ProbeStopped(f"the agent's clocks cannot be right: {error}") from error

    def read(self, offset: int) -> int:
        """Read a 32-bit register of the core."""
        return self._agent.ask(lambda values: _one(values, WORD + 1), "read", f"{offset:#x}")

    def write(self, offset: int, value: int) -> None:
        """Write a 32-bit register of the core."""
        self._agent.ask(_nothing, "write", f"{offset:#x}", f"{value:#x}")

    def counter(self) -> int:
        """Read the system counter."""
        return self._agent.ask(lambda values: _one(values, COUNTER_LIMIT), "counter")

    def run_kernel(self, steps: Sequence[Step]) -> None:
        """Run a kernel of these steps to its end."""
        told = (f"{step.pipe}:{step.cycles}:{step.mark}" for step in steps)
        self._agent.ask(_nothing, "kernel", *told)

    def allocate(self, size: int) -> Buffer:
        """Allocate memory that nobody has read yet."""
        handle, buffer = self._agent.ask(lambda values: _buffer(values, size), "alloc", str(size))
        if buffer.virtual in self._handles:
            raise ProbeStopped(f"the agent gave the address {buffer.virtual:#x} twice")
        self._handles[buffer.virtual] = handle
        return buffer

    def map_for_engine(self, buffer: Buffer) -> int | None:
        """Map a buffer for the engine's own stream; None where the agent knows of none."""
        return self._agent.ask(_maybe_address, "map", self._handle(buffer))

    def fill(self, buffer: Buffer, data: bytes) -> None:
        """Write to memory past the agent's cache."""
        for at in range(0, len(data), PIECE_BYTES):
            piece = data[at : at + PIECE_BYTES]
            self._agent.ask(_nothing, "fill", self._handle(buffer), str(at), piece.hex())

    def peek(self, buffer: Buffer) -> bytes:
        """Read memory through the agent's cache."""
        return b"".join(
            self._piece(buffer, at, min(PIECE_BYTES, buffer.size - at))
            for at in range(0, buffer.size, PIECE_BYTES)
        )

    def _piece(self, buffer: Buffer, at: int, size: int) -> bytes:
        return self._agent.ask(
            lambda values: octets(_single(values), size),
            *("peek", self._handle(buffer), str(at), str(size)),
        )

    def invalidate(self, buffer: Buffer) -> None:
        """Drop a buffer from the agent's cache."""
        self._agent.ask(_nothing, "drop", self._handle(buffer))

    def _handle(self, buffer: Buffer) -> str:
        return str(self._handles[buffer.virtual])


def _about(values: list[str]) -> tuple[int, int, bool, tuple[str, ...]]:
    """Read `CORE_HZ COUNTER_HZ INVALIDATE PIPE…`."""
    if len(values) < 4:
        _wrong("two clocks, 0 or 1, and pipes", values)
    core_hz, counter_hz = (number(value, _MOST_HZ) for value in values[:2])
    pipes = tuple(values[3:])
    if values[2] not in ("0", "1") or set(pipes) - set(PIPES) or len(set(pipes)) < len(pipes):
        _wrong(f"0 or 1, and pipes of {', '.join(PIPES)}", values[2:])
    return core_hz, counter_hz, values[2] == "1", pipes


def _buffer(values: list[str], size: int) -> tuple[int, Buffer]:
    """Read `HANDLE VIRTUAL PHYSICAL`."""
    if len(values) != 3:
        _wrong("a buffer's number and its two addresses", values)
    virtual = number(values[1], ADDRESS_LIMIT - size)
    physical = maybe_number(values[2], ADDRESS_LIMIT - size)
    return number(values[0], _MOST_HANDLES), Buffer(virtual, physical, size)


def _maybe_address(values: list[str]) -> int | None:
    return maybe_number(_single(values), ADDRESS_LIMIT)


def _one(values: list[str], below: int) -> int:
    return number(_single(values), below)


def _single(values: list[str]) -> str:
    if len(values) != 1:
        _wrong("one value", values)
    return values[0]


def _nothing(values: list[str]) -> None:
    if values:
        _wrong("no value", values)


def _wrong(expected: str, values: list[str]) -> NoReturn:
    raise WrongLine(f"expected {expected}, found {shown(' '.join(values))}")
