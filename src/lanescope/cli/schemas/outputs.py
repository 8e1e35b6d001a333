"""Which command prints which type as JSON."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lanescope.analyze.compare.diff import Diff
from lanescope.analyze.registry import own_analyses
from lanescope.capture.flight import Flight
from lanescope.checks.finding import CheckedPath
from lanescope.checks.verify import Verified
from lanescope.cli.schemas import dicts, tool_dicts
from lanescope.dump.read import DumpedTensor
from lanescope.fleet.comparing import FleetDiff, JudgedLimit
from lanescope.fleet.indexing import Indexed
from lanescope.fleet.outliers import Outliers
from lanescope.fleet.report import FleetReport
from lanescope.fleet.trend import Trend
from lanescope.formats.written import DrawnExport, Export, FilesExport, RanksExport
from lanescope.model.boards.listing import BoardCheck, BoardSheet, BoardSummary
from lanescope.model.fit.compare import FitComparison
from lanescope.model.fit.result import Fit
from lanescope.model.manifest.making import ModelManifest
from lanescope.overhead.report import BenchReport, FitReport, SourceReport
from lanescope.platforms.listing import PlatformSheet, PlatformSummary
from lanescope.platforms.outcome import RunOutcome
from lanescope.probe.result import Findings
from lanescope.replay.correction.corrected import Corrected
from lanescope.replay.what_if import WhatIf
from lanescope.reports.streamed import LeftOut
from lanescope.viewer.write import PageSummary
from lanescope.workloads.settings import WorkloadSummary


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
    lines: bool = False
    """Whether there is a line, with an object each, for every trace."""


def _answers() -> dict[str, Any]:
    hints = {one.name: typing.get_type_hints(one.answer)["return"] for one in own_analyses()}
    more = {"plots": list[str], "set_aside": list[str], "left_out": LeftOut}
    return {"report_version": int, **hints, **more}


OUTPUTS: dict[str, JsonOutput] = {
    "run": JsonOutput(command="run WORKLOAD", kinds=(RunOutcome,)),
    "bench": JsonOutput(command="bench WORKLOAD", kinds=(BenchReport,)),
    "bench-sources": JsonOutput(command="bench WORKLOAD --core-source NAME", kinds=(SourceReport,)),
    "bench-fit": JsonOutput(command="bench --fit", kinds=(FitReport,)),
    "collect": JsonOutput(
        command="collect -- PROGRAM", kinds=(tool_dicts.CollectedTrace,), lines=True
    ),
    "agent": JsonOutput(command="agent --region PATH", kinds=(tool_dicts.AgentAddress,)),
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
    "view": JsonOutput(command="view TRACE", more={"url": str}),
    "view-page": JsonOutput(
        command="view TRACE --html FILE",
        kinds=(PageSummary,),
        more={"output": str, "unread": int, "set_aside": list[str]},
        optional=("unread", "set_aside"),
    ),
    "export": JsonOutput(
        command="export TRACE --to FORMAT",
        kinds=(RanksExport, DrawnExport, FilesExport, Export),
        more={"set_aside": list[str]},
        optional=("set_aside",),
    ),
    "what-if": JsonOutput(command="what-if TRACE", kinds=(WhatIf,), more={"trace": str | None}),
    "diff": JsonOutput(command="diff A B", kinds=(Diff,), more={"failed": list[str]}),
    "fleet-index": JsonOutput(command="fleet index FOLDER", kinds=(Indexed,)),
    "fleet-report": JsonOutput(command="fleet report FLEET", kinds=(FleetReport,)),
    "fleet-query": JsonOutput(command="fleet query FLEET SQL", item=dict),
    "fleet-outliers": JsonOutput(command="fleet outliers FLEET", kinds=(Outliers,)),
    "fleet-trend": JsonOutput(command="fleet trend FLEET MEASURE", kinds=(Trend,)),
    "fleet-diff": JsonOutput(
        command="fleet diff FLEET BASE NEW",
        kinds=(FleetDiff,),
        more={"limits": list[JudgedLimit]},
    ),
    "recover": JsonOutput(command="recover DIR", kinds=(tool_dicts.RecoveredTrace,), lines=True),
    "flight": JsonOutput(command="flight PATH", kinds=(Flight,)),
    "tensors": JsonOutput(command="tensors DIR", item=DumpedTensor),
    "tensors-export": JsonOutput(
        command="tensors DIR --export FILE.npy",
        kinds=(DumpedTensor,),
        more={"output": str, "exported_shape": list[int]},
    ),
    "probe": JsonOutput(command="probe", kinds=(Findings,), more={"captures": str}),
    "workloads": JsonOutput(command="workloads", item=WorkloadSummary),
    "platforms": JsonOutput(command="platforms", item=PlatformSummary),
    "platforms-show": JsonOutput(command="platforms NAME", kinds=(PlatformSheet,)),
    "boards": JsonOutput(command="boards", item=BoardSummary),
    "boards-show": JsonOutput(command="boards show NAME", kinds=(BoardSheet,)),
    "boards-check": JsonOutput(command="boards check NAME", kinds=(BoardCheck,)),
    "predict": JsonOutput(
        command="predict PROGRAM",
        kinds=(dicts.PredictionFigures, dicts.PredictionsCompared),
        more={"trace": str | None},
        optional=("trace",),
    ),
    "manifest": JsonOutput(command="manifest MODEL", kinds=(ModelManifest,)),
    "fit": JsonOutput(
        command="fit MODEL", kinds=(Fit, FitComparison), more={"svg": str}, optional=("svg",)
    ),
    "config": JsonOutput(
        command="config", more={"file": str | None, "defaults": list[tool_dicts.ConfigDefault]}
    ),
    "completion": JsonOutput(command="completion SHELL", more={"shell": str, "script": str}),
}
"""Every output of a command, by the name of its schema's file in docs/schemas."""
