"""A written trace copied to an object store, where nothing can be renamed.

    meta.json is deleted, tables are written, then checksums.json, then meta.json

A reader takes checksums.json, then meta.json, then tables. While a trace is replaced it finds no
meta.json, which is no trace, or tables that are not those of its checksums, which is an error.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lanescope.errors import OutputError
from lanescope.trace.integrity import CHECKSUMS
from lanescope.trace.later import pa
from lanescope.trace.places import Place
from lanescope.trace.stores import ADVICE, Store, reason_of

META = "meta.json"
_THREADS = 4
_BLOCK = 1 << 23
_FLAT = ("s3", "gcs")
"""File systems without folders: a key may be written at once."""


def upload(folder: Path, target: Place) -> None:
    """Copy the files of a written trace to a place on a store; a trace that is there is replaced.

    Raises:
        OutputError: the store does not take them, or there is something else at that place.
    """
    store = target.store
    assert store is not None
    names = sorted(file.name for file in folder.iterdir())
    replaced = False
    try:
        there = _names_at(target, store)
        _refuse_others(target, there, names)
        replaced = META in there
        if replaced:
            store.filesystem.delete_file(store.path(f"{target.key}/{META}"))
        if store.filesystem.type_name not in _FLAT:
            store.filesystem.create_dir(store.path(target.key), recursive=True)
        tables = [name for name in names if name not in (META, CHECKSUMS)]
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(lambda name: _copy(folder / name, target, store), tables))
        _copy(folder / CHECKSUMS, target, store)
        _copy(folder / META, target, store)
    except (OSError, pa.ArrowException) as error:
        lost = "; the trace that was there may be gone" if replaced else ""
        raise OutputError(
            f"{target} could not be written ({reason_of(error)}){lost}; {ADVICE}"
        ) from error


def _names_at(target: Place, store: Store) -> set[str]:
    from pyarrow import fs

    selector = fs.FileSelector(store.path(target.key), allow_not_found=True)
    return {info.base_name for info in store.filesystem.get_file_info(selector)}


def _refuse_others(target: Place, there: set[str], names: list[str]) -> None:
    """Files of a trace without its meta.json are what a stopped writer left."""
    if META not in there and there - set(names):
        raise OutputError(
            f"{target} exists and is no lanescope trace, so it was left alone; "
            "choose another place with -o"
        )


def _copy(file: Path, target: Place, store: Store) -> None:
    path = store.path(f"{target.key}/{file.name}")
    with file.open("rb") as source, store.filesystem.open_output_stream(path) as sink:
        while block := source.read(_BLOCK):
            sink.write(block)
