"""Traces on an object store: one recursive listing tells names, sizes and times of all of them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from lanescope.errors import InputError
from lanescope.fleet.finding import JOB_ENDING, WATCHED, Found, Listing, job_of
from lanescope.trace.places import Place, reading
from lanescope.trace.stores import Store


def find_in_store(root: Place, store: Store) -> Listing:
    """Every stored trace and job below a URL; what the store cannot answer is an InputError."""
    listing = Listing()
    jobs: dict[str, list[Found]] = {}
    for key, files in _folders(root, store).items():
        if WATCHED[0] not in files:
            continue
        watched = [files[name] for name in WATCHED if name in files]
        job = _job(PurePosixPath(key), PurePosixPath(root.key))
        found = Found(
            str(Place(key, store)),
            "trace",
            " ".join(f"{file.size}-{file.mtime_ns}" for file in watched),
            max(file.mtime_ns or 0 for file in watched),
            str(Place(job, store)) if job else "",
        )
        listing.found.append(found)
        if job:
            jobs.setdefault(found.job, []).append(found)
    listing.found += [job_of(job, ranks) for job, ranks in jobs.items()]
    return listing


def _folders(root: Place, store: Store) -> dict[str, dict[str, Any]]:
    """Folder to the files in it that are watched, by name; in the order of the folders."""
    from pyarrow import fs

    try:
        with reading(root):
            selector = fs.FileSelector(store.path(root.key), recursive=True)
            files = store.filesystem.get_file_info(selector)
    except FileNotFoundError:
        raise InputError(root, "no such folder, or nothing is in it") from None
    above = store.path("").rstrip("/")
    folders: dict[str, dict[str, Any]] = {}
    for file in files:
        if file.base_name in WATCHED:
            path = PurePosixPath(file.path.removeprefix(above).lstrip("/"))
            folders.setdefault(str(path.parent), {})[path.name] = file
    return dict(sorted(folders.items()))


def _job(trace: PurePosixPath, root: PurePosixPath) -> str:
    """The innermost job that a trace lies in; empty where it is none, or above the root."""
    for folder in trace.parents:
        if folder.name.endswith(JOB_ENDING):
            return str(folder)
        if folder == root:
            break
    return ""
