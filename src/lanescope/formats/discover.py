"""From the paths people name to batches: which files belong together, and under what name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lanescope.errors import InputError, UsageError
from lanescope.formats.archives import NOT_LOOKED_INTO, Archives, archive_stem, is_archive
from lanescope.formats.available import importers
from lanescope.formats.batch import FileBatch, what_is_read
from lanescope.formats.detect import Detected, detect, stem
from lanescope.formats.importer import Importer
from lanescope.formats.json_file import storable
from lanescope.formats.listener import STRICT, Listener
from lanescope.formats.packed import as_gzip


@contextmanager
def find_batches(
    paths: Sequence[Path],
    importer: Importer | None = None,
    *,
    apart: bool = False,
    listener: Listener = STRICT,
) -> Iterator[list[FileBatch]]:
    """One batch per folder with files to look at, and one for the files that were named.

    An archive is a folder. What was unpacked is removed at the end of the `with` block.

    Args:
        paths: Folders, archives and files.
        importer: The one importer that is asked; None asks all of them.
        apart: Ranks and runs in folders of their own give a trace each, not one together.
        listener: Told of files that give no trace; by default the first damaged one is raised.
    """
    if importer is not None and importer.recognises is None:
        if len(paths) != 1:
            problem = f"--format {importer.name} takes one file per trace, found {len(paths)}"
            raise UsageError(problem)
        yield [_unasked(paths[0], importer)]
        return
    # An importer of another package may know more of a file than ours, so it is asked first.
    known = (importer,) if importer else tuple(sorted(importers(), key=lambda one: not one.package))
    with Archives() as archives:
        yield Search(known, apart, listener, archives).batches(paths)


def _unasked(path: Path, importer: Importer) -> FileBatch:
    """A file that is taken for what the user says it is."""
    file = Detected(path, importer, importer.main_kinds[0])
    name = storable(stem(path))
    return FileBatch(name, path.parent, (path,), (importer,), frozenset({path}), (file,))


@dataclass(frozen=True, slots=True)
class Search:
    """Looks for files that these importers know."""

    importers: tuple[Importer, ...]
    apart: bool = False
    listener: Listener = STRICT
    archives: Archives = field(default_factory=Archives)

    def batches(self, paths: Sequence[Path]) -> list[FileBatch]:
        """The batches of all paths; two that would give a trace of the same name are refused."""
        batches: list[FileBatch] = []
        files: list[Path] = []
        for path in paths:
            mode = _mode(path)
            if stat.S_ISDIR(mode):
                batches += self._required(path, self._in_folder(path, path.resolve().name))
            elif stat.S_ISREG(mode) and is_archive(path):
                place = self.archives.open(path, self._is_looked_into, self.listener.skipped)
                with self.archives.naming():
                    batches += self._required(path, self._in_folder(place, archive_stem(path)))
            elif stat.S_ISREG(mode):
                files.append(path)
            else:
                raise InputError(path, "is no regular file; lanescope reads files as a whole")
        batches += self._of_named(list(dict.fromkeys(files)))
        _require_distinct(batches)
        return batches

    @property
    def _folded(self) -> frozenset[str]:
        return frozenset(name for one in self.importers for name in one.folded)

    def _required(self, root: Path, batches: list[FileBatch]) -> list[FileBatch]:
        if not batches:
            expected = what_is_read(self.importers)
            raise InputError(root, f"has no file to import; lanescope reads {expected}")
        return batches

    def _in_folder(self, root: Path, called: str, above: tuple[str, ...] = ()) -> list[FileBatch]:
        """The batches below a folder; `above` is where it lies below the one that was asked for."""
        batches = []
        for place, folders, _ in os.walk(root):
            here = Path(place)
            folders[:] = self._looked_into(here, folders)
            if here.name in self._folded and here != root:
                continue
            way = (*above, *here.relative_to(root).parts)
            name = storable("-".join(way) or called)
            gatherer = self._gatherer(here)
            if gatherer is not None:
                gathered = FileBatch(
                    name, here, (), (gatherer,), archives=self.archives, gathered=True
                )
                batches.append(gathered)
                folders.clear()
                continue
            files = self._files_of(here)
            self._tell_skipped(here, files)
            if files:
                batches.append(FileBatch(name, here, files, self.importers, archives=self.archives))
            batches += self._in_archives(here, way)
        return batches

    def _looked_into(self, here: Path, folders: list[str]) -> list[str]:
        """The folders that are not hidden and no trace that is stored."""
        for name in sorted(folders):
            if name.endswith(".lanes"):
                self._skip(here / name, "is a stored trace already")
        return sorted(f for f in folders if not f.startswith(".") and not f.endswith(".lanes"))

    def _in_archives(self, here: Path, way: tuple[str, ...]) -> list[FileBatch]:
        """The batches of the archives in a folder; one inside an archive is not opened."""
        batches = []
        inside = any(here.is_relative_to(place) for place in self.archives.places)
        for path in [] if inside else sorted(p for p in here.iterdir() if is_archive(p)):
            try:
                place = self.archives.open(path, self._is_looked_into, self.listener.skipped)
            except InputError as error:
                self.listener.failed(error)
            else:
                stem = archive_stem(path)
                batches += self._in_folder(place, stem, (*way, stem))
        return batches

    def _tell_skipped(self, here: Path, files: tuple[Path, ...]) -> None:
        inside = any(here.is_relative_to(place) for place in self.archives.places)
        for path in sorted(set(here.iterdir()) - set(files)):
            hidden = path.name.startswith(".")
            if path.is_file() and not hidden and (inside or not is_archive(path)):
                self._skip(path, NOT_LOOKED_INTO)

    def _skip(self, path: Path, reason: str) -> None:
        self.listener.skipped(Path(self.archives.shown(path)), reason)

    def _is_looked_into(self, name: str) -> bool:
        """Whether a file of this name may be of a format."""
        endings = tuple(ending for one in self.importers for ending in one.endings)
        return as_gzip(name).endswith(endings)

    def _gatherer(self, folder: Path) -> Importer | None:
        """The importer that makes one trace of all below a folder."""
        if self.apart:
            return None
        return next((one for one in self.importers if one.gathers and one.gathers(folder)), None)

    def _files_of(self, folder: Path) -> tuple[Path, ...]:
        """The files to look into: of the folder, and of those inside that belong to it."""
        places = [folder, *(folder / inner for inner in sorted(self._folded))]
        try:
            files = [p for place in places if place.is_dir() for p in sorted(place.iterdir())]
            return tuple(p for p in files if self._is_looked_into(p.name) and p.is_file())
        except OSError as error:
            raise InputError(folder, f"cannot be read ({error.strerror})") from error

    def _of_named(self, files: list[Path]) -> list[FileBatch]:
        """To a single main file that has companions the others belong, else they go by folder."""
        named = self._detected(files)
        if sum(_has_companions(one) for one in named) == 1:
            return [self._together(named)]
        by_folder: dict[Path, list[Detected]] = {}
        for one in named:
            by_folder.setdefault(one.path.parent, []).append(one)
        return [self._together(some) for some in by_folder.values()]

    def _detected(self, files: list[Path]) -> list[Detected]:
        """The files that can be read; beside a run that has companions all must be readable."""
        known, damaged = [], []
        for path in files:
            try:
                known.append(detect(path, self.importers))
            except InputError as error:
                damaged.append(error)
        for problem in damaged:
            if any(_has_companions(one) for one in known):
                raise problem
            self.listener.failed(problem)
        return known

    def _together(self, named: list[Detected]) -> FileBatch:
        """One batch for named files; what lies beside a single main file belongs to it."""
        mains = [one for one in named if _has_companions(one)]
        if len(mains) == 1:
            return self._around(mains[0], {one.path: one for one in named})
        files = tuple(one.path for one in named)
        place = files[0].parent
        name = storable(place.resolve().name)
        return FileBatch(name, place, files, self.importers, frozenset(files), tuple(named))

    def _around(self, main: Detected, named: dict[Path, Detected]) -> FileBatch:
        """The named files, and those beside the main file whose kind was not named."""
        place = main.path.parent
        paths = [path for path in self._files_of(place) if path not in named]
        beside = [detect(path, self.importers) for path in paths]
        own = [one for one in beside if one.importer is main.importer]
        name = storable(place.resolve().name)
        if any(one.kind == main.kind for one in own):
            own, name = [], storable(stem(main.path))
        taken = {one.kind for one in named.values()}
        own = [one for one in own if one.is_companion and one.kind not in taken]
        known = (*named.values(), *own)
        files = tuple(one.path for one in known)
        return FileBatch(name, place, files, self.importers, frozenset(named), known)


def _has_companions(one: Detected) -> bool:
    """Whether a file is the main one of a run that may have others."""
    return one.is_main and one.importer is not None and one.importer.run_is_folder


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        raise InputError(path, "no such file or directory") from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from error


def _require_distinct(batches: list[FileBatch]) -> None:
    seen: dict[str, Path] = {}
    for batch in batches:
        for name in batch.names():
            if name in seen:
                problem = f"gives a trace named {name!r}, and so does {seen[name]}"
                raise InputError(batch.place, f"{problem}; import them one at a time with -o")
            seen[name] = batch.place
