"""A run's files become its trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from msgspec import structs

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.chip6.kinds import FILE
from lanescope.formats.simpler.build import build_trace
from lanescope.formats.simpler.gathering import gather, rank_of
from lanescope.formats.simpler.parts import RunFiles
from lanescope.trace import Trace


def read(bundle: Bundle) -> Iterator[Trace]:
    """One run is one trace, and so are the ranks and runs below a folder."""
    damaged, clock = bundle.keep_damaged, bundle.options.get("clock", "")
    if bundle.folder is not None:
        yield gather(bundle.name, bundle.folder, keep_damaged=damaged, clock=clock)
    else:
        trace = build_trace(_run_files(bundle), keep_damaged=damaged, clock=clock)
        ranks = {rank_of(file.path.parent) for file in bundle.files.values()} - {None}
        if len(ranks) == 1:
            trace = replace(trace, meta=structs.replace(trace.meta, rank=ranks.pop()))
        yield _with_streams(trace, bundle)


def _with_streams(trace: Trace, bundle: Bundle) -> Trace:
    """The trace with the chunk streams of cores that lie beside its records, if there are any."""
    streams = [one.path for one in bundle.several.get("core_stream", ())]
    if not streams or "records" not in bundle.files:
        return trace
    about = bundle.files.get("core_streams")
    unclear = [note for note in bundle.notes if FILE in note]
    if unclear:
        problem = f"it is not clear which run its chunk streams are of: {unclear[0]}"
        raise InputError(streams[0].parent, problem)
    from lanescope.formats.chip6.beside import with_core_streams  # seldom needed

    trace, account = with_core_streams(trace, streams, about.json if about else None)
    bundle.tell(account)
    return trace


def _run_files(bundle: Bundle) -> RunFiles:
    """The files of one run, by what they hold."""
    files = {kind: file.json or file.path for kind, file in bundle.files.items()}
    files.pop("core_streams", None)
    return RunFiles(
        name=bundle.name,
        sources=bundle.sources(),
        notes=bundle.notes,
        host_logs=tuple(one.path for one in bundle.several.get("host_log", ())),
        **files,  # type: ignore[arg-type]
    )
