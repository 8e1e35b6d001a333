"""A disk that loses power: file operations as the shim wrote them down, and what may be left.

A file has what was written when it was synced last; what came later is lost, zeroed or there. A
directory has the names of its last sync or those of now, each directory for itself. That is less
than Linux's file systems promise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

Tree = dict[str, bytes]
"""Path of each file below a folder → its content."""


class Step(NamedTuple):
    """One operation of the journal."""

    what: str
    path: str
    other: str
    offset: int
    data: bytes


@dataclass(eq=False)
class _File:
    now: bytes = b""
    synced: bytes = b""


@dataclass(eq=False)
class _Folder:
    now: dict[str, _File | _Folder] = field(default_factory=dict)
    synced: dict[str, _File | _Folder] = field(default_factory=dict)


def read_journal(file: Path) -> list[Step]:
    """The operations that the shim wrote down, in their order."""
    text, at, steps = file.read_bytes(), 0, []
    while at < len(text):
        words = []
        for _ in range(5):
            end = text.index(b"\0", at)
            words.append(text[at:end].decode())
            at = end + 1
        what, path, other, offset, size = words
        steps.append(Step(what, path, other, int(offset), text[at : at + int(size)]))
        at += int(size)
    return steps


def tree_of(folder: Path) -> Tree:
    """The files below a folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


class Disk:
    """A folder on a disk, operation by operation."""

    def __init__(self, folder: Path) -> None:
        """All that is in the folder is on the disk."""
        self._root = str(folder)
        self._top = _read(folder)

    def images(self) -> Iterator[Tree]:
        """What the folder may be after a power loss at this moment."""
        torn: list[_Folder] = []
        _torn(self._top, torn, set())
        for choice in product((False, True), repeat=len(torn)):
            kept = {id(one) for one, is_kept in zip(torn, choice, strict=True) if is_kept}
            for unsynced in ("lost", "zeroed", "there"):
                tree: Tree = {}
                _collect(self._top, "", kept, unsynced, tree)
                yield tree

    def apply(self, step: Step) -> None:
        """Do one operation."""
        folder, name = self._parent(step.path)
        if step.what == "mkdir":
            folder.now[name] = _Folder()
        elif step.what in ("create", "empty"):
            file = folder.now.setdefault(name, _File())
            if step.what == "empty" and isinstance(file, _File):
                file.now = b""
        elif step.what == "remove":
            del folder.now[name]
        elif step.what in ("rename", "exchange"):
            self._rename(step, folder, name)
        else:
            self._change(step, folder.now[name] if name else folder)

    def _rename(self, step: Step, folder: _Folder, name: str) -> None:
        into, other = self._parent(step.other)
        moved, before = folder.now.pop(name), into.now.pop(other, None)
        into.now[other] = moved
        if step.what == "exchange":
            assert before is not None
            folder.now[name] = before

    def _change(self, step: Step, one: _File | _Folder) -> None:
        if step.what == "sync" and isinstance(one, _Folder):
            one.synced = dict(one.now)
        elif isinstance(one, _Folder):
            raise AssertionError(f"{step.what} of a folder")
        elif step.what == "sync":
            one.synced = one.now
        elif step.what == "cut":
            one.now = one.now[: step.offset].ljust(step.offset, b"\0")
        elif step.what == "write":
            end = step.offset + len(step.data)
            one.now = one.now[: step.offset].ljust(step.offset, b"\0") + step.data + one.now[end:]
        else:
            raise AssertionError(f"{step.what} is not known")

    def _parent(self, path: str) -> tuple[_Folder, str]:
        """The folder of a path and the name in it; no name for the whole disk."""
        *above, name = path.removeprefix(self._root).strip("/").split("/")
        folder = self._top
        for part in above:
            below = folder.now[part]
            assert isinstance(below, _Folder)
            folder = below
        return folder, name


def _read(folder: Path) -> _Folder:
    found: dict[str, _File | _Folder] = {}
    for path in folder.iterdir():
        text = b"" if path.is_dir() else path.read_bytes()
        found[path.name] = _read(path) if path.is_dir() else _File(text, text)
    return _Folder(found, dict(found))


def _torn(folder: _Folder, found: list[_Folder], seen: set[int]) -> None:
    """Folders, now or at their last sync, whose names are not on the disk yet."""
    if id(folder) in seen:
        return
    seen.add(id(folder))
    if folder.now != folder.synced:
        found.append(folder)
    for one in [*folder.now.values(), *folder.synced.values()]:
        if isinstance(one, _Folder):
            _torn(one, found, seen)


def _collect(folder: _Folder, place: str, kept: set[int], unsynced: str, tree: Tree) -> None:
    for name, one in (folder.now if id(folder) in kept else folder.synced).items():
        if isinstance(one, _Folder):
            _collect(one, f"{place}{name}/", kept, unsynced, tree)
        elif one.now == one.synced or unsynced == "there":
            tree[f"{place}{name}"] = one.now
        else:
            tree[f"{place}{name}"] = one.synced if unsynced == "lost" else _zeros(len(one.now))


@cache
def _zeros(size: int) -> bytes:
    return bytes(size)
