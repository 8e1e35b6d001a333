"""Which stored traces and jobs lie below a folder or a URL, and what tells that one has changed.

Nothing is read but names, sizes and times, so that an unchanged fleet costs almost nothing. A
folder that cannot be listed is a failure of its own, never left out.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import InputError
from lanescope.trace.places import Place
from lanescope.workers.batch import Failure

TRACE_ENDING, JOB_ENDING = ".lanes", ".job"
WATCHED = ("meta.json", "checksums.json")
"""Files of a trace whose size and time are its fingerprint; both are written anew with it."""


class Found(NamedTuple):
    """One trace or job below the folder."""

    trace: str
    """Its path, or its URL without credentials and options."""
    kind: str
    """`trace` or `job`."""
    fingerprint: str
    """Another text after the trace was written anew."""
    written_ns: int
    """When meta.json was written, in ns since 1970; of a job its latest trace's."""
    job: str
    """The job that a trace belongs to; empty where it is none's."""


@dataclass(slots=True)
class Listing:
    """What lies below a folder."""

    found: list[Found] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    """Folders that cannot be listed, and those that should be traces and are not."""


def find_traces(root: Place) -> Listing:
    """Every stored trace and job below a folder or URL, in the order of their names.

    Raises:
        InputError: there is no such folder, or the store does not answer.
    """
    if root.store is not None:
        from lanescope.fleet.stores import find_in_store

        return find_in_store(root, root.store)
    folder = Path(root.key)
    if not folder.is_dir():
        raise InputError(root, "is no folder; name the folder that stored traces (*.lanes) are in")
    listing, status = Listing(), folder.stat()
    _walk(root.key, "", listing, {(status.st_dev, status.st_ino)})
    return listing


def place_below(root: Place, trace: str) -> Place:
    """The place of a trace that was found below a root, with the root's credentials and options."""
    if root.store is None:
        return Place(trace)
    return Place(trace.removeprefix(f"{root.store.shown}/"), root.store)


def job_of(job: str, ranks: list[Found]) -> Found:
    """A job as one thing to index: it has changed where any of its traces has."""
    digest = hashlib.sha256("\n".join(one.trace + one.fingerprint for one in ranks).encode())
    written_ns = max((one.written_ns for one in ranks), default=0)
    return Found(job, "job", digest.hexdigest()[:16], written_ns, "")


def _walk(folder: str, job: str, listing: Listing, seen: set[tuple[int, int]]) -> None:
    try:
        with os.scandir(folder) as entries:
            inside = {entry.name: entry for entry in entries}
        trace = _trace(folder, inside, job)
    except OSError as error:
        why = f"{folder}: cannot be listed ({error.strerror or error})"
        listing.failures.append(Failure(folder, why, 1))
        return
    if trace is not None:
        listing.found.append(trace)
    elif folder.endswith(TRACE_ENDING):
        why = f"{folder}: is no lanescope trace (it has no meta.json)"
        listing.failures.append(Failure(folder, why, 1))
    else:
        _walk_below(folder, inside, job, listing=listing, seen=seen)


def _walk_below(
    folder: str,
    inside: dict[str, os.DirEntry[str]],
    job: str,
    *,
    listing: Listing,
    seen: set[tuple[int, int]],
) -> None:
    """The folders in a folder, by name; one that a link leads to again is left out."""
    is_job = folder.endswith(JOB_ENDING)
    before = len(listing.found)
    for name, entry in sorted(inside.items()):
        if name[0] == "." or not entry.is_dir():
            continue
        if entry.is_symlink():
            status = entry.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
        _walk(entry.path, folder if is_job else job, listing, seen)
    ranks = listing.found[before:]
    if is_job and ranks:
        listing.found.append(job_of(folder, ranks))


def _trace(folder: str, inside: dict[str, os.DirEntry[str]], job: str) -> Found | None:
    """The folder as a trace; None where it has no meta.json."""
    if WATCHED[0] not in inside:
        return None
    watched = [inside[name].stat() for name in WATCHED if name in inside]
    fingerprint = " ".join(f"{file.st_size}-{file.st_mtime_ns}" for file in watched)
    return Found(folder, "trace", fingerprint, max(file.st_mtime_ns for file in watched), job)
