"""Reads a raw file with one core's chunk stream into a trace with marks and no tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanescope import __version__
from lanescope.chunks import Clocks, Decoded, decode
from lanescope.chunks.rows import chunk_entry, stream_rows
from lanescope.errors import UsageError
from lanescope.formats.bundle import Bundle
from lanescope.formats.chip6.account import account
from lanescope.formats.json_file import map_file, storable
from lanescope.trace import LedgerEntry, Meta, Source, Table, Trace, Words
from lanescope.trace.flags import Feature
from lanescope.trace.meta import RecordingFacts


@dataclass(frozen=True, slots=True)
class RawStream:
    """A raw file, with the clocks and the core that the file itself does not name."""

    path: Path
    clocks: Clocks
    core: int = 0
    kind: str = "aic"


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace. Damaged bytes are told, not refused."""
    options = bundle.options
    clocks = Clocks(core_hz=_clock(options, "core_mhz"), counter_hz=_clock(options, "counter_mhz"))
    core, kind = options.get("core", 0), options.get("kind", "aic")
    trace, stream = read_chip6(RawStream(bundle.main.path, clocks, core=core, kind=kind))
    bundle.tell(account(stream))
    yield trace


def _clock(options: Mapping[str, Any], name: str) -> int:
    hz: int | None = options.get(name)
    if hz is None:
        option = "--" + name.replace("_", "-")
        raise UsageError(f"a raw chunk stream does not say its clocks: add {option}, in MHz")
    return hz


def read_chip6(raw: RawStream) -> tuple[Trace, Decoded]:
    """Read a raw stream; returns its trace, and the stream as it was decoded."""
    data = map_file(raw.path)
    stream = decode(data, raw.clocks)
    words = Words()
    columns = stream_rows(stream, words, base_ticks=stream.base_ticks)
    rows = len(columns["pipe"])
    marks = Table.build("marks", {"core": np.full(rows, raw.core, np.int32), **columns})
    cores = {
        "core": np.array([raw.core], np.int32),
        "name": words.codes([f"{raw.kind} {raw.core}"]),
        "kind": words.codes([raw.kind]),
    }
    meta = Meta(
        name=storable(raw.path.stem),
        tool=f"lanescope {__version__}",
        origin="imported",
        sources=(Source(storable(raw.path), "chip6", len(data)),),
        clock_hz=raw.clocks.counter_hz,
        base_cycles=stream.base_ticks,
        flags=int(Feature.CORE_SWIMLANE),
        ledger=(chunk_entry(raw.core, stream), _row_entry(raw.core, stream)),
        notes=_notes(stream),
        recording=RecordingFacts(core_hz={raw.kind: raw.clocks.core_hz}),
    )
    trace = Trace(meta=meta, words=words.freeze(), marks=marks, cores=Table.build("cores", cores))
    return trace, stream


def _row_entry(core: int, stream: Decoded) -> LedgerEntry:
    whole, lone = len(stream.busy.pipe) + len(stream.marks.pipe), len(stream.unpaired.pipe)
    return LedgerEntry(
        lane=f"core {core}",
        kind="mark",
        total=whole + lone,
        delivered=whole,
        unmatched=lone,
        reason=f"{lone} have only one end" if lone else "",
    )


def _notes(stream: Decoded) -> tuple[str, ...]:
    if len(stream.stamps.time):
        return ()
    return ("The file has no good start stamp, so nothing in it has a time.",)
