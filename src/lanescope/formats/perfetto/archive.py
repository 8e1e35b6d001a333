"""Writes the ranks of a job for the Perfetto viewer: one tar archive with a file per rank.

    perfetto_manifest.json      what the job is, and the clock of every rank, as attributes
    rank0000.perfetto-trace     times on the common axis of the job
    rank0001.perfetto-trace …

Perfetto opens all files of an archive on one axis. A manifest could move a file by a fixed offset,
but not by a drift, and older versions do not read it: so the times in the files are moved already,
and the manifest tells by how much. Numbers of processes and threads differ from file to file,
because Perfetto takes equal ones for the same thing; those of arrows count within a file.
Source: perfetto.dev/docs/reference/perfetto-manifest.
"""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, BinaryIO, cast

from lanescope.formats.exporter import RankPart
from lanescope.formats.output import WriteBehind, atomic_output
from lanescope.formats.perfetto.draw import MOST_PROCESSES, Drawn, Numbers, draw
from lanescope.formats.written import RanksExport

MANIFEST = "perfetto_manifest.json"


def write_ranks(parts: Sequence[RankPart], path: Path, facts: Mapping[str, str]) -> RanksExport:
    """Write an archive with a trace per rank; `facts` say what the job is."""
    track = 1 + MOST_PROCESSES * len(parts)
    done: list[Drawn] = []
    with (
        atomic_output(path) as file,
        tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        manifest = _manifest(parts, facts)
        _add(archive, MANIFEST, io.BytesIO(manifest), len(manifest))
        for place, part in enumerate(parts):
            first = Numbers(track=track, process=1 + MOST_PROCESSES * place)
            done.append(_add_rank(archive, part, first))
            track += done[-1].tracks
    return RanksExport(
        output=str(path),
        format="perfetto",
        ranks=len(parts),
        slices=sum(one.bars for one in done),
        lanes=sum(one.lanes for one in done),
        arrows=sum(one.arrows for one in done),
        arrows_not_drawn=sum(one.arrows_not_drawn for one in done),
        bytes=path.stat().st_size,
    )


def _add_rank(archive: tarfile.TarFile, part: RankPart, first: Numbers) -> Drawn:
    """Draw one rank into a temporary file, because the archive wants its size first."""
    with tempfile.TemporaryFile() as file:
        with WriteBehind(cast(BinaryIO, file)) as stream:
            drawn = draw(stream, part.trace(), first=first, label=f"rank {part.rank}: ")
        size = file.tell()
        file.seek(0)
        _add(archive, f"rank{part.rank:04}.perfetto-trace", file, size)
    return drawn


def _add(archive: tarfile.TarFile, name: str, file: IO[bytes], size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = size
    archive.addfile(member, file)


def _manifest(parts: Sequence[RankPart], facts: Mapping[str, str]) -> bytes:
    attributes: dict[str, str | int] = {f"lanescope.{key}": value for key, value in facts.items()}
    for part in parts:
        for key, value in part.facts.items():
            attributes[f"lanescope.rank{part.rank:04}.{key}"] = value
    whole = {"perfetto_manifest": {"version": 1, "attributes": attributes}}
    return json.dumps(whole, indent=1).encode()
