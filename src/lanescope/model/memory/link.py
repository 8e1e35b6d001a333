"""The link to the host: bytes to picoseconds, exactly, however the bytes are cut up."""

from __future__ import annotations

from typing import Protocol

from lanescope.errors import UsageError
from lanescope.model.memory.access import PS_PER_S


class AnyLink(Protocol):
    """Turns bytes into time."""

    bytes_per_s: int

    def fresh(self) -> AnyLink:
        """The same link before its first byte."""
        ...

    def charge_ps(self, size_bytes: int) -> int:
        """Time of these bytes on the link; the link remembers them."""
        ...


def positive(name: str, value: int) -> int:
    """The value, or a refusal: nothing divides by zero later."""
    if value <= 0:
        raise UsageError(f"{name}: expected more than 0, found {value:,}; give a positive number")
    return value


class Link:
    """Charges so that the sum over any cutting of the bytes is the exact time rounded down once."""

    def __init__(self, bytes_per_s: int) -> None:
        self.bytes_per_s = positive("host bandwidth (bytes/s)", bytes_per_s)
        self._bytes = 0

    def fresh(self) -> Link:
        return Link(self.bytes_per_s)

    def charge_ps(self, size_bytes: int) -> int:
        before = self._bytes * PS_PER_S // self.bytes_per_s
        self._bytes += size_bytes
        return self._bytes * PS_PER_S // self.bytes_per_s - before
