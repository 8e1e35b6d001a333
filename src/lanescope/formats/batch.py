"""Files that are looked at together, and the runs that they are: which belong to which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lanescope.errors import InputError, PluginError
from lanescope.formats.ahead import ahead
from lanescope.formats.archives import Archives
from lanescope.formats.bundle import Bundle, ImportAccount
from lanescope.formats.detect import Detected, detect, stem
from lanescope.formats.importer import Importer
from lanescope.formats.json_file import storable
from lanescope.formats.listener import STRICT, Listener
from lanescope.trace import Trace


@dataclass(frozen=True, slots=True)
class FileBatch:
    """The files of one folder, or files that the user named; they give any number of traces."""

    name: str
    place: Path
    files: tuple[Path, ...]
    importers: tuple[Importer, ...]
    """Who is asked about the files, in this order."""
    named: frozenset[Path] = field(default_factory=frozenset)
    """Files that the user named: not knowing one of them is an error."""
    known: tuple[Detected, ...] = ()
    """Files that were looked into already."""
    archives: Archives = field(default_factory=Archives)
    """Where files of archives lie."""
    gathered: bool = False
    """Whether all that lies below `place` is one trace, which its only importer reads."""

    def traces(
        self,
        *,
        keep_damaged: bool = False,
        options: Mapping[str, Any] | None = None,
        tell: Callable[[ImportAccount], None] | None = None,
        listener: Listener = STRICT,
    ) -> Iterator[Trace]:
        """Read every run of these files; files that nobody named may be of any kind.

        Args:
            keep_damaged: Keep records that are duplicate, backward or cyclic, and flag them.
            options: Options of the importer, parsed.
            tell: Called with what an import says beside its trace, before the trace is given.
            listener: Told of files that give no trace; by default the first damaged one is raised.
        """
        if self.gathered:
            whole = Bundle(name=self.name, files={}, folder=self.place)
            bundles = [(self.importers[0], whole)]
        else:
            bundles = list(self._found(listener))
        for importer, bundle in bundles:
            asked = replace(bundle, keep_damaged=keep_damaged, options=_of(importer, options))
            asked = asked if tell is None else replace(asked, tell=tell)
            try:
                with self.archives.naming():
                    for trace in importer.read(asked):
                        yield self.archives.named(trace)
            except (InputError, PluginError) as error:
                listener.failed(error)

    def _found(self, listener: Listener) -> Iterator[tuple[Importer, Bundle]]:
        """The runs of the files, less those that a damaged file may belong to."""

        def skip(path: Path, reason: str) -> None:
            listener.skipped(Path(self.archives.shown(path)), reason)

        files, damaged = self._looked_into()
        for problem in damaged:
            listener.failed(problem)
        for one in files:
            if one.importer is None and one.path in self.named:
                listener.failed(InputError(one.path, self._unknown()))
            elif one.importer is None:
                skip(one.path, "no importer knows what it holds")
        for one in self._copies(files):
            skip(one.path, "made from the run beside it; name it to import it")
        for importer, bundle in self._bundles(files):
            if not (damaged and importer.run_is_folder):
                yield importer, bundle

    def _looked_into(self) -> tuple[list[Detected], list[InputError]]:
        """The files, and what is wrong with those that cannot be read."""
        known = {one.path: one for one in self.known}

        def look(path: Path) -> Detected | InputError:
            try:
                with self.archives.naming():
                    return known.get(path) or detect(path, self.importers)
            except InputError as error:
                return error

        looked = list(ahead(look, self.files))
        damaged = [one for one in looked if isinstance(one, InputError)]
        return [one for one in looked if isinstance(one, Detected)], damaged

    def _copies(self, files: list[Detected]) -> list[Detected]:
        mains = {one.path for one in self._mains(files)}
        return [one for one in files if one.is_main and one.path not in mains]

    def names(self) -> list[str]:
        """What the traces will be called, as far as the files were looked into already."""
        return [bundle.name for _, bundle in self._bundles(list(self.known))] or [self.name]

    def _unknown(self) -> str:
        """Why a file that the user named cannot be read."""
        if len(self.importers) == 1:
            [importer] = self.importers
            return (
                f"is not of format {importer.name}, which is for {importer.reads}; "
                "leave the format out to have it told by the content"
            )
        return f"is not a file lanescope knows; it reads {what_is_read(self.importers)}"

    def _bundles(self, files: list[Detected]) -> Iterator[tuple[Importer, Bundle]]:
        """The runs, importer by importer."""
        mains = self._mains(files)
        for importer in self.importers:
            own = [one for one in files if one.importer is importer]
            of_importer = [one for one in mains if one.importer is importer]
            companions, notes = self._companions(importer, own, len(of_importer))
            several = {k: tuple(one for one in own if one.kind == k) for k in importer.many}
            whole = Bundle(name=self.name, files={}, several=several, notes=notes)
            for main in of_importer:
                files_of_run = {one.kind: one for one in (main, *companions)}
                name = self._name_of(main, mains)
                named = main.path in self.named
                yield importer, replace(whole, name=name, files=files_of_run, named=named)
            beside = [*companions, *(one for some in several.values() for one in some)]
            if not of_importer and any(one.kind in importer.alone for one in beside):
                yield importer, replace(whole, files={one.kind: one for one in companions})

    def _mains(self, files: list[Detected]) -> list[Detected]:
        """The files that make a trace each, less those that are copies of others."""
        best: dict[str, str] = {}
        for one in files:
            if one.importer is not None and one.is_main:
                rival = best.get(one.importer.name, one.kind)
                kinds = one.importer.main_kinds
                best[one.importer.name] = min(rival, one.kind, key=kinds.index)
        originals = any(_is_original(one) for one in files)

        def is_copy(one: Detected, importer: Importer) -> bool:
            return one.kind != best[importer.name] or (importer.copies and originals)

        return [
            one
            for one in files
            if one.importer is not None
            and one.is_main
            and (one.path in self.named or not is_copy(one, one.importer))
        ]

    def _companions(
        self, importer: Importer, own: list[Detected], mains: int
    ) -> tuple[list[Detected], tuple[str, ...]]:
        """One file of each kind, and a note where it is not clear which, or whose it is."""
        taken: list[Detected] = []
        notes = []
        for kind in importer.companions:
            some = [one for one in own if one.kind == kind]
            some = [one for one in some if one.path in self.named] or some
            names = ", ".join(storable(one.path.name) for one in some)
            if len(some) > 1:
                notes.append(f"Several files of kind {kind} ({names}): none was used.")
            elif some and mains <= 1:
                taken += some
            elif some:
                main = importer.main_kinds[0]
                notes.append(f"{names} lies beside several {main} files and was not used.")
        return taken, tuple(notes)

    def _name_of(self, main: Detected, mains: Sequence[Detected]) -> str:
        """A trace's name: that of the batch, or where it gives several that of the file.

        A run that is a folder is named after the folder even beside single files. A single file
        that the user named is named after itself.
        """
        assert main.importer is not None
        if main.importer.run_is_folder:
            rivals = [one for one in mains if one.importer and one.importer.run_is_folder]
        else:
            rivals = list(mains)
        if len(rivals) == 1 and (main.importer.run_is_folder or not self.named):
            return self.name
        return storable(stem(main.path) if self.named else f"{self.name}-{stem(main.path)}")


def _of(importer: Importer, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that are of this importer."""
    own = {option.name for option in importer.options}
    return {name: value for name, value in (options or {}).items() if name in own}


def what_is_read(importers: Sequence[Importer]) -> str:
    """What the importers read, for the end of an error message."""
    reads = [
        one.reads if one.recognises is not None else f"{one.reads} (with --format {one.name})"
        for one in importers
    ]
    return " and ".join([", ".join(reads[:-1]), reads[-1]] if len(reads) > 1 else reads)


def _is_original(one: Detected) -> bool:
    """Whether a file makes a trace of which other files may be copies."""
    importer = one.importer
    if importer is None or importer.copies:
        return False
    return one.is_main or one.kind in importer.alone
