"""A whole folder of the profiler: one rank. Which of its files make the trace.

NAME_ascend_pt/profiler_info_RANK.json
NAME_ascend_pt/ASCEND_PROFILER_OUTPUT/{ascend_pytorch_profiler_RANK.db, trace_view.json, …}
NAME_ascend_pt/PROF_…/{msprof_….db, mindstudio_profiler_output/…}   the raw data, and msprof's own
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected, detect
from lanescope.formats.json_file import storable
from lanescope.formats.registry import IMPORTERS

OUTPUT = "ASCEND_PROFILER_OUTPUT"
_MSPROF_OUTPUT = "mindstudio_profiler_output"
_SUFFIXES = ("_ascend_pt", "_ascend_ms")
_OWN = next(one for one in IMPORTERS if one.name == "ascend")
_MOST_NAMED = 8


def is_rank_folder(folder: Path) -> bool:
    """Whether a folder is what the profiler writes for one rank, or msprof for one process."""
    if folder.name.endswith(_SUFFIXES):
        return True
    inner = _MSPROF_OUTPUT if folder.name.startswith("PROF_") else OUTPUT
    return (folder / inner).is_dir()


def rank_bundle(bundle: Bundle) -> Bundle:
    """The same run with its files: one of each kind, the profiler's own before msprof's.

    Raises:
        InputError: There is nothing to read below the folder.
    """
    folder = bundle.folder
    assert folder is not None
    files: dict[str, Detected] = {}
    unused: list[str] = []
    for path in _candidates(folder):
        found = detect(path, (_OWN,))
        if found.importer is None or found.kind in files:
            unused.append(storable(path.relative_to(folder)))
        else:
            files[found.kind] = found
    kinds = (*_OWN.mains, *_OWN.companions)
    if not any(kind in files for kind in (*_OWN.mains, *_OWN.alone)):
        problem = f"has nothing to read; a database, a timeline or a table of kernels in {OUTPUT}"
        raise InputError(folder, f"{problem} was expected (was the recording analysed?)")
    notes = list(bundle.notes)
    if unused:
        more = f" and {len(unused) - _MOST_NAMED} more" if len(unused) > _MOST_NAMED else ""
        notes.append(f"Not read: {', '.join(unused[:_MOST_NAMED])}{more}.")
    ordered = {kind: files[kind] for kind in kinds if kind in files}
    return replace(bundle, files=ordered, folder=None, notes=tuple(notes))


def _candidates(folder: Path) -> Iterator[Path]:
    """Files that may be of a kind that is read, best places first."""
    raw = sorted(folder.glob("PROF_*"))
    places = [folder / OUTPUT, folder, *raw]
    places += [place / _MSPROF_OUTPUT for place in (folder, *raw)]
    for place in places:
        try:
            entries = sorted(place.iterdir(), key=_best_first) if place.is_dir() else []
        except OSError as error:
            raise InputError(place, f"cannot be read ({error.strerror})") from error
        yield from (p for p in entries if p.name.endswith(_OWN.endings) and p.is_file())


def _best_first(path: Path) -> tuple[bool, str]:
    return not path.name.startswith("ascend_"), path.name
