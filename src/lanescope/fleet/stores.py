"""Traces on an object store: one recursive listing tells names, sizes and times of all of them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from lanescope.fleet.finding import JOB_ENDING, Found, Listing, job_of
from lanescope.trace.listing import files_on_store
from lanescope.trace.places import Place, place_of


def find_in_store(root: str) -> Listing:
    """Every stored trace and job below a URL; what the store cannot answer is an InputError."""
    place = place_of(root)
    by_folder: dict[PurePosixPath, list[Any]] = {}
    for key, file in files_on_store(place).items():
        if key.name in ("meta.json", "checksums.json"):
            by_folder.setdefault(key.parent, []).append(file)
    listing = Listing()
    jobs: dict[str, list[Found]] = {}
    for folder, inside in sorted(by_folder.items()):
        if all(file.base_name != "meta.json" for file in inside):
            continue
        job = _job(folder.relative_to(place.key))
        found = Found(
            Place(str(folder), place.store).url,
            "trace",
            " ".join(f"{file.size}-{file.mtime_ns}" for file in sorted(inside, key=_path)),
            max(file.mtime_ns or 0 for file in inside),
            (place / job).url if job else "",
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
