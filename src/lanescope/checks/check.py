"""`check`: every run below a path is read as far as it can be, and held against what it should be.

A path is a folder of runs or ranks, a file, a stored trace, or the capture of a killed run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from lanescope.capture.directory import NOTE, REGION, spools
from lanescope.capture.rebuild import recover
from lanescope.checks.finding import CheckedPath, CheckedRun, CheckFinding
from lanescope.checks.reading import Folder, ReadRun, look, read_run, read_stored
from lanescope.checks.run import checked_run
from lanescope.checks.simpler.folders import (
    apart,
    folder_findings,
    graph_beside,
    is_run_without_records,
    no_records,
)
from lanescope.checks.simpler.ranks import rank_findings
from lanescope.errors import InputError, LanescopeError
from lanescope.formats.available import importers
from lanescope.formats.detect import Detected, stem
from lanescope.formats.json_file import storable
from lanescope.formats.packed import as_gzip
from lanescope.formats.simpler.gathering import rank_folders
from lanescope.formats.simpler.hosting import HostLogs
from lanescope.trace.places import local_path


def check(path: str | PathLike[str]) -> CheckedPath:
    """Says what is missing in a run, and who lost it.

    It looks at every run below the path, as far as its files can be read, and refuses none.

    Args:
        path: A run's folder or file, a folder of ranks or of several runs, a stored trace
            (NAME.lanes), or what a killed run left (NAME.capture).

    Returns:
        The findings: `checked.nothing_lost`, `checked.runs`, `checked.all_findings`, each with
        what it is about, how many, and the cause; `checked.text()` is the page.

    Raises:
        InputError: There is no such path.
        UsageError: It is a URL; only a path of this machine can be checked.

    Examples:
        >>> checked = lanescope.check("examples/small_run")
        >>> checked.nothing_lost
        True
    """
    root = local_path(path)
    if not root.exists():
        raise InputError(root, "no such file or directory")
    walk = _Walk.of(root)
    runs = [run for folder in walk.folders for run in _of_folder(walk, folder)]
    runs += [_of_stored(root, place) for place in walk.stored]
    runs += [_of_capture(root, place) for place in walk.captures]
    findings = list(_together(walk))
    if not runs and not findings:
        findings = [
            CheckFinding(
                producer="file of records",
                kind="missing",
                count=1,
                sentence="There is no file here that lanescope knows.",
                cause="Nothing was written, or this is not the folder of a run.",
            )
        ]
    ordered = sorted(runs, key=lambda run: (run.place, run.name))
    return CheckedPath(path=storable(root), runs=tuple(ordered), findings=tuple(findings))


@dataclass(frozen=True, slots=True)
class _Walk:
    """What lies below a path."""

    root: Path
    folders: tuple[Folder, ...] = ()
    stored: tuple[Path, ...] = ()
    captures: tuple[Path, ...] = ()

    @classmethod
    def of(cls, root: Path) -> _Walk:
        """Look into every folder below the root, or at the one file."""
        # An importer of another package may know more of a file than ours, so it is asked first.
        known = tuple(sorted(importers(), key=lambda one: not one.package))
        if not root.is_dir():
            return cls(root, (look(root.parent, [root], known),))
        endings = tuple(ending for one in known for ending in one.endings)
        folded = {name for one in known for name in one.folded}
        folders: list[Folder] = []
        stored: list[Path] = []
        captures: list[Path] = []
        for at, inner, _ in os.walk(root):
            place = Path(at)
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            if _is_stored(place) or _is_capture(place):
                (stored if _is_stored(place) else captures).append(place)
                inner.clear()
                continue
            if place.name in folded and place != root:
                continue
            places = [place, *(place / name for name in inner if name in folded)]
            files = [p for one in places for p in sorted(one.iterdir())]
            files = [p for p in files if as_gzip(p.name).endswith(endings) and p.is_file()]
            folders.append(look(place, files, known))
        return cls(root, tuple(folders), tuple(stored), tuple(captures))

    def place(self, folder: Path) -> str:
        """A folder as it is called below the root."""
        place = storable(folder.relative_to(self.root)) if self.root.is_dir() else ""
        return "" if place == "." else place

    def logs(self, folder: Path) -> HostLogs:
        """The host's logs in a folder and in those above it, up to the root."""
        above = [one for one in self.folders if folder.is_relative_to(one.path)]
        return _read_logs(above)


def _read_logs(folders: Sequence[Folder]) -> HostLogs:
    return HostLogs.read(one.path for folder in folders for one in folder.of_kind("host_log"))


