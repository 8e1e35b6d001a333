"""Traces on an object store: one recursive listing tells names, sizes and times of all of them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
from pyarrow import fs

from lanescope.errors import InputError
from lanescope.fleet.finding import JOB_ENDING, Found, Listing, job_of


def find_in_store(root: str) -> Listing:
    """Every stored trace and job below a URL; what the store cannot answer is an InputError."""
    base, mark, query = root.partition("?")
    try:
        system, path = fs.FileSystem.from_uri(root)
        files = system.get_file_info(fs.FileSelector(path, recursive=True))
    except (OSError, pa.ArrowException) as error:
        first = str(error).splitlines()[0]
        raise InputError(root, f"cannot be listed ({first}); check the address") from error
    watched = [file for file in files if file.base_name in ("meta.json", "checksums.json")]
    by_folder: dict[str, list[Any]] = {}
    for file in watched:
        by_folder.setdefault(str(PurePosixPath(file.path).parent), []).append(file)
    listing = Listing()
    jobs: dict[str, list[Found]] = {}
    for folder, inside in sorted(by_folder.items()):
        if all(file.base_name != "meta.json" for file in inside):
            continue
        below = PurePosixPath(folder).relative_to(path)
        job = _job(below)
        address = f"{base.rstrip('/')}/{below}{mark}{query}" if below.parts else root
        found = Found(
            address,
            "trace",
            " ".join(f"{file.size}-{file.mtime_ns}" for file in sorted(inside, key=_path)),
            max(file.mtime_ns or 0 for file in inside),
            f"{base.rstrip('/')}/{job}{mark}{query}" if job else "",
        )
        listing.found.append(found)
        if job:
            jobs.setdefault(found.job, []).append(found)
    listing.found += [job_of(job, ranks) for job, ranks in jobs.items()]
    return listing


def _path(file: Any) -> str:
    return str(file.path)


def _job(below: PurePosixPath) -> str:
    """The innermost job that a trace lies in, as a path below the root; empty where it is none."""
    for parent in below.parents:
        if parent.name.endswith(JOB_ENDING):
            return str(parent)
    return ""
