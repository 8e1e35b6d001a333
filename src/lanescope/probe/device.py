"""What the probe needs of a core under test. Write such a class for your chip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from lanescope.chunks import Clocks
from lanescope.device.perfmon import Buffer
from lanescope.errors import LanescopeError


class ProbeStopped(LanescopeError):
    """The device under test is lost or refuses; what was found out before is kept."""


class Step(NamedTuple):
    """One step of a kernel: a pipe is busy for so many core cycles.

    Steps run one after the other. The region numbered `mark` begins and ends with the step: a
    `mark_stamp` with bit 10 set at its begin, and with bits 10 and 11 set at its end.
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
        """Pipes that a kernel can use on this core."""

    @property
    def can_invalidate(self) -> bool:
        """Whether the caller can drop a buffer from its cache."""

    def read(self, offset: int) -> int:
        """Read a 32-bit register of the core."""

    def write(self, offset: int, value: int) -> None: ...

    def counter(self) -> int:
        """Read the system counter."""

    def run_kernel(self, steps: Sequence[Step]) -> None:
        """Run a kernel of these steps to its end."""

    def allocate(self, size: int) -> Buffer:
        """Allocate memory that nobody has read yet.

        Its virtual address is the one that kernels use. Its physical address is None where the
        platform does not tell it.
        """

    def map_for_engine(self, buffer: Buffer) -> int | None:
        """Map a buffer for the engine's own stream of the SMMU; return its address there.

        None where the platform knows of no such stream.
        """

    def fill(self, buffer: Buffer, data: bytes) -> None:
        """Write to memory past the caller's cache."""

    def peek(self, buffer: Buffer) -> bytes:
        """Read memory through the caller's cache."""

    def invalidate(self, buffer: Buffer) -> None: ...
