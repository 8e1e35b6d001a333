"""What the probe needs of a core under test; write one for your chip and give it to the probe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from lanescope.chunks import Clocks
from lanescope.device.perfmon import Buffer


class Step(NamedTuple):
    """One piece of a kernel of known shape: a pipe is busy for so many core cycles.

    Steps run one after the other. Region `mark` begins and ends with it (`mark_stamp` with bit 10
    set, and bit 11 at the end).
    """

    pipe: str
    cycles: int
    mark: int


class BringUp(Protocol):
    """One core, its registers, and memory that both it and the caller see."""

    @property
    def clocks(self) -> Clocks: ...

    @property
    def pipes(self) -> Sequence[str]:
        """Those that a kernel can use."""

    @property
    def can_invalidate(self) -> bool:
        """The caller has a way to drop a buffer from its cache."""

    def read(self, offset: int) -> int:
        """A 32-bit register of the core."""

    def write(self, offset: int, value: int) -> None: ...

    def counter(self) -> int:
        """The system counter now."""

    def run_kernel(self, steps: Sequence[Step]) -> None:
        """Run to the end."""

    def allocate(self, size: int) -> Buffer:
        """Fresh memory that nobody has read; with its virtual and its physical address."""

    def fill(self, buffer: Buffer, data: bytes) -> None:
        """Write past the cache."""

    def peek(self, buffer: Buffer) -> bytes:
        """Read through the cache."""

    def invalidate(self, buffer: Buffer) -> None: ...
