"""Puts a directory in its place, whole or not at all, and sweeps what killed writers left.

A writer fills a draft beside the target, a directory `.NAME.draft-XXXXXXXX` that it holds a lock
on. The system gives up the lock when the writer ends, however it ends. So a draft that can be
locked is nobody's, also where writers in several containers share a disk. Windows has no locks on
directories, so nothing is swept there.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lanescope.errors import OutputError
from lanescope.trace import locks

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


def replace_directory(target: Path, write: Callable[[Path], None]) -> Path:
    """Let `write` fill a draft, then put that at `target`, whole or not at all.

    Returns `target`. What cannot be written is an OutputError, and then `target` is as it was.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        with _draft(target) as draft:
            write(draft)
            draft.chmod(0o777 & ~_umask())
            _put(draft, target)
    except OSError as error:
        raise OutputError(
            f"{target} could not be written ({error.strerror or error}); "
            "free some space or choose another place with -o"
        ) from error
    return target


def _prefix(target: Path) -> str:
    return f".{target.name}.draft-"


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A new directory beside the target, locked; what is at its name is removed at the end."""
    while True:
        draft = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
        with _held(draft):
            if not draft.is_dir():
                continue  # another writer swept it before it was locked
            try:
                yield draft
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        return


def _sweep(target: Path) -> None:
    """Remove what killed writers of the same target left."""
    if sys.platform == "win32":
        return
    prefix = _prefix(target)
    for left in [one for one in target.parent.iterdir() if one.name.startswith(prefix)]:
        with suppress(OSError):  # its writer lives, it is gone, or this disk has no locks
            handle = locks.open_folder(left)
            try:
                locks.lock_now(handle)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock a directory, where the disk has locks; where it has none, nobody sweeps there."""
    if sys.platform == "win32":
        yield
        return
    try:
        handle = locks.open_folder(folder)
    except FileNotFoundError:
        yield
        return
    try:
        with suppress(OSError):
            locks.lock(handle)
        yield
    finally:
        os.close(handle)


def _put(temporary: Path, target: Path) -> None:
    """Put the new directory in place; where Linux can, it is swapped with the old in one step."""
    if not target.exists():
        temporary.rename(target)
    elif not _exchange(temporary, target):
        old = temporary.with_name(f"{temporary.name}.old")
        with _held(target):
            target.rename(old)
            try:
                temporary.rename(target)
            except OSError:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two directories atomically with renameat2(2); False where the system cannot."""
    if sys.platform != "linux":
        return False
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    paths = [os.fsencode(path.absolute()) for path in (one, other)]
    done: int = renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    return done == 0


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
