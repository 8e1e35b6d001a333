"""Which command prints which type as JSON, and the schema of each."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lanescope.analyze.compare.diff import Diff
from lanescope.analyze.registry import own_analyses
from lanescope.analyze.tasks.functions import FunctionCost
from lanescope.checks.finding import CheckedPath
from lanescope.checks.verify import Verified
from lanescope.cli.printing import schema_name
from lanescope.cli.schemas import dicts
from lanescope.cli.schemas.shapes import JsonForm, Schema, SchemaMaker
from lanescope.fleet.comparing import FleetDiff, JudgedLimit
from lanescope.fleet.indexing import Indexed
from lanescope.fleet.outliers import Outliers
from lanescope.fleet.report import FleetReport
from lanescope.fleet.trend import Trend
from lanescope.jobs.clock import JobClock
from lanescope.jobs.waits import JobWaits
from lanescope.model.fit.compare import FitComparison
from lanescope.model.fit.result import Fit
from lanescope.model.memory.statistics import HostStatistics, Statistics
from lanescope.model.schedule.difference import PredictionDifference
from lanescope.model.schedule.prediction import ProgramRoofline
from lanescope.platforms.budget.choice import BudgetReport, LevelOption
from lanescope.platforms.outcome import Makespans, RunOutcome
from lanescope.replay.correction.corrected import Corrected
from lanescope.replay.what_if import WhatIf
from lanescope.reports.streamed import LeftOut

_OPTIONAL_NUMBERS = ("lanes", "ran", "host_threads", "steps", "collectives")
_NUMBERS = typing.get_type_hints(dicts.TraceNumbers)

FORMS: dict[type, JsonForm | type] = {
    BudgetReport: dicts.BudgetFigures,
    FunctionCost: JsonForm(more={"count": int}),
    HostStatistics: JsonForm(more={"link_utilisation": float}),
    JobClock: JsonForm(without=("zero", "middle")),
    JobWaits: JsonForm(without=("detail",)),
    LevelOption: JsonForm(without=("recording",), more={"fits_memory": bool}),
    Makespans: JsonForm(more=dict.fromkeys(("kept", "median_ns", "least_ns", "most_ns"), int)),
    PredictionDifference: JsonForm(without=("first", "second")),
    ProgramRoofline: JsonForm(more={"side": str}),
    RunOutcome: JsonForm(
        without=("trace", "capture"),
        more={"tensors_folder": str, **_NUMBERS, "perfetto": str | None},
        optional=("budget", "rounds", "tensors_folder", *_NUMBERS, "perfetto"),
    ),
    Statistics: JsonForm(
        more={"elapsed_ps": int, "memory_utilisation": float, "bytes_per_s": float},
    ),
}
"""Classes whose `to_dict` gives something else than their fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonOutput:
    """What one command prints with `--json`."""

    command: str
    """As it is typed."""
    kinds: tuple[Any, ...] = ()
    """It is an object of one of these types."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Keys that the command adds."""
    optional: tuple[str, ...] = ()
    """Those of them that are not always there."""
    item: Any = None
    """Where it is a list: the type of its items."""


def _answers() -> dict[str, Any]:
    hints = {one.name: typing.get_type_hints(one.answer)["return"] for one in own_analyses()}
    more = {"plots": list[str], "set_aside": list[str], "left_out": LeftOut}
    return {"report_version": int, **hints, **more}


OUTPUTS: dict[str, JsonOutput] = {
    "run": JsonOutput(command="run WORKLOAD", kinds=(RunOutcome,)),
    "import": JsonOutput(
        command="import DIR_OR_FILE",
        more={"traces": list[dicts.ImportedTrace], "skipped": list[dicts.SkippedFile]},
    ),
    "check": JsonOutput(command="check DIR_OR_FILE", item=CheckedPath),
    "verify": JsonOutput(command="verify PATH", item=Verified),
    "report": JsonOutput(
        command="report TRACE",
        more=_answers(),
        optional=tuple(_answers()),
    ),
    "report-corrected": JsonOutput(
        command="report TRACE --corrected", more={"name": str, "corrected": Corrected}
    ),
    "ranks": JsonOutput(
        command="ranks JOB",
        kinds=(dicts.RankFigures,),
        more={"plots": list[str]},
        optional=("plots",),
    ),
    "what-if": JsonOutput(command="what-if TRACE", kinds=(WhatIf,), more={"trace": str | None}),
    "diff": JsonOutput(command="diff A B", kinds=(Diff,), more={"failed": list[str]}),
    "predict": JsonOutput(
        command="predict PROGRAM",
        kinds=(dicts.PredictionFigures, dicts.PredictionsCompared),
        more={"trace": str | None},
        optional=("trace",),
    ),
    "fit": JsonOutput(
        command="fit MODEL", kinds=(Fit, FitComparison), more={"svg": str}, optional=("svg",)
    ),
    "fleet-index": JsonOutput(command="fleet index FOLDER", kinds=(Indexed,)),
    "fleet-report": JsonOutput(command="fleet report FLEET", kinds=(FleetReport,)),
    "fleet-outliers": JsonOutput(command="fleet outliers FLEET", kinds=(Outliers,)),
    "fleet-trend": JsonOutput(command="fleet trend FLEET MEASURE", kinds=(Trend,)),
    "fleet-diff": JsonOutput(
        command="fleet diff FLEET BASE NEW",
        kinds=(FleetDiff,),
        more={"limits": list[JudgedLimit]},
    ),
}
"""Outputs that have a schema, by the name of its file in docs/schemas."""


def schema(name: str) -> Schema:
    """The JSON Schema (2020-12) of one output."""
    output, shapes = OUTPUTS[name], SchemaMaker(FORMS)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_name(name),
        "title": f"lanescope {output.command} --json",
    }
    if output.item is not None:
        body: Schema = {"type": "array", "items": shapes.of(output.item)}
    else:
        own = {key: shapes.of(kind) for key, kind in output.more.items()}
        bodies = [_object(name, shapes, kind, own) for kind in output.kinds or (None,)]
        body = bodies[0] if len(bodies) == 1 else {"anyOf": bodies}
    return head | body | {"$defs": dict(sorted(shapes.definitions.items()))}


def _object(name: str, shapes: SchemaMaker, kind: Any, own: dict[str, Schema]) -> Schema:
    """One object: the name of its schema, the keys of a type, those of the command."""
    output = OUTPUTS[name]
    told: Schema = {"type": "object", "properties": {}, "required": []}
    if kind is not None:
        place = shapes.of(kind)["$ref"].rpartition("/")[2]
        told = shapes.definitions.pop(place)
    needed = [key for key in own if key not in output.optional]
    return told | {
        "properties": {"schema": {"const": schema_name(name)}, **told["properties"], **own},
        "required": ["schema", *told["required"], *needed],
    }