def _is_stored(place: Path) -> bool:
    return place.suffix == ".lanes" or (
        (place / "meta.json").is_file() and (place / "tasks.parquet").is_file()
    )


def _is_capture(place: Path) -> bool:
    return (place / NOTE).is_file() and ((place / REGION).is_file() or bool(spools(place)))


def _of_folder(walk: _Walk, folder: Folder) -> Iterator[CheckedRun]:
    """The runs in one folder; what is wrong with the folder itself goes with the first."""
    findings = [*folder.findings, *(folder_findings(folder) if walk.root.is_dir() else ())]
    in_rank = any(folder.path.is_relative_to(rank) for rank in _ranks(walk))
    lacks_records = is_run_without_records(folder, walk.folders) and walk.root.is_dir()
    gave_graph = any(graph_beside(one, walk.folders) is folder for one in walk.folders)
    if lacks_records and not in_rank and not gave_graph:
        findings.append(no_records(folder, walk.logs(folder.path)))
    runs = [] if gave_graph else list(_runs(walk, folder))
    if not runs and findings:
        name = storable(folder.path.resolve().name)
        runs = [CheckedRun(name=name, place=walk.place(folder.path))]
    for number, run in enumerate(runs):
        own = (*findings, *run.findings) if not number else run.findings
        place = walk.place(folder.path)
        told = dict.fromkeys(replace(one, place=one.place or place) for one in own)
        yield replace(run, findings=tuple(told), place=place)


def _runs(walk: _Walk, folder: Folder) -> Iterator[CheckedRun]:
    """A run per main file, with all that lies beside it; or one of what is there without."""
    mains = folder.mains
    companions = [one for one in folder.files if one.is_companion or _is_log(one)]
    graph = graph_beside(folder, walk.folders)
    beside = [] if graph is None else graph.of_kind("deps")[:1]
    name = folder.path.resolve().name
    for main in mains:
        called = stem(main.path) if len(mains) > 1 or not walk.root.is_dir() else name
        run = read_run(called, folder.path, [main, *companions, *beside])
        if graph is not None:
            run.findings.append(apart(folder, graph))
        has_graph = bool(beside or folder.of_kind("deps"))
        yield from _checked(called, run, file=main, has_graph=has_graph)
    if not mains and companions:
        yield from _checked(name, read_run(name, folder.path, companions))


def _is_log(one: Detected) -> bool:
    return one.importer is not None and one.kind in one.importer.many


def _checked(
    name: str, run: ReadRun, *, file: Detected | None = None, has_graph: bool = False
) -> Iterator[CheckedRun]:
    json = None if file is None else file.json
    for number, trace in enumerate(run.traces):
        checked = checked_run(trace, file=json, has_graph=has_graph, partly=run.partly)
        more = tuple(run.findings) if not number else ()
        yield replace(checked, findings=(*more, *checked.findings))
    if not run.traces and run.findings:
        yield CheckedRun(name=storable(name), place="", findings=tuple(run.findings))


def _of_stored(root: Path, place: Path) -> CheckedRun:
    run = read_stored(place)
    where = storable(place.relative_to(root)).removeprefix(".")
    name = storable(place.name.removesuffix(".lanes"))
    has_graph = any(len(trace.edges) for trace in run.traces)
    [checked] = list(_checked(name, run, has_graph=has_graph))
    return replace(checked, place=where)


def _of_capture(root: Path, place: Path) -> CheckedRun:
    where = storable(place.relative_to(root)).removeprefix(".")
    name = storable(place.name.removesuffix(".capture"))
    try:
        recovery = recover(place)
    except LanescopeError as error:
        finding = CheckFinding(
            producer="capture", kind="unreadable", count=1, sentence=f"{error}.", place=where
        )
        return CheckedRun(name=name, place=where, findings=(finding,))
    findings = [
        CheckFinding(
            producer="capture",
            kind="missing",
            sentence=f"{problem}.",
            cause="The recorded program or the collector was killed before it was done.",
            place=where,
        )
        for problem in recovery.problems
    ]
    [checked] = list(_checked(name, ReadRun([recovery.trace], findings)))
    return replace(checked, place=where, notes=())


def _ranks(walk: _Walk) -> list[Path]:
    return [path for one in walk.folders for path in rank_folders(one.path).values()]


def _together(walk: _Walk) -> Iterator[CheckFinding]:
    """What is about several ranks."""
    if not walk.root.is_dir():
        return
    for folder in walk.folders:
        if rank_folders(folder.path):
            below = [one for one in walk.folders if one.path.is_relative_to(folder.path)]
            for finding in rank_findings(folder.path, below, _read_logs(below)):
                yield replace(finding, place=walk.place(folder.path))
