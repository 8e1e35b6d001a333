"""Files of rocprofv3 become traces: one per process of a JSON file, one per database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lanescope.formats.bundle import Bundle
from lanescope.formats.look import FileLook
from lanescope.formats.rocprof.database import database_rows, is_rocpd
from lanescope.formats.rocprof.json_source import TOOL, json_processes
from lanescope.formats.rocprof.recording import roc_recording
from lanescope.formats.sqlite_columns import MAGIC
from lanescope.formats.sqlite_tables import open_tables
from lanescope.formats.streams import stream_trace
from lanescope.trace import Trace


def recognises(look: FileLook) -> str | None:
    """A JSON object with rocprofiler's entry, or a database with its tables."""
    if look.head.startswith(MAGIC):
        with open_tables(look.path) as tables:
            return "rocpd" if is_rocpd(tables) else None
    return "rocprofv3" if look.json is not None and TOOL in look.json else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One trace per process of a JSON file, one per database."""
    if bundle.main.kind == "rocpd":
        with open_tables(bundle.main.path) as tables:
            yield stream_trace(roc_recording(database_rows(tables)), bundle)
        return
    assert bundle.main.json is not None
    recordings = [roc_recording(rows) for rows in json_processes(bundle.main.json)]
    for number, recording in enumerate(recordings):
        process = recording.facts["process"]
        name = f"{bundle.name}-{number if process is None else process}"
        yield stream_trace(recording, replace(bundle, name=name) if len(recordings) > 1 else bundle)
