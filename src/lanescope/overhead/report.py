"""What `lanescope bench` answers: the results, together with what was run and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from lanescope.overhead.comparison import BenchResult
from lanescope.overhead.core_sources import SourceResult, render_sources
from lanescope.overhead.costs_table import render_costs
from lanescope.overhead.table import render_table
from lanescope.render.cells import many_text
from lanescope.replay.correction.record_costs import CostFile, RecordCosts
from lanescope.results import Result, plain

_REAL_ONLY = ("pin", "processors", "clock_hz", "device")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchSetting(Result):
    """What was run, how often, and on which machine."""

    workload: str
    tasks: int
    rounds: int
    seed: int
    platform: str
    pre_dispatch: int
    on_full: str
    buffer_records: int
    buffers: int
    cores: tuple[str, ...]
    """The kind of each core."""
    schedulers: int
    pin: bool | None = None
    """Whether each thread is tied to a processor; None where no threads run."""
    processors: int | None = None
    """Processors that the threads may use; None where no threads run."""
    clock_hz: int | None = None
    """Rate of the clock that is recorded; None where no threads run."""
    device: str | None = None
    """Name of the GPU; None elsewhere."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields; those that only a real machine has are left out where None."""
        every = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {
            name: value
            for name, value in every.items()
            if name not in _REAL_ONLY or value is not None
        }


@dataclass(frozen=True, slots=True)
class BenchReport(Result):
    """What recording costs: every configuration over all rounds."""

    setting: BenchSetting
    results: tuple[BenchResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the setting and, as `results`, one dict per configuration."""
        return {**self.setting.to_dict(), "results": plain(self.results)}

    def text(self) -> str:
        """Return the heading and the tables, ending in a newline."""
        return f"{_heading(self.setting)}\n\n{render_table(self.results)}"


@dataclass(frozen=True, slots=True)
class SourceReport(Result):
    """What the core swimlane brings from each source."""

    setting: BenchSetting
    results: tuple[SourceResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the setting and, as `core_sources`, one dict per source."""
        return {**self.setting.to_dict(), "core_sources": plain(self.results)}

    def text(self) -> str:
        """Return the heading and the table, ending in a newline."""
        setting = self.setting
        return (
            f"{setting.workload} on {setting.platform}: {many_text(setting.tasks, 'task')}, "
            f"{many_text(setting.rounds, 'round')}\n\n{render_sources(self.results)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport(Result):
    """Nanoseconds per record of each kind, fitted for one platform."""

    platform: str
    rounds: int
    fits: tuple[RecordCosts, ...]
    """One for each protocol."""
    known: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Protocol and kind of record to the ns that a simulated chip charges; empty elsewhere."""

    def to_dict(self) -> dict[str, Any]:
        """Return what a file of costs holds."""
        costs: dict[str, Any] = plain(CostFile(fits=self.fits))
        return costs

    def file_text(self) -> str:
        """Return the text of a file of costs, for `lanescope report TRACE --corrected FILE`."""
        return msgspec.json.format(msgspec.json.encode(self.to_dict())).decode() + "\n"

    def text(self) -> str:
        """Return the heading and the table, ending in a newline."""
        rounds = many_text(self.rounds, "round")
        heading = f"probes on {self.platform}, {rounds} after one to warm up"
        return f"{heading}\n\n{render_costs(self.fits, self.known)}"


def _heading(setting: BenchSetting) -> str:
    lines = [
        f"{setting.workload} on {setting.platform}{_which(setting)}: "
        f"{many_text(setting.tasks, 'task')} on "
        f"{many_text(len(setting.cores), 'core')} and "
        f"{many_text(setting.schedulers, 'scheduler')}, "
        f"{many_text(setting.rounds, 'round')} after one to warm up",
        f"{many_text(setting.buffers, 'buffer')} of "
        f"{many_text(setting.buffer_records, 'record')} per lane, on-full {setting.on_full}",
    ]
    if setting.device is not None:
        lines.append("makespans on the GPU's own clock, inside the kernel, at level 0, too")
    if setting.processors is not None and setting.clock_hz is not None:
        lines.append(_processors(setting, setting.processors, setting.clock_hz))
    return "\n".join(lines)


def _which(setting: BenchSetting) -> str:
    if setting.device is not None:
        return f" ({setting.device})"
    return " (simulated)" if setting.pin is None else ""


def _processors(setting: BenchSetting, processors: int, clock_hz: int) -> str:
    threads = len(setting.cores) + setting.schedulers + 1
    line = f"{many_text(processors, 'processor')}, clock {clock_hz / 1e6:,.1f} MHz"
    if threads + 1 > processors:
        line += f"; {threads} threads and the collector share them, so expect a wide spread"
    return line
