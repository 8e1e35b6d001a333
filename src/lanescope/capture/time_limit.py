"""The time that a program may take: it is asked to end, and killed where it does not."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

GRACE_S = 5.0
"""How long a program has from the moment in which it is asked to end until it is killed."""


class TimeLimit:
    """Ends a program that runs for too long.

    Args:
        program: The program; its time begins now.
        seconds: How long it may run; without it, for ever.
        clock: Seconds on any clock that does not step.
    """

    def __init__(
        self,
        program: subprocess.Popen[bytes],
        seconds: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.reached = False
        """Whether the program was asked to end."""
        self._program = program
        self._clock = clock
        self._next = None if seconds is None else clock() + seconds

    def look(self) -> None:
        """Ask the program to end where its time is over, and kill it where it did not."""
        if self._next is None or self._clock() < self._next:
            return
        if self.reached:
            self._program.kill()
            self._next = None
        else:
            self._program.terminate()
            self.reached, self._next = True, self._clock() + GRACE_S
