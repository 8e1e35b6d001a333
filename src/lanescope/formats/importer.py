"""What an importer is: one object that says which files it knows and reads them into traces.

A new one is a file with its two functions and an entry in `registry.py`; another package names
its own in the entry point group `lanescope.importers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lanescope.formats.option import FormatOption

if TYPE_CHECKING:
    from pathlib import Path

    from lanescope.formats.bundle import Bundle
    from lanescope.formats.look import FileLook
    from lanescope.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One foreign format as a source of traces.

    A file has a kind, which `recognises` tells. A main file makes a trace. Companions complete
    the run of the main file beside them. An importer of single files has one kind: its own name.
    """

    name: str
    """The format's name for `--format`."""
    reads: str
    """What it reads, in two to five words in the plural: "Chrome traces". For errors and help."""
    files: str
    """Which files these are, in one line. For help and documentation."""
    endings: tuple[str, ...] = ()
    """How the names of its files end. In a folder only such files are looked into."""
    read: Callable[[Bundle], Iterator[Trace]]
    """Reads the files of one run. Most give one trace, some give several."""
    recognises: Callable[[FileLook], str | None] | None = None
    """The kind of a file, or None where the file is not of this format.

    It raises InputError where the file is of this format but cannot be read: the error counts
    if no other importer knows the file. An importer without it needs `--format`.
    """
    json: bool = True
    """Whether a file that begins as JSON does can be of this format; if not, it is not asked about
    such a file, and its modules need not be loaded."""
    mains: tuple[str, ...] = ()
    """Kinds of file that make a trace each, the best first; empty stands for the format's name.

    Beside a better kind the others are copies of the same run: they are read only when named.
    """
    companions: tuple[str, ...] = ()
    """Kinds that complete a run, in the order in which they are listed as its sources."""
    alone: tuple[str, ...] = ()
    """Companions that are worth a trace where there is no main file."""
    many: tuple[str, ...] = ()
    """Companions of which a run may have several files."""
    gathers: Callable[[Path], bool] | None = None
    """Whether all that lies below a folder is one trace of several ranks or runs.

    Then `read` gets the folder. It is asked about every folder, so it looks at names only.
    """
    folded: tuple[str, ...] = ()
    """Names of folders whose files belong to the run in the folder above."""
    copies: bool = False
    """Beside a run of another format its files are usually made from that run.

    They are read only when named, or where nothing else is.
    """
    options: tuple[FormatOption, ...] = ()
    """What the user must say because the file does not. They describe one file, so such an
    importer takes one file at a time."""
    url: str = ""
    """Where the format's makers are found."""
    package: str = ""
    """Name and version of the package that offers it; empty for lanescope's own."""

    @property
    def main_kinds(self) -> tuple[str, ...]:
        """Kinds of file that make a trace each, the best first."""
        return self.mains or (self.name,)

    @property
    def run_is_folder(self) -> bool:
        """Whether a run is a main file with its companions, and so is named after its folder."""
        return bool(self.companions)
