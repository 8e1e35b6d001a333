"""Puts a file or directory in its place, whole or not at all, and sweeps what killed writers left.

A writer fills a draft beside the target, `.NAME.draft-XXXXXXXX`, that it holds a lock on.
The system gives up the lock when the writer ends, however it ends. So a draft that can be locked is
nobody's, also where writers in several containers share a disk. On Windows a draft has no lock,
and nothing is swept.

The disk has all of a new directory before it has its name, and the name before the old one is
deleted: a machine that loses power has the old one or the new one.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lanescope.errors import OutputError
from lanescope.trace import locks

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h
_OLD = ".old"


def replace_directory(target: Path, write: Callable[[Path], None]) -> Path:
    """Let `write` fill a draft, then put that at `target`, whole or not at all.

    Returns `target`. What cannot be written is an OutputError, and then `target` is as it was.
    """
    return _fill(target, write, _put)


def new_directory(target: Path, write: Callable[[Path], None]) -> Path:
    """Like `replace_directory`, but never in the place of anything: then it is an OutputError.

    Of two that write the same target at the same time one fails.
    """
    return _fill(target, write, _renamed)


def _fill(target: Path, write: Callable[[Path], None], put: Callable[[Path, Path], object]) -> Path:
    try:
        make_parents(target)
        sweep(target)
        with _draft(target) as draft:
            write(draft)
            _sync_all(draft)
            draft.chmod(0o777 & ~_umask())
            put(draft, target)
    except OSError as error:
        raise OutputError(
            f"{target} could not be written ({error.strerror or error}); "
            "free some space or choose another place with -o"
        ) from error
    return target


def remove_directory(target: Path) -> None:
    """Remove a directory: its name first, so that nobody finds a part of it under that name.

    Raises:
        OSError: it could not be removed, and is as it was.
    """
    nobodys = draft_path(target)
    target.rename(nobodys)
    shutil.rmtree(nobodys, ignore_errors=True)


def draft_path(target: Path) -> Path:
    """A name beside the target that `sweep` knows."""
    return target.with_name(f"{_prefix(target)}{secrets.token_hex(4)}")


def make_parents(target: Path) -> None:
    """Make the directories above a target that are missing, so that the disk keeps their names."""
    missing = [one for one in target.absolute().parents if not one.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        sync(one.parent)


def sweep(target: Path) -> None:
    """Remove what killed writers of the same target left; an old one without its name gets it."""
    if sys.platform == "win32":
        return
    prefix = _prefix(target)
    for left in [one for one in target.parent.iterdir() if one.name.startswith(prefix)]:
        with suppress(OSError):  # its writer lives, it is gone, or this disk has no locks
            handle = locks.open_any(left)
            try:
                locks.lock_now(handle)
                if left.name.endswith(_OLD) and not target.exists():
                    left.rename(target)  # its writer was killed before the new one had the name
                else:
                    _remove(left)
            finally:
                os.close(handle)


@contextmanager
def held(draft: Path) -> Iterator[None]:
    """Lock a draft while the context lasts; on a disk without locks nobody sweeps."""
    if sys.platform == "win32":
        yield
        return
    try:
        handle = locks.open_any(draft)
    except FileNotFoundError:
        yield
        return
    try:
        with suppress(OSError):
            locks.lock(handle)
        yield
    finally:
        os.close(handle)


def sync(path: Path) -> None:
    """Have the disk keep what was written, before anything that it replaces is deleted."""
    writable = sys.platform == "win32"
    if writable and path.is_dir():
        return  # Windows opens no folders, and keeps only what is open for writing
    handle = os.open(path, os.O_RDWR if writable else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _prefix(target: Path) -> str:
    return f".{target.name}.draft-"


def _remove(left: Path) -> None:
    if left.is_dir():
        shutil.rmtree(left, ignore_errors=True)
    else:
        left.unlink()


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A new directory beside the target, locked; what is at its name is removed at the end."""
    while True:
        draft = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
        with held(draft):
            if not draft.is_dir():
                continue  # another writer swept it before it was locked
            try:
                yield draft
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        return


def _sync_all(folder: Path) -> None:
    for one in folder.iterdir():
        sync(one)
    sync(folder)


def _put(temporary: Path, target: Path) -> None:
    """Put the new directory in place; where Linux can, it is swapped with the old in one step.

    The disk has the new name when this returns, so that the old directory can be deleted.
    """
    if not target.exists():
        _renamed(temporary, target)
    elif _exchange(temporary, target):
        try:
            sync(target.parent)
        except OSError:
            _exchange(temporary, target)
            raise
    else:
        old = temporary.with_name(f"{temporary.name}{_OLD}")
        with held(target):
            target.rename(old)
            try:
                _renamed(temporary, target)
            except OSError:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)


def _renamed(draft: Path, target: Path) -> None:
    """Rename a directory; where the disk does not keep the new name, it has the old one again."""
    draft.rename(target)
    try:
        sync(target.parent)
    except OSError:
        target.rename(draft)
        raise


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
