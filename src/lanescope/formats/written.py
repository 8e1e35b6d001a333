"""What an exporter says about what it wrote."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Result):
    """What an exporter wrote, and where."""

    output: str
    """The file or folder."""
    format: str
    """The exporter's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesExport(Export):
    """An export that is a set of files: a folder, or one of its files."""

    files: tuple[str, ...]
    """Names of the files, in the folder or of the one file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnExport(Export):
    """An export that a viewer draws: one file with bars on lanes."""

    slices: int
    """Bars; the name is a key of the command's JSON."""
    lanes: int
    """Lanes with bars: sub-lanes and empty lanes count, series do not."""
    arrows: int
    arrows_not_drawn: int
    """Dependencies with an end that has no bar, or that point back in time."""
    bytes: int
    """Size of the file, after compression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RanksExport(DrawnExport):
    """An export of all ranks of a job."""

    ranks: int
