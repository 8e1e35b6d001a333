"""Classes whose JSON is something else than their fields."""

from __future__ import annotations

import typing

from lanescope.analyze.tasks.functions import FunctionCost
from lanescope.cli.schemas import dicts, tool_dicts
from lanescope.cli.schemas.shapes import JsonForm
from lanescope.jobs.clock import JobClock
from lanescope.jobs.waits import JobWaits
from lanescope.model.boards.listing import BoardSheet
from lanescope.model.manifest.making import ModelManifest
from lanescope.model.manifest.manifest import Manifest, ManifestRegion
from lanescope.model.memory.statistics import HostStatistics, Statistics
from lanescope.model.schedule.difference import PredictionDifference
from lanescope.model.schedule.prediction import ProgramRoofline
from lanescope.overhead.core_sources import SourceResult
from lanescope.overhead.report import BenchReport, BenchSetting, FitReport, SourceReport
from lanescope.platforms.budget.choice import BudgetReport, LevelOption
from lanescope.platforms.listing import PlatformSheet, PlatformSummary
from lanescope.platforms.outcome import Makespans, RunOutcome
from lanescope.platforms.sim.chip import ChipValue
from lanescope.probe.result import Findings, ProbeVerdict
from lanescope.replay.correction.record_costs import CostFile

_NUMBERS = typing.get_type_hints(dicts.TraceNumbers)
_FACTS = {
    "cores": dict[str, int],
    **dict.fromkeys(("orchestrators", "schedulers", "counter_hz", "aic_hz", "aiv_hz"), int),
}

FORMS: dict[type, JsonForm | type] = {
    BenchReport: JsonForm(spread=("setting",)),
    BenchSetting: JsonForm(optional=("pin", "processors", "clock_hz", "device")),
    BoardSheet: JsonForm(
        more={"values": dict[str, tool_dicts.KnownValue]}, optional=("file_keys",)
    ),
    BudgetReport: dicts.BudgetFigures,
    Findings: tool_dicts.ProbeFigures,
    FitReport: CostFile,
    FunctionCost: JsonForm(more={"count": int}),
    HostStatistics: JsonForm(more={"link_utilisation": float}),
    JobClock: JsonForm(without=("zero", "middle")),
    JobWaits: JsonForm(without=("detail",)),
    LevelOption: JsonForm(without=("recording",), more={"fits_memory": bool}),
    Makespans: JsonForm(more=dict.fromkeys(("kept", "median_ns", "least_ns", "most_ns"), int)),
    Manifest: tool_dicts.ManifestFile,
    ManifestRegion: JsonForm(without=("layer", "size_bytes"), more={"layer_id": int, "size": int}),
    ModelManifest: JsonForm(optional=("whole_model",)),
    PlatformSheet: JsonForm(spread=("summary",), more={"values": list[ChipValue]}),
    PlatformSummary: JsonForm(without=("facts",), more=_FACTS, optional=tuple(_FACTS)),
    PredictionDifference: JsonForm(without=("first", "second")),
    ProbeVerdict: JsonForm(without=("question",), more={"question": str}),
    ProgramRoofline: JsonForm(more={"side": str}),
    RunOutcome: JsonForm(
        without=("trace", "capture"),
        more={"tensors_folder": str, **_NUMBERS, "perfetto": str | None},
        optional=("budget", "rounds", "tensors_folder", *_NUMBERS, "perfetto"),
    ),
    SourceReport: JsonForm(
        without=("results",), spread=("setting",), more={"core_sources": list[SourceResult]}
    ),
    Statistics: JsonForm(
        more={"elapsed_ps": int, "memory_utilisation": float, "bytes_per_s": float},
    ),
}
"""Classes whose `to_dict` gives something else than their fields."""
