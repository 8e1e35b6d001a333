"""Which stored traces there are below a folder or URL."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from lanescope.errors import InputError
from lanescope.trace.places import Place, PlaceLike, place_of, reading
from lanescope.trace.stores import Store

_ENDING = ".lanes"
_META = "meta.json"


def traces_in(place: PlaceLike) -> list[Place]:
    """All stored traces at or below a place, in the order of their paths.

    A stored trace is a folder NAME.lanes with a meta.json; what is inside one is not looked at. On
    a store it is one listing of everything below, a request per 1,000 files on S3.

    Raises:
        InputError: there is no such folder, or it cannot be listed.
    """
    root = place_of(place)
    if root.store is not None:
        return _on_store(root, root.store)
    return [Place(str(path)) for path in _here(Path(root.key))]


def _here(root: Path) -> list[Path]:
    def fail(error: OSError) -> None:
        raise InputError(error.filename or root, f"cannot be listed ({error.strerror})") from error

    if _is_trace(root):
        return [root]
    found = []
    for at, inner, _ in os.walk(root, onerror=fail):
        folders = sorted(Path(at, name) for name in inner if not name.startswith("."))
        traces = [folder for folder in folders if _is_trace(folder)]
        found += traces
        inner[:] = [folder.name for folder in folders if folder not in traces]
    return sorted(found)


def _is_trace(folder: Path) -> bool:
    return folder.suffix == _ENDING and (folder / _META).is_file()


def _on_store(root: Place, store: Store) -> list[Place]:
    from pyarrow import fs

    try:
        with reading(root):
            selector = fs.FileSelector(store.path(root.key), recursive=True)
            listed = store.filesystem.get_file_info(selector)
    except FileNotFoundError:
        raise InputError(root, "no such folder, or nothing is in it") from None
    above = store.path("").rstrip("/")
    keys = {PurePosixPath(info.path.removeprefix(above).lstrip("/")) for info in listed}
    traces = {key.parent for key in keys if key.name == _META and key.parent.suffix == _ENDING}
    outer = sorted(key for key in traces if traces.isdisjoint(key.parents))
    return [Place(str(key), store) for key in outer]
