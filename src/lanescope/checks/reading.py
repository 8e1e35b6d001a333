"""Reads what can be read: a damaged file, or a damaged part of one, is named and left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from lanescope.checks.finding import CheckFinding
from lanescope.checks.simpler.parts import PARTS
from lanescope.errors import InputError
from lanescope.formats.batch import FileBatch
from lanescope.formats.detect import Detected, detect
from lanescope.formats.importer import Importer
from lanescope.formats.json_file import JsonFile, storable
from lanescope.formats.json_rows import TextSpan
from lanescope.trace import SCHEMA, Table, Trace, Words
from lanescope.trace.integrity import read_checksums
from lanescope.trace.parquet import read_table
from lanescope.trace.places import place_of
from lanescope.trace.store import read_meta


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder: the files that importers know, and those that cannot be read."""

    path: Path
    files: tuple[Detected, ...]
    findings: tuple[CheckFinding, ...] = ()

    def of_kind(self, kind: str) -> list[Detected]:
        """The files of a kind, in the order of their names."""
        return [one for one in self.files if one.kind == kind]

    @property
    def mains(self) -> list[Detected]:
        """Files that make a trace each; copies in another format count where nothing else is."""
        mains = [one for one in self.files if one.is_main and one.importer]
        first = [one for one in mains if one.importer and not one.importer.copies]
        return first or ([] if len(mains) < len(self.files) else mains)


@dataclass(slots=True)
class ReadRun:
    """The traces of one run's files; more than one for a few formats, none where all is damaged."""

    traces: list[Trace] = field(default_factory=list)
    findings: list[CheckFinding] = field(default_factory=list)
    partly: bool = False
    """Whether a part of a file was left out, so what is missing may be in that part."""


def look(folder: Path, paths: Sequence[Path], importers: tuple[Importer, ...]) -> Folder:
    """Look into every file."""
    known, findings = [], []
    for path in paths:
        try:
            one = detect(path, importers)
        except InputError as error:
            findings.append(unreadable(path, error))
            continue
        if one.importer is not None:
            known.append(one)
    return Folder(folder, tuple(known), tuple(findings))


def unreadable(path: Path, error: InputError, part: str = "") -> CheckFinding:
    """The finding about a file, or a part of one, that cannot be read."""
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    name = storable(path.name)
    what = f"{part!r} of {name}" if part else f"{name} ({size:,} bytes)"
    return CheckFinding(
        producer=f"file {name}",
        kind="unreadable",
        count=1,
        sentence=f"{what} cannot be read: {error.problem.split('; --keep-damaged')[0]}.",
        cause="Everything else was checked without it."
        if size
        else "An empty file: its writer was stopped before it wrote, or the disk was full.",
    )


def read_run(name: str, folder: Path, files: Sequence[Detected]) -> ReadRun:
    """Read one run; files and parts that cannot be read are left out, each with a finding."""
    run = ReadRun()
    left = list(files)
    while left:
        try:
            run.traces = _traces(name, folder, left)
            return run
        except InputError as error:
            bad = next((one for one in left if str(one.path) == error.path), None)
            if bad is None:
                run.findings.append(unreadable(Path(error.path), error))
                return run
            rest = [one for one in left if one is not bad]
            smaller = _without_part(name, folder, bad, rest, error, run)
            left = rest if smaller is None else [smaller, *rest]
            if smaller is None:
                run.findings.append(unreadable(bad.path, error))
                run.partly |= bad.is_main
    return run


def _traces(name: str, folder: Path, files: Sequence[Detected]) -> list[Trace]:
    importers = tuple(dict.fromkeys(one.importer for one in files if one.importer is not None))
    paths = tuple(one.path for one in files)
    job = FileBatch(storable(name), folder, paths, importers, known=tuple(files))
    return list(job.traces(keep_damaged=True))


def _without_part(
    name: str,
    folder: Path,
    bad: Detected,
    rest: Sequence[Detected],
    error: InputError,
    run: ReadRun,
) -> Detected | None:
    """The file less the part that the error is about; None where no single part is to blame."""
    if bad.json is None:
        return None
    for part, instead in PARTS.get(bad.kind, {}).items():
        if part not in bad.json or bytes(bad.json.values[part].data) == instead:
            continue
        smaller = replace(bad, json=_less(bad.json, part, instead))
        try:
            _traces(name, folder, [smaller, *rest])
        except InputError as other:
            if (other.path, other.problem) == (error.path, error.problem):
                continue
        run.findings.append(unreadable(bad.path, error, part))
        run.partly = True
        return smaller
    return None


def _less(file: JsonFile, part: str, instead: bytes | None) -> JsonFile:
    values = {key: span for key, span in file.values.items() if key != part}
    if instead is not None:
        text = np.frombuffer(instead, np.uint8)
        values[part] = TextSpan(file.path, text, text)
    return JsonFile(file.path, file.whole, values)


def read_stored(folder: Path) -> ReadRun:
    """Read a stored trace, table by table."""
    run = ReadRun()
    try:
        checksums = read_checksums(folder)
        meta = read_meta(folder, checksums)
    except InputError as error:
        run.findings.append(unreadable(Path(error.path), error))
        return run
    words, tables = Words(), {}
    for name, schema in SCHEMA.items():
        try:
            tables[name] = read_table(place_of(folder), schema, checksums).table(words)
        except InputError as error:
            run.findings.append(unreadable(Path(error.path), error))
            run.partly = True
            tables[name] = Table.build(name, {})
    run.traces = [Trace(meta=meta, words=words.freeze(), **tables)]
    return run
