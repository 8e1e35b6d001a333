"""From the paths people name to runs: which files belong together, and what to call them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lanescope.errors import InputError
from lanescope.formats.chrome.read import read_chrome
from lanescope.formats.detect import SUFFIXES, Detected, detect
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
        records = [one for one in found if one.kind == "records"]
        charts = [one for one in found if one.kind == "chrome"]
        if records or any(one.kind in _ALONE for one in found):
            charts = [one for one in charts if one.path in self.named]
        mains: list[Detected | None] = [*records] or [None]
        for main in mains:
            run = self._run(main, found, alone=len(records) <= 1)
            if run is not None:
                yield build_trace(run, keep_damaged=keep_damaged)
        for one in charts:
            several = len(charts) + len(records) > 1 or bool(self.named)
            yield read_chrome(one.path, name=one.path.stem if several else self.name)

    def _run(
        self, records: Detected | None, found: list[Detected], *, alone: bool
    ) -> RunFiles | None:
        parts: dict[str, Detected] = {} if records is None else {"records": records}
        notes = []
        for kind in _COMPANIONS:
            some = [one for one in found if one.kind == kind]
            some = [one for one in some if one.path in self.named] or some
            if len(some) > 1:
                names = ", ".join(one.path.name for one in some)
                notes.append(f"Several files of kind {kind} ({names}): none was used.")
            elif some and alone:
                parts[kind] = some[0]
        if not parts.keys() & (_ALONE | {"records"}):
            return None
        return RunFiles(
            name=self.name if alone or records is None else records.path.stem,
            sources=tuple(Source(str(p.path), k, p.bytes) for k, p in parts.items()),
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
        if path.is_dir():
            jobs += _in_folder(path)
        elif path.exists():
            files.append(path)
        else:
            raise InputError(path, "no such file or directory")
    jobs += _named(files)
    _require_distinct(jobs)
    return jobs


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
            jobs.append(Job(name, here, files))
    if not jobs:
        expected = "a records file such as chip_swimlane_records.json, or a Chrome trace"
        raise InputError(root, f"has no file to import; expected {expected}")
    return jobs


def _files_of(folder: Path) -> tuple[Path, ...]:
    files = [p for p in sorted(folder.iterdir()) if p.suffix in SUFFIXES and p.is_file()]
    for inner in sorted(_FOLDED):
        below = folder / inner
        if below.is_dir():
            files += [p for p in sorted(below.iterdir()) if p.suffix in SUFFIXES and p.is_file()]
    return tuple(files)


def _named(files: list[Path]) -> list[Job]:
    """Named files: with one records file the others belong to it, else they go by folder."""
    if not files:
        return []
    named = {path: detect(path) for path in files}
    records = [path for path, one in named.items() if one.kind == "records"]
    if len(records) == 1:
        return [_around(records[0], named)]
    by_folder: dict[Path, list[Path]] = {}
    for path in files:
        by_folder.setdefault(path.parent, []).append(path)
    return [
        Job(place.resolve().name, place, tuple(some), frozenset(some))
        for place, some in by_folder.items()
    ]


def _around(records: Path, named: dict[Path, Detected]) -> Job:
    """The named files, and those beside the records whose kind was not named."""
    place = records.parent
    beside = [detect(path) for path in _files_of(place) if path not in named]
    name = place.resolve().name
    if any(one.kind == "records" for one in beside):
        beside, name = [], records.stem
    taken = {one.kind for one in named.values()}
    beside = [one for one in beside if one.kind in _COMPANIONS and one.kind not in taken]
    known = (*named.values(), *beside)
    return Job(name, place, tuple(one.path for one in known), frozenset(named), known)


def _require_distinct(jobs: list[Job]) -> None:
    seen: dict[str, Job] = {}
    for job in jobs:
        other = seen.setdefault(job.name, job)
        if other is not job:
            problem = f"gives a trace named {job.name!r}, and so does {other.place}"
            raise InputError(job.place, f"{problem}; import them one at a time with -o")
