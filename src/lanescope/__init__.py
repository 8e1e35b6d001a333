"""lanescope: what every core of an AI accelerator did, when, and why it waited.

Every verb of the command line is a function here, with the same words as its options; see
docs/python.md. The names load on first use, so that `import lanescope` costs nothing (PEP 562).
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module typing would take 5 ms
if TYPE_CHECKING:
    from lanescope.analyze.analysis import Analysis as Analysis
    from lanescope.checks.check import check as check
    from lanescope.checks.verify import verify as verify
    from lanescope.device.agent.client import Socket as Socket
    from lanescope.device.ascend.transport import UntestedAscend as UntestedAscend
    from lanescope.device.call_config import CallConfig as CallConfig
    from lanescope.device.flags import level_features as level_features
    from lanescope.device.head import Core as Core
    from lanescope.device.include import include_directory as include_directory
    from lanescope.device.region import RegionConfig as RegionConfig
    from lanescope.device.shadow import ShadowCopy as ShadowCopy
    from lanescope.device.transport import SharedMapping as SharedMapping
    from lanescope.device.transport import Transport as Transport
    from lanescope.dump.read import read_tensors as read_tensors
    from lanescope.errors import InputError as InputError
    from lanescope.errors import LanescopeError as LanescopeError
    from lanescope.errors import OutputError as OutputError
    from lanescope.errors import TransportError as TransportError
    from lanescope.errors import UsageError as UsageError
    from lanescope.facade.advice import next_steps as next_steps
    from lanescope.facade.answers import critical_path as critical_path
    from lanescope.facade.answers import report as report
    from lanescope.facade.answers import verdict as verdict
    from lanescope.facade.comparing import diff as diff
    from lanescope.facade.files import export as export
    from lanescope.facade.jobs import ranks as ranks
    from lanescope.facade.recordings import collect as collect
    from lanescope.facade.recordings import flight as flight
    from lanescope.facade.recordings import recover as recover
    from lanescope.facade.replays import corrected as corrected
    from lanescope.facade.replays import what_if as what_if
    from lanescope.facade.sessions import Session as Session
    from lanescope.facade.showing import plots as plots
    from lanescope.facade.showing import serve as serve
    from lanescope.facade.showing import view as view
    from lanescope.fleet.fleet import Fleet as Fleet
    from lanescope.fleet.fleet import open_fleet as open_fleet
    from lanescope.fleet.indexing import index_fleet as index_fleet
    from lanescope.formats import import_trace as import_trace
    from lanescope.formats.exporter import Exporter as Exporter
    from lanescope.formats.importer import Importer as Importer
    from lanescope.jobs.job import Job as Job
    from lanescope.jobs.job import open_job as open_job
    from lanescope.model.boards.listing import check_board as check_board
    from lanescope.model.boards.listing import list_boards as list_boards
    from lanescope.model.boards.listing import show_board as show_board
    from lanescope.model.fitting import fit as fit
    from lanescope.model.manifest.making import manifest as manifest
    from lanescope.model.predicting import predict as predict
    from lanescope.overhead.run import bench as bench
    from lanescope.platforms.listing import list_platforms as list_platforms
    from lanescope.platforms.listing import show_platform as show_platform
    from lanescope.platforms.run import run as run
    from lanescope.probe.run import probe_engine as probe_engine
    from lanescope.reports.build import Report as Report
    from lanescope.trace.selection import select as select
    from lanescope.trace.store import load as load
    from lanescope.trace.store import save as save
    from lanescope.trace.trace import Trace as Trace
    from lanescope.workloads.builder import GraphBuilder as GraphBuilder
    from lanescope.workloads.catalogue import list_workloads as list_workloads

__version__ = "0.2.0.dev0"

_HOMES = {
    "Analysis": "analyze.analysis",
    "Core": "device.head",
    "CallConfig": "device.call_config",
    "Exporter": "formats.exporter",
    "Fleet": "fleet.fleet",
    "GraphBuilder": "workloads.builder",
    "Importer": "formats.importer",
    "InputError": "errors",
    "Job": "jobs.job",
    "LanescopeError": "errors",
    "OutputError": "errors",
    "RegionConfig": "device.region",
    "Report": "reports.build",
    "Session": "facade.sessions",
    "ShadowCopy": "device.shadow",
    "SharedMapping": "device.transport",
    "Socket": "device.agent.client",
    "Trace": "trace.trace",
    "Transport": "device.transport",
    "TransportError": "errors",
    "UntestedAscend": "device.ascend.transport",
    "UsageError": "errors",
    "bench": "overhead.run",
    "check": "checks.check",
    "check_board": "model.boards.listing",
    "collect": "facade.recordings",
    "corrected": "facade.replays",
    "critical_path": "facade.answers",
    "diff": "facade.comparing",
    "export": "facade.files",
    "fit": "model.fitting",
    "flight": "facade.recordings",
    "import_trace": "formats",
    "include_directory": "device.include",
    "index_fleet": "fleet.indexing",
    "level_features": "device.flags",
    "list_boards": "model.boards.listing",
    "list_platforms": "platforms.listing",
    "list_workloads": "workloads.catalogue",
    "load": "trace.store",
    "manifest": "model.manifest.making",
    "next_steps": "facade.advice",
    "open_job": "jobs.job",
    "open_fleet": "fleet.fleet",
    "plots": "facade.showing",
    "predict": "model.predicting",
    "probe_engine": "probe.run",
    "ranks": "facade.jobs",
    "read_tensors": "dump.read",
    "recover": "facade.recordings",
    "report": "facade.answers",
    "run": "platforms.run",
    "save": "trace.store",
    "select": "trace.selection",
    "serve": "facade.showing",
    "show_board": "model.boards.listing",
    "show_platform": "platforms.listing",
    "verdict": "facade.answers",
    "verify": "checks.verify",
    "view": "facade.showing",
    "what_if": "facade.replays",
}
"""Public name to the module that defines it."""

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'lanescope' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"lanescope.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
