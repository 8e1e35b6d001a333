"""The files of one rank become its trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lanescope.errors import InputError
from lanescope.formats.ascend.communication import (
    add_operations,
    operations_source,
    read_operations,
)
from lanescope.formats.ascend.database import database_source
from lanescope.formats.ascend.folder import rank_bundle
from lanescope.formats.ascend.from_kernels import kernels_source
from lanescope.formats.ascend.from_timeline import timeline_source
from lanescope.formats.ascend.kernel_join import add_kernels
from lanescope.formats.ascend.kernels import read_kernel_table
from lanescope.formats.ascend.rank import rank_of, step_sums
from lanescope.formats.ascend.source import RankSource
from lanescope.formats.ascend.timeline import read_timeline
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected, stem
from lanescope.formats.json_file import storable
from lanescope.formats.sqlite_columns import open_sqlite
from lanescope.formats.streams import stream_trace
from lanescope.render.cells import count_text, many_text
from lanescope.trace import Trace

ALONE = ("database", "timeline", "kernels", "communication", "cluster")
"""Kinds of file that give a trace, the best first."""


def read(bundle: Bundle) -> Iterator[Trace]:
    """One rank is one trace; a file of all ranks' operations gives one per rank.

    Files of other runs beside a main file join nothing. In a folder they give traces of their own;
    beside a file that the user named they are left out, and a note says so.
    """
    if bundle.folder is not None:
        bundle = rank_bundle(bundle)
    kind = next(kind for kind in ALONE if kind in bundle.files)
    if kind == "cluster":
        yield from _all_ranks(bundle.files[kind], bundle)
        return
    source, notes, strangers = _source(kind, bundle)
    if "cluster" in bundle.files:
        strangers["cluster"] = "is of all ranks"
    if bundle.named:
        names = {kind: storable(bundle.files[kind].path.name) for kind in strangers}
        notes += [f"{names[kind]} {why} and was not used." for kind, why in strangers.items()]
    own = {kind: file for kind, file in bundle.files.items() if kind not in strangers}
    mine = replace(bundle, files=own)
    yield stream_trace(_with_facts(source, mine).recording, mine, notes=notes)
    for other in strangers if not bundle.named else ():
        file = bundle.files[other]
        name = f"{bundle.name}-{storable(stem(file.path))}"
        yield from read(replace(bundle, name=name, files={other: file}, notes=()))


def _source(kind: str, bundle: Bundle) -> tuple[RankSource, list[str], dict[str, str]]:
    """The recording of the best file with what the others add: notes, and files of other runs."""
    main = bundle.files[kind]
    notes: list[str] = []
    strangers: dict[str, str] = {}
    if kind == "database":
        beside = [k for k in ("timeline", "kernels") if k in bundle.files]
        names = " and ".join(storable(bundle.files[k].path.name) for k in beside)
        says, was = ("say", "were") if beside[1:] else ("says", "was")
        if beside:
            notes.append(f"{names} {says} the same as the database and {was} not read.")
        with open_sqlite(main.path) as file:
            source = database_source(file)
    elif kind == "timeline":
        source = timeline_source(read_timeline(main.path))
        _with_kernels(source, bundle, notes, strangers)
    elif kind == "kernels":
        source = kernels_source(read_kernel_table(main.path))
    else:
        return _operations_alone(main), notes, strangers
    _with_operations(source, bundle, strangers)
    return source, notes, strangers


def _operations_alone(main: Detected) -> RankSource:
    assert main.json is not None
    ranks = read_operations(main.json)
    if not ranks:
        raise InputError(main.path, "has no operation among ranks, so it has nothing to show")
    return operations_source(main.json, ranks[0])


def _with_kernels(
    source: RankSource, bundle: Bundle, notes: list[str], strangers: dict[str, str]
) -> None:
    """Add the counters of the table of kernels, unless it is of another run."""
    file = bundle.files.get("kernels")
    if file is None:
        return
    table = read_kernel_table(file.path)
    added, rows = add_kernels(source, table), len(table.start)
    if not added:
        strangers["kernels"] = "has no kernel of this run"
    elif added < rows:
        name = storable(file.path.name)
        missing = f"{count_text(rows - added)} of {many_text(rows, 'row')} of {name}"
        notes.append(f"Not in the timeline: {missing}.")


def _with_operations(source: RankSource, bundle: Bundle, strangers: dict[str, str]) -> None:
    """Add what `communication.json` says, unless it is of another run."""
    file = bundle.files.get("communication")
    if file is None or file.json is None:
        return
    ranks = read_operations(file.json)
    if ranks and not sum(add_operations(source, rank) for rank in ranks):
        strangers["communication"] = "names no operation of this run"


def _all_ranks(main: Detected, bundle: Bundle) -> Iterator[Trace]:
    assert main.json is not None
    for rank in read_operations(main.json):
        source = operations_source(main.json, rank)
        named = replace(bundle, name=f"{bundle.name}-rank{rank.rank}")
        yield stream_trace(source.recording, named)


def _with_facts(source: RankSource, bundle: Bundle) -> RankSource:
    """Add what the small files say."""
    info = bundle.files.get("info")
    rank = rank_of([f.path for f in bundle.files.values()], info.json if info else None)
    facts = source.recording.facts
    if rank is not None:
        facts["rank"] = rank
    steps = bundle.files.get("steps")
    if steps is not None:
        facts["extra"] = facts.get("extra", {}) | step_sums(steps.path)
    return source
