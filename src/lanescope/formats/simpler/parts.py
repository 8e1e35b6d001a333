"""What lies between the files of one run and its Trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanescope.formats.json_file import JsonFile
from lanescope.formats.simpler.deps import Graph
from lanescope.formats.simpler.host import ClockFit
from lanescope.formats.simpler.pmu import PmuRows
from lanescope.formats.simpler.records import PhaseList, Records
from lanescope.trace import LedgerEntry, Source, Words
from lanescope.trace.task_rows import TaskRows


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of one run, by what they hold."""

    name: str
    records: JsonFile | None = None
    deps: JsonFile | None = None
    names: JsonFile | None = None
    pmu: Path | None = None
    scopes: Path | None = None
    host_phases: Path | None = None
    arguments: JsonFile | None = None
    identity: JsonFile | None = None
    host_logs: tuple[Path, ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Run:
    """What was read of a run. Words, ledger, notes and extra grow while the tables are made."""

    files: RunFiles
    words: Words = field(default_factory=Words)
    records: Records | None = None
    tasks: TaskRows | None = None
    graph: Graph | None = None
    pmu: PmuRows | None = None
    loose: list[PhaseList] = field(default_factory=list)
    placed: ClockFit | None = None
    """How the host's clock lies over the device's, where the host's log tells it."""
    ledger: list[LedgerEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
