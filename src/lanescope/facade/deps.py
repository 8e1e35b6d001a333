"""Edges from a file that the recorded runtime wrote: `lanescope collect --deps FILE`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from lanescope.capture.collect import CollectedRun
from lanescope.capture.directory import PLAN
from lanescope.errors import LanescopeError
from lanescope.formats import import_trace
from lanescope.trace import Trace, load, save


def join_deps(run: CollectedRun, path: Path) -> None:
    """Make the graph in a file the plan of the only process that recorded.

    The file is one that `lanescope import` reads. The capture keeps a copy of the graph, so
    `recover` knows the edges, too.

    Raises:
        LanescopeError: the program did not write the file, it has no edges, or several processes
            recorded.
    """
    if len(run.processes) != 1:
        raise LanescopeError(
            f"{path} has the task graph of one process, but {len(run.processes)} recorded; collect "
            "without --deps"
        )
    if not path.exists():
        raise LanescopeError(f"the program did not write {path}, so there are no edges from it")
    graph = import_trace(path)
    if not len(graph.edges):
        raise LanescopeError(f"{path} has no edges; expected the task graph of the run")
    directory = run.processes[0].directory
    save(_with_facts(graph, directory.parent / PLAN), directory / PLAN)


def _with_facts(graph: Trace, known: Path) -> Trace:
    """Return the graph with what the capture knew of the recording before it began."""
    if not known.is_dir():
        return graph
    recording = load(known).meta.recording
    return replace(graph, meta=msgspec.structs.replace(graph.meta, recording=recording))
