"""Which importer knows a file, told by the content; the name only decides whether to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lanescope.errors import InputError, PluginError
from lanescope.formats.importer import Importer
from lanescope.formats.json_file import JsonFile, open_object
from lanescope.formats.look import FileLook
from lanescope.formats.packed import as_gzip, plain_name
from lanescope.plugins import warn_once

_JSON = (".json", ".json.gz")


@dataclass(frozen=True, slots=True)
class Detected:
    """A file that was looked into."""

    path: Path
    importer: Importer | None
    """Who knows it; None where nobody does."""
    kind: str
    """What it is to that importer; empty where nobody knows it."""
    json: JsonFile | None = None
    """The opened JSON object, where it is one."""
    bytes: int = 0
    """Size of the file, after unpacking."""

    @property
    def is_main(self) -> bool:
        """Whether the file makes a trace of its own."""
        return self.importer is not None and self.kind in self.importer.main_kinds

    @property
    def is_companion(self) -> bool:
        """Whether the file completes a run."""
        return self.importer is not None and self.kind in self.importer.companions


def detect(path: Path, importers: Sequence[Importer]) -> Detected:
    """Ask the importers in their order; the first that knows the file has it.

    Raises InputError where the file cannot be read, where it claims to be JSON and is not, or
    where an importer calls it its own but damaged, and no other importer knows it.
    """
    look = FileLook(path)
    problems: list[InputError] = []
    is_json = look.head[:1] in (b"{", b"[")
    for importer in importers:
        if is_json and not importer.json:
            continue
        try:
            kind = importer.recognises(look) if importer.recognises is not None else None
        except InputError as problem:
            problems.append(problem)
        except PluginError as problem:
            warn_once(f"{importer.package} recognises {importer.name}", problem)
        else:
            if kind is not None:
                return Detected(path, importer, kind, look.json, look.size)
    if look.problem is not None:
        problems.append(look.problem)
    if problems:
        raise problems[0]
    if look.shape == "other" and as_gzip(path.name).endswith(_JSON):
        open_object(path)  # Says where it is not JSON.
    return Detected(path, None, "", bytes=look.size)


def stem(path: Path) -> str:
    """The file's name without its ending."""
    return Path(plain_name(path.name)).stem
