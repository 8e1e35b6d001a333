"""Which stored traces and jobs lie below a folder or a URL, and what tells that one has changed.

Nothing is read but names, sizes and times, so that an unchanged fleet costs almost nothing. A
folder that cannot be listed is a failure of its own, never left out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import InputError
from lanescope.workers.batch import Failure

TRACE_ENDING, JOB_ENDING = ".lanes", ".job"
_WATCHED = ("meta.json", "checksums.json")
"""Files of a trace whose size and time are its fingerprint; both are written anew with it."""


class Found(NamedTuple):
    """One trace or job below the folder."""

    trace: str
    """Its path or URL."""
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


def is_url(place: str) -> bool:
    """Whether this is a place on an object store, or another URL."""
    return "://" in place


def find_traces(root: str) -> Listing:
    """Every stored trace and job below a folder or URL, in the order of their names.

    Raises:
        InputError: there is no such folder, or the store does not answer.
    """
    if is_url(root):
        from lanescope.fleet.stores import find_in_store

        return find_in_store(root)
    if not Path(root).is_dir():
        raise InputError(root, "is no folder; name the folder that stored traces (*.lanes) are in")
    listing, status = Listing(), Path(root).stat()
    _walk(root, "", listing, {(status.st_dev, status.st_ino)})
    return listing


def job_of(job: str, ranks: list[Found]) -> Found:
    """A job as one thing to index: it has changed where any of its traces has."""
    digest = hashlib.sha256("\n".join(one.trace + one.fingerprint for one in ranks).encode())
    written_ns = max((one.written_ns for one in ranks), default=0)
    return Found(job, "job", digest.hexdigest()[:16], written_ns, "")


def _walk(folder: str, job: str, listing: Listing, seen: set[tuple[int, int]]) -> None:
    trace = _trace(folder, job)
    if trace is not None:
        listing.found.append(trace)
        return
    if folder.endswith(TRACE_ENDING):
        why = f"{folder}: is no lanescope trace (it has no meta.json)"
        listing.failures.append(Failure(folder, why, 1))
        return
    is_job = folder.endswith(JOB_ENDING)
    before = len(listing.found)
    for inner in _folders(folder, listing, seen):
        _walk(inner, folder if is_job else job, listing, seen)
    ranks = listing.found[before:]
    if is_job and ranks:
        listing.found.append(job_of(folder, ranks))


def _folders(folder: str, listing: Listing, seen: set[tuple[int, int]]) -> Iterator[str]:
    """Folders in a folder, by name; one that a link leads back to is listed once."""
    try:
        with os.scandir(folder) as entries:
            inner = sorted((e for e in entries if e.name[0] != "." and e.is_dir()), key=_name)
    except OSError as error:
        why = f"{folder}: cannot be listed ({error.strerror or error})"
        listing.failures.append(Failure(folder, why, 1))
        return
    for entry in inner:
        if entry.is_symlink():
            status = entry.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
        yield entry.path


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _trace(folder: str, job: str) -> Found | None:
    """The folder as a trace; None where it has no meta.json."""
    parts, written_ns = [], 0
    for name in _WATCHED:
        try:
            status = Path(folder, name).stat()
        except OSError:
            if name == "meta.json":
                return None
            continue
        written_ns = max(written_ns, status.st_mtime_ns)
        parts.append(f"{status.st_size}-{status.st_mtime_ns}")
    return Found(folder, "trace", " ".join(parts), written_ns, job)
