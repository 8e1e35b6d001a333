"""Signals that ask a collector to end: they go on to the program that it collects from.

The program decides what to do with them. The collector ends when the program has ended, as always,
so what was recorded until then is kept.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Forwarder:
    """Sends signals on to a program, also those that came before the program was started."""

    def __init__(self) -> None:
        self._program: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._interrupts = 0

    def send_to(self, program: subprocess.Popen[bytes]) -> None:
        """Name the program that gets the signals."""
        self._program = program
        for number in self._early:
            self.handle(number, None)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Send one signal on.

        An interrupt from the keyboard has reached the program already. The second one ends it.
        """
        if self._program is None:
            self._early.append(number)
            return
        if number == signal.SIGINT:
            self._interrupts += 1
            if self._interrupts > 1:
                number = signal.SIGTERM
            elif _is_in_foreground():
                return
        self._program.send_signal(number)


@contextmanager
def forwarded() -> Iterator[Forwarder]:
    """Send signals on while the context lasts; in a thread, which gets no signals, do nothing."""
    forwarder = Forwarder()
    if threading.current_thread() is not threading.main_thread():
        yield forwarder
        return
    # Who started this with an ignored signal (nohup) wants it ignored.
    asking = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    numbers = [each for each in asking if signal.getsignal(each) != signal.SIG_IGN]
    before = {number: signal.signal(number, forwarder.handle) for number in numbers}
    try:
        yield forwarder
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_in_foreground() -> bool:
    """Say whether this process and its children get the interrupts of a terminal."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
