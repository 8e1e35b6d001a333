"""Locks that other processes see. The system gives them up when their holder ends, however it ends.

Linux and macOS lock files and folders (flock). Windows locks files only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def lock_now(handle: int) -> None:
        """Lock an open file for this process alone; BlockingIOError: another process has it."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from error

else:
    import fcntl

    def open_any(path: Path) -> int:
        """Open a file or folder, and no link to one, to lock it."""
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)

    def lock_now(handle: int) -> None:
        """Lock an open file for this process alone; BlockingIOError: another process has it."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lock(handle: int) -> None:
        """Lock an open file or folder for this process alone; waits for whoever has it."""
        fcntl.flock(handle, fcntl.LOCK_EX)

    def lock_shared(handle: int) -> None:
        """Lock an open file together with others; waits for whoever has it alone."""
        fcntl.flock(handle, fcntl.LOCK_SH)

    def unlock(handle: int) -> None:
        """Give up the lock, also where a copy of the handle stays open, as a mapping has one."""
        fcntl.flock(handle, fcntl.LOCK_UN)
