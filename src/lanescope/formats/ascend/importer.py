"""The importer's functions: which file a file is, and the files of one rank to its trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
from lanescope.formats.ascend.kinds import kind_of
from lanescope.formats.ascend.rank import rank_of, step_sums
from lanescope.formats.ascend.source import RankSource
from lanescope.formats.ascend.timeline import read_timeline
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.json_file import storable
from lanescope.formats.look import FileLook
from lanescope.formats.sqlite_columns import open_sqlite
from lanescope.formats.streams import stream_trace
from lanescope.trace import Trace

ALONE = ("database", "timeline", "kernels", "communication", "cluster")
"""Kinds of file that give a trace, the best first."""


def recognises(look: FileLook) -> str | None:
    """The kind of a file, by its content; None for a file of another tool."""
    return kind_of(look)


def read(bundle: Bundle) -> Iterator[Trace]:
    """One rank is one trace; a file of all ranks' operations gives one per rank."""
    if bundle.folder is not None:
        bundle = rank_bundle(bundle)
    kind = next(kind for kind in ALONE if kind in bundle.files)
    main = bundle.files[kind]
    if kind == "cluster":
        yield from _all_ranks(main, bundle)
        return
    source, notes = _source(kind, main, bundle)
    notes += _with_operations(source, kind, bundle)
    notes += [
        f"{storable(bundle.files[other].path.name)} is of all ranks and was not used."
        for other in ("cluster",)
        if other in bundle.files
    ]
    yield stream_trace(_with_facts(source, bundle).recording, bundle, notes=notes)


def _source(kind: str, main: Detected, bundle: Bundle) -> tuple[RankSource, list[str]]:
    if kind == "database":
        beside = [k for k in ("timeline", "kernels") if k in bundle.files]
        names = " and ".join(storable(bundle.files[k].path.name) for k in beside)
        says, was = ("say", "were") if beside[1:] else ("says", "was")
        note = f"{names} {says} the same as the database and {was} not read."
        with open_sqlite(main.path) as file:
            return database_source(file), [note] if beside else []
    if kind == "communication":
        assert main.json is not None
        [*ranks] = read_operations(main.json)
        return operations_source(main.json, ranks[0]), []
    if kind == "timeline":
        source = timeline_source(read_timeline(main.path))
        return source, _with_kernels(source, bundle)
    return kernels_source(read_kernel_table(main.path)), []


def _with_kernels(source: RankSource, bundle: Bundle) -> list[str]:
    """Add the counters of the table of kernels; a note where it is of another run."""
    file = bundle.files.get("kernels")
    if file is None:
        return []
    table = read_kernel_table(file.path)
    added = add_kernels(source, table)
    name = storable(file.path.name)
    if not added:
        return [f"{name} has no kernel of this run and was not used."]
    if added < len(table.start):
        left = len(table.start) - added
        return [f"{left} of {len(table.start)} rows of {name} are not in the timeline."]
    return []


def _with_operations(source: RankSource, kind: str, bundle: Bundle) -> list[str]:
    """Add what `communication.json` says; a note where it is of another run."""
    file = bundle.files.get("communication")
    if file is None or file.json is None or kind == "communication":
        return []
    ranks = read_operations(file.json)
    added = sum(add_operations(source, rank) for rank in ranks)
    name = storable(file.path.name)
    if not added and ranks:
        return [f"{name} names no operation of this run and was not used."]
    return []


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
