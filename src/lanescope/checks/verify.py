"""`verify`: is a stored trace, or what a killed run left, still byte for byte what was written?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lanescope.capture.directory import process_directories, spools
from lanescope.capture.spool import SpoolReader
from lanescope.checks.naming import are
from lanescope.errors import InputError
from lanescope.formats.json_file import storable
from lanescope.render.cells import many_text
from lanescope.render.names import printable
from lanescope.results import Result
from lanescope.trace.integrity import damaged_files, read_checksums
from lanescope.trace.places import Place, PlaceLike, place_of


@dataclass(frozen=True, slots=True)
class VerifiedFile(Result):
    """One file, and what is wrong with it."""

    name: str
    problem: str
    """Empty where it is what was written."""


@dataclass(frozen=True, slots=True)
class Verified(Result):
    """The files of a trace or capture."""

    DERIVED = ("whole",)

    path: str
    files: tuple[VerifiedFile, ...]

    @property
    def whole(self) -> bool:
        """Whether every file is what was written."""
        return not any(file.problem for file in self.files)

    def text(self) -> str:
        """A line per damaged file, or one that says that there is none; ends in a newline."""
        wrong = [file for file in self.files if file.problem]
        if not wrong:
            return f"{self.path}: all {len(self.files)} files are as they were written\n"
        lines = [f"{self.path}: {file.name} {file.problem}" for file in wrong]
        return "".join(f"{printable(line)}\n" for line in lines)


def verify(path: PlaceLike) -> Verified:
    """Says whether a trace or capture is still what was written.

    Args:
        path: A stored trace (NAME.lanes or its URL), or what a killed run left (NAME.capture).

    Returns:
        The files, each with what is wrong with it; `verified.whole` is True where none is damaged.

    Raises:
        InputError: There is no such trace or capture, or it is older than checksums.

    Examples:
        >>> lanescope.verify("run.lanes").whole
        True
    """
    place = place_of(path)
    folder = place.local
    if folder is None:
        return _of_trace(place)
    if not folder.is_dir():
        raise InputError(folder, "is no trace and no capture; both are directories")
    if (folder / "meta.json").is_file():
        return _of_trace(place)
    found = [spool for one in (folder, *process_directories(folder)) for spool in spools(one)]
    if not found:
        raise InputError(folder, "is no trace (no meta.json) and no capture (no spool)")
    return Verified(storable(folder), tuple(_of_spool(folder, spool) for spool in found))


def _of_trace(place: Place) -> Verified:
    if not (place / "meta.json").exists():
        raise InputError(place, "is no trace (no meta.json)")
    checksums = read_checksums(place)
    wrong = damaged_files(place, checksums)
    files = tuple(VerifiedFile(name, wrong.get(name, "")) for name in checksums.files)
    return Verified(storable(str(place)), files)


def _of_spool(place: Path, spool: Path) -> VerifiedFile:
    name = storable(spool.relative_to(place))
    try:
        reader = SpoolReader(spool)
    except InputError as error:
        return VerifiedFile(name, f"is damaged ({error.problem})")
    frames = sum(1 for _ in reader.frames())
    if not reader.damage:
        return VerifiedFile(name, "")
    first = reader.damage[0]
    lost = sum(one.size for one in reader.damage)
    return VerifiedFile(
        name,
        f"has {lost:,} bytes that are no frame, in {many_text(len(reader.damage), 'place')} (the "
        f"first at byte {first.offset:,}: {first.problem}); {are(frames, 'frame')} whole, "
        "'lanescope recover' reads what is whole",
    )
