"""Functions that workers call in tests; a module of its own, so that other processes find them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from lanescope.errors import InputError


def length(key: str) -> int:
    return len(key)


def picky(key: str) -> str:
    """Answers with the key; what the key says may go wrong does."""
    if "damaged" in key:
        raise InputError(key, "is damaged; import the source again")
    if "missing" in key:
        raise FileNotFoundError(2, "No such file or directory", key)
    if "bug" in key:
        raise ZeroDivisionError("division by zero")
    if "killer" in key:
        os.kill(os.getpid(), signal.SIGKILL)
    return key.upper()


def killed_once(folder: str, key: str) -> str:
    """Ends its worker the first time that it sees the key `once`."""
    seen = Path(folder, "seen")
    if key == "once" and not seen.exists():
        seen.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return key.upper()


def process(key: str) -> tuple[int, str]:
    """The process that works, and how many threads it was told to use."""
    time.sleep(0.02)
    return os.getpid(), os.environ.get("OMP_NUM_THREADS", "")


def sleepy(folder: str, key: str) -> str:
    """Says in a file who works, then takes long."""
    Path(folder, f"{os.getpid()}.pid").touch()
    time.sleep(0 if key == "quick" else 60)
    return key
