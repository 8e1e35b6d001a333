"""From the paths people name to runs: which files belong together, and what to call them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lanescope.errors import InputError
from lanescope.formats.chrome.read import read_chrome
from lanescope.formats.detect import ENDINGS, Detected, detect, stem
from lanescope.formats.json_file import storable
from lanescope.formats.simpler.build import build_trace
from lanescope.formats.simpler.parts import RunFiles
from lanescope.trace import Source, Trace

_FOLDED = frozenset({"scope_stats", "args_dump"})
"""Folders that hold companion files of the run in the folder above."""
_COMPANIONS = ("deps", "names", "pmu", "scopes", "host_phases", "arguments")
_ALONE = frozenset(_COMPANIONS) - {"names"}
"""Companions that are worth a trace without a records file."""


@dataclass(frozen=True, slots=True)
class Job:
    """Files that are looked at together; they give one trace, or one per records file."""

    name: str
    place: Path
    files: tuple[Path, ...]
    named: frozenset[Path] = field(default_factory=frozenset)
    """files the user named: not knowing one of them is an error"""
    known: tuple[Detected, ...] = ()
    """what was looked into already"""

    def traces(self, *, keep_damaged: bool = False) -> Iterator[Trace]:
        """Read and build; files beside a records file that nobody named may be of any kind."""
        known = {one.path: one for one in self.known}
        found = [known.get(path) or detect(path) for path in self.files]
        for one in found:
            if one.kind == "unknown" and one.path in self.named:
                raise InputError(one.path, _UNKNOWN)
        records, charts = self._mains(found)
        mains: list[Detected | None] = [*records] or [None]
        for main in mains:
            run = self._run(main, found, alone=len(records) <= 1)
            if run is not None:
                yield build_trace(run, keep_damaged=keep_damaged)
        for one in charts:
            alone = len(charts) == 1 and not self.named
            yield read_chrome(one.path, name=self._name_of(one.path, alone=alone))

    def names(self) -> list[str]:
        """What the traces will be called, as far as the files were looked into already."""
        records, charts = self._mains(list(self.known))
        alone = len(records) <= 1
        names = [self._name_of(one.path, alone=alone) for one in records]
        names += [self._name_of(one.path, alone=False) for one in charts]
        return names or [self.name]

    def _mains(self, found: list[Detected]) -> tuple[list[Detected], list[Detected]]:
        """The files that make a trace each: records, and Chrome traces where they are no copies."""
        records = [one for one in found if one.kind == "records"]
        charts = [one for one in found if one.kind == "chrome"]
        if records or any(one.kind in _ALONE for one in found):
            charts = [one for one in charts if one.path in self.named]
        return records, charts

    def _name_of(self, main: Path, *, alone: bool) -> str:
        """A trace's name: the job's, or where it gives several that of the file."""
        if alone:
            return self.name
        return storable(stem(main) if self.named else f"{self.name}-{stem(main)}")

    def _run(
        self, records: Detected | None, found: list[Detected], *, alone: bool
    ) -> RunFiles | None:
        parts: dict[str, Detected] = {} if records is None else {"records": records}
        notes = []
        for kind in _COMPANIONS:
            some = [one for one in found if one.kind == kind]
            some = [one for one in some if one.path in self.named] or some
            names = ", ".join(storable(one.path.name) for one in some)
            if len(some) > 1:
                notes.append(f"Several files of kind {kind} ({names}): none was used.")
            elif some and alone:
                parts[kind] = some[0]
            elif some:
                notes.append(f"{names} lies beside several records files and was not used.")
        if not parts.keys() & (_ALONE | {"records"}):
            return None
        return RunFiles(
            name=self.name if records is None else self._name_of(records.path, alone=alone),
            sources=tuple(Source(storable(p.path), k, p.bytes) for k, p in parts.items()),
            notes=tuple(notes),
            **{kind: part.file or part.path for kind, part in parts.items()},  # type: ignore[arg-type]
        )


_UNKNOWN = (
    "is not a file lanescope knows; it reads records files, deps.json, name maps, pmu.csv, "
    "scope_stats.jsonl, host_phase_records.jsonl, args_dump.json and Chrome traces"
)


def find_jobs(paths: Sequence[Path]) -> list[Job]:
    """One job per folder with files to look at, and one for the files that were named."""
    jobs: list[Job] = []
    files: list[Path] = []
    for path in paths:
        mode = _mode(path)
        if stat.S_ISDIR(mode):
            jobs += _in_folder(path)
        elif stat.S_ISREG(mode):
            files.append(path)
        else:
            raise InputError(path, "is no regular file; lanescope reads files as a whole")
    jobs += _named(list(dict.fromkeys(files)))
    _require_distinct(jobs)
    return jobs


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        raise InputError(path, "no such file or directory") from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from error


def _in_folder(root: Path) -> list[Job]:
    jobs = []
    for place, folders, _ in os.walk(root):
        folders[:] = sorted(
            f for f in folders if not f.startswith(".") and not f.endswith(".lanes")
        )
        here = Path(place)
        if here.name in _FOLDED and here != root:
            continue
        files = _files_of(here)
        if files:
            name = "-".join(here.relative_to(root).parts) or root.resolve().name
            jobs.append(Job(storable(name), here, files))
    if not jobs:
        expected = "a records file such as chip_swimlane_records.json, or a Chrome trace"
        raise InputError(root, f"has no file to import; expected {expected}")
    return jobs


def _files_of(folder: Path) -> tuple[Path, ...]:
    places = [folder, *(folder / inner for inner in sorted(_FOLDED))]
    try:
        found = [p for place in places if place.is_dir() for p in sorted(place.iterdir())]
        return tuple(p for p in found if p.name.endswith(ENDINGS) and p.is_file())
    except OSError as error:
        raise InputError(folder, f"cannot be read ({error.strerror})") from error


def _named(files: list[Path]) -> list[Job]:
    """Named files: with one records file the others belong to it, else they go by folder."""
    named = [detect(path) for path in files]
    if sum(one.kind == "records" for one in named) == 1:
        return [_together(named)]
    by_folder: dict[Path, list[Detected]] = {}
    for one in named:
        by_folder.setdefault(one.path.parent, []).append(one)
    return [_together(some) for some in by_folder.values()]


def _together(found: list[Detected]) -> Job:
    """One job for named files; those beside a single records file belong to it."""
    records = [one.path for one in found if one.kind == "records"]
    if len(records) == 1:
        return _around(records[0], {one.path: one for one in found})
    files = tuple(one.path for one in found)
    place = files[0].parent
    return Job(storable(place.resolve().name), place, files, frozenset(files), tuple(found))


def _around(records: Path, named: dict[Path, Detected]) -> Job:
    """The named files, and those beside the records whose kind was not named."""
    place = records.parent
    beside = [detect(path) for path in _files_of(place) if path not in named]
    name = storable(place.resolve().name)
    if any(one.kind == "records" for one in beside):
        beside, name = [], storable(stem(records))
    taken = {one.kind for one in named.values()}
    beside = [one for one in beside if one.kind in _COMPANIONS and one.kind not in taken]
    known = (*named.values(), *beside)
    return Job(name, place, tuple(one.path for one in known), frozenset(named), known)


def _require_distinct(jobs: list[Job]) -> None:
    seen: dict[str, Path] = {}
    for job in jobs:
        for name in job.names():
            if name in seen:
                problem = f"gives a trace named {name!r}, and so does {seen[name]}"
                raise InputError(job.place, f"{problem}; import them one at a time with -o")
            seen[name] = job.place
