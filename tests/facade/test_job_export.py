"""A job as one archive for Perfetto, as the real engine sees it."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.made_job.plan import JobPlan
from benchmarks.make_job import make_job
from tests.formats.perfetto_engine import query

import lanescope
from lanescope.formats import RanksExport

SLICES = """
    select p.name as process, t.name as lane, s.ts, s.ts + s.dur as end, s.name
    from slice s join thread_track k on k.id = s.track_id join thread t using (utid)
    join process p using (upid) where s.name glob 'nccl*' order by s.ts
"""
COUNTS = """
    select p.name as process, count(*) as slices
    from slice s join thread_track k on k.id = s.track_id join thread t using (utid)
    join process p using (upid) group by p.upid order by p.pid
"""
CROSSING = """
    select count(*) as arrows, sum(a.upid != b.upid) as crossing
    from flow
    join slice x on x.id = slice_out join thread_track tx on tx.id = x.track_id
    join thread a on a.utid = tx.utid
    join slice y on y.id = slice_in join thread_track ty on ty.id = y.track_id
    join thread b on b.utid = ty.utid
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "train.job"
    make_job(JobPlan(ranks=8, stages=1, ranks_per_host=2, tasks=200, steps=4), folder)
    return folder


def ends(rows: list[dict[str, Any]], kind: str) -> np.ndarray:
    """Ends of one kind of collective, operations × ranks; every rank has them in one order."""
    by_rank = defaultdict(list)
    for row in rows:
        if kind in row["name"]:
            by_rank[row["process"]].append(row["end"])
    return np.array([by_rank[f"rank {rank}: cores"] for rank in range(8)]).T


def test_perfetto_shows_all_ranks_on_one_axis(made: Path, tmp_path: Path) -> None:
    archive = tmp_path / "train.perfetto.tar"
    written = lanescope.export(made, archive, to="perfetto")
    assert isinstance(written, RanksExport)
    answers = query(archive, {"slices": SLICES, "counts": COUNTS, "crossing": CROSSING})
    spread = np.ptp(ends(answers["slices"], "AllReduce"), axis=1)
    assert len(spread) == 4 * 5
    assert np.median(spread) < 8_000
    raw = [lanescope.load(one).meta.epoch_ns or 0 for one in sorted(made.glob("*.lanes"))]
    assert np.ptp(raw) > 1_000_000, "by their own clocks they lie far apart"
    names = [row["process"] for row in answers["counts"]]
    assert names == [
        f"rank {rank}: {view}" for rank in range(8) for view in ("cores", "controllers")
    ]
    assert sum(row["slices"] for row in answers["counts"]) == written.slices
    assert answers["crossing"] == [{"arrows": written.arrows, "crossing": 0}]
    assert written.ranks == 8


def test_the_times_in_the_archive_are_those_of_the_common_clock(made: Path, tmp_path: Path) -> None:
    archive = tmp_path / "train.perfetto.tar"
    lanescope.export(made, archive, to="perfetto")
    job = lanescope.open_job(made)
    zero = min(int(job.clock.common(place, np.array([0]))[0]) for place in range(8))
    traces = lanescope.formats.import_paths([archive])
    assert len(traces) == 8
    for place, trace in enumerate(traces):
        own = job.ranks[place].trace().collectives["end_ns"]
        assert np.array_equal(trace.collectives["end_ns"], job.clock.common(place, own) - zero)
        assert trace.meta.epoch_ns is None
        assert "common clock of the job train" in trace.meta.notes[-1]


def test_the_manifest_tells_the_clock_of_every_rank(made: Path, tmp_path: Path) -> None:
    lanescope.export(made, tmp_path / "a.tar", to="perfetto")
    clock = lanescope.open_job(made).clock
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert archive.getnames()[:2] == ["perfetto_manifest.json", "rank0000.perfetto-trace"]
        file = archive.extractfile("perfetto_manifest.json")
        assert file is not None
        text = file.read()
    assert b"".join(text.split()).startswith(b'{"perfetto_manifest"')
    manifest = json.loads(text)["perfetto_manifest"]
    told = manifest["attributes"]
    assert manifest["version"] == 1
    assert told["lanescope.ranks"] == "8 of 8 ranks"
    for rank, one in enumerate(clock.ranks):
        assert told[f"lanescope.rank{rank:04}.offset_ns"] == round(one.offset_ns)
        assert told[f"lanescope.rank{rank:04}.error_ns"] == round(one.error_ns or 0)
