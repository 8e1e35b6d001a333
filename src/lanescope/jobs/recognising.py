"""Tells a job from a single trace by its files; no table is read."""

from __future__ import annotations

from pathlib import Path

from lanescope.errors import InputError
from lanescope.trace.listing import traces_in
from lanescope.trace.places import PlaceLike, place_of
from lanescope.trace.store import read_meta


def is_job(path: PlaceLike) -> bool:
    """Whether a path or URL names a job: NAME.job, or a folder with the stored traces of ranks.

    Those are two traces or more, of which one says its rank: runs that lie beside each other are
    no job. Here only the folder itself is looked at; on a store everything below it is listed.
    """
    folder = place_of(path)
    if folder.suffix == ".lanes":
        return False
    if folder.local is None:
        return bool(traces_in(folder))
    if not folder.local.is_dir() or (folder.local / "meta.json").is_file():
        return False
    if folder.suffix == ".job":
        return True
    stored = [one for one in folder.local.glob("*.lanes") if (one / "meta.json").is_file()]
    return len(stored) > 1 and any(map(_says_its_rank, stored))


def _says_its_rank(folder: Path) -> bool:
    """A trace that cannot be read says nothing; whoever opens it says why."""
    try:
        return read_meta(folder).rank is not None
    except InputError:
        return False
