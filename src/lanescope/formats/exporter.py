"""What an exporter is: one object that writes a trace in another tool's format.

A new one is a file with a `write` function and an entry in `registry.py`; another package names
its own in the entry point group `lanescope.exporters`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lanescope.formats.option import FormatOption
from lanescope.render.names import file_name

if TYPE_CHECKING:
    from lanescope.formats.written import Export
    from lanescope.trace import Trace
    from lanescope.trace.highlight import Highlighter


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the caller asks of an exporter beside the trace and the place."""

    highlight: Highlighter | None = None
    """Makes bars to draw on lanes of their own, such as the critical path. That takes time and may
    be done in another thread."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The exporter's own options by name, parsed; those not given are absent."""


@dataclass(frozen=True, slots=True)
class RankPart:
    """One rank of a job that is exported whole."""

    rank: int
    trace: Callable[[], Trace]
    """Reads it; its times are on the common axis of the job, and none is negative."""
    facts: Mapping[str, int | str] = field(default_factory=dict)
    """What is known of its clock, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """One foreign format as a target of traces."""

    name: str
    """The format's name for `--to`."""
    writes: str
    """What it writes, in one line. For help and documentation."""
    ending: str
    """What is put behind the trace's name where no output is named."""
    target: Literal["file", "folder"] = "file"
    """What is written. A file whose name ends in .gz or .zst is compressed."""
    write: Callable[[Trace, Path, ExportOptions], Export]
    """Writes the trace, whole or not at all, and returns what was written."""
    write_ranks: Callable[[Sequence[RankPart], Path, Mapping[str, str]], Export] | None = None
    """Writes all ranks of a job, and facts about it, as one file; None where the format cannot."""
    ranks_ending: str = ""
    """What is put behind the job's name where no output is named."""
    opened: str = ""
    """How to open the result, as a sentence without a full stop; empty where that is plain."""
    options: tuple[FormatOption, ...] = ()
    """Options that only this format has."""
    url: str = ""
    """Where the format's makers are found."""
    package: str = ""
    """Name and version of the package that offers it; empty for lanescope's own."""

    def default_path(self, trace: Trace) -> Path:
        """Where the trace goes when no output is named: in this folder, under its own name."""
        return Path(file_name(trace.meta.name) + self.ending)
