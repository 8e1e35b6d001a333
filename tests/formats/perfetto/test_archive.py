"""The ranks of a job as one archive: what is in it, and that its files share no numbers."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

from tests.analyze.hand import make_trace, task

from lanescope.formats import import_trace
from lanescope.formats.exporter import RankPart
from lanescope.formats.perfetto.archive import write_ranks
from lanescope.formats.perfetto.packets import read_packets
from lanescope.formats.perfetto.read_tracks import read_descriptions
from lanescope.formats.proto_rows import ProtoFile
from lanescope.formats.written import RanksExport
from lanescope.trace import Trace


def rank(cores: int, *edges: tuple[int, int]) -> Trace:
    """Task k of 5 ns on each core k, one after the other."""
    return make_trace(
        tasks=[
            task(core, None, None, 10 * core, 10 * core + 5, None, task=core)
            for core in range(cores)
        ],
        edges=[{"pred": pred, "succ": succ} for pred, succ in edges],
    )


def parts() -> list[RankPart]:
    first, second = rank(2, (0, 1)), rank(3, (0, 2), (2, 1))
    return [
        RankPart(0, lambda: first, {"offset_ns": 7}),
        RankPart(12, lambda: second, {"offset_ns": -3, "clock": "host"}),
    ]


def members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {one.name: (archive.extractfile(one) or io.BytesIO()).read() for one in archive}


def test_an_archive_has_a_manifest_and_a_file_per_rank(tmp_path: Path) -> None:
    path = tmp_path / "job.tar"
    written = write_ranks(parts(), path, {"job": "training"})
    assert written == RanksExport(
        output=str(path),
        format="perfetto",
        ranks=2,
        slices=5,
        lanes=5,
        arrows=2,
        arrows_not_drawn=1,
        bytes=path.stat().st_size,
    )
    files = members(path)
    assert list(files) == [
        "perfetto_manifest.json",
        "rank0000.perfetto-trace",
        "rank0012.perfetto-trace",
    ]
    assert json.loads(files["perfetto_manifest.json"]) == {
        "perfetto_manifest": {
            "version": 1,
            "attributes": {
                "lanescope.job": "training",
                "lanescope.rank0000.offset_ns": 7,
                "lanescope.rank0012.offset_ns": -3,
                "lanescope.rank0012.clock": "host",
            },
        }
    }


def test_the_file_of_a_rank_is_its_trace_but_for_arrows_not_drawn(
    tmp_path: Path,
) -> None:
    write_ranks(parts(), tmp_path / "job.tar", {})
    (tmp_path / "a.pftrace").write_bytes(members(tmp_path / "job.tar")["rank0012.perfetto-trace"])
    back = import_trace(tmp_path / "a.pftrace")
    assert back.tasks["start_ns"].tolist() == [0, 10, 20]
    assert (back.edges["pred"].tolist(), back.edges["succ"].tolist()) == ([0], [2])


def test_files_that_are_opened_together_share_no_numbers(tmp_path: Path) -> None:
    """Five processes are kept for each rank, and tracks are counted from behind the processes."""
    write_ranks(parts(), tmp_path / "job.tar", {})
    told = []
    for name, data in list(members(tmp_path / "job.tar").items())[1:]:
        (tmp_path / name).write_bytes(data)
        tracks = read_descriptions(read_packets(ProtoFile.open(tmp_path / name, "a trace"))).tracks
        told.append([(uuid, one.process_name, one.process) for uuid, one in tracks.items()])
    assert told == [
        [(11, "rank 0: cores", 1), (12, "rank 0: cores", 1), (13, "rank 0: cores", 1)],
        [(17 + k, "rank 12: cores", 6) for k in range(4)],
    ]
