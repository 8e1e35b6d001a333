"""The link to the host: exact picoseconds for bytes, however the bytes are cut up."""

from __future__ import annotations

from typing import Protocol

from lanescope.errors import UsageError
from lanescope.model.memory.access import PS_PER_S


class AnyLink(Protocol):
    """A link to the host: it turns bytes into picoseconds."""

    bytes_per_s: int

    def fresh(self) -> AnyLink:
        """The same link before its first byte."""
        ...

    def charge_ps(self, size_bytes: int) -> int:
        """Picoseconds that so many bytes take; the link remembers them."""
        ...


def positive(name: str, value: int) -> int:
    """The value itself; a UsageError where it is 0 or less."""
    if value <= 0:
        raise UsageError(f"{name}: expected more than 0, found {value:,}; give a positive number")
    return value


class ExactLink:
    """A link whose charges add up to the exact time of all bytes, rounded down once."""

    def __init__(self, bytes_per_s: int) -> None:
        self.bytes_per_s = positive("host bandwidth (bytes/s)", bytes_per_s)
        self._bytes = 0

    def fresh(self) -> ExactLink:
        """The same link before its first byte."""
        return ExactLink(self.bytes_per_s)

    def charge_ps(self, size_bytes: int) -> int:
        """Picoseconds that so many bytes take after those charged before."""
        before = self._bytes * PS_PER_S // self.bytes_per_s
        self._bytes += size_bytes
        return self._bytes * PS_PER_S // self.bytes_per_s - before
