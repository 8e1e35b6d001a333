"""Tells a job from a single trace, without reading either."""

from __future__ import annotations

from itertools import islice

from lanescope.trace.listing import traces_in
from lanescope.trace.places import PlaceLike, place_of


def is_job(path: PlaceLike) -> bool:
    """Whether a path or URL names a job: NAME.job, or a folder with two stored traces or more.

    The files of a run may lie beside the one trace that was made of them, which is no job. Here
    only the folder itself is looked at; on a store everything below it is listed.
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
    stored = (one for one in folder.local.glob("*.lanes") if (one / "meta.json").is_file())
    return len(list(islice(stored, 2))) == 2
