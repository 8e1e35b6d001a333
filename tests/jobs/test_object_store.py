"""A job on an S3 server: its ranks are read as those of a folder, and no credentials are shown."""

from __future__ import annotations

from pathlib import Path

from tests.jobs.hand_made import Made, trace_of
from tests.jobs.test_waits import arriving
from tests.s3_store import Proxy

import lanescope
from lanescope.jobs.job import open_job, why_unread
from lanescope.trace import save
from lanescope.workers.batch import Failure


def test_a_job_of_a_store_is_that_of_a_folder(store: Proxy, tmp_path: Path) -> None:
    for number, made in enumerate(arriving([[0, 50_000, 20_000]] * 6)):
        trace = trace_of(number, Made(made.rows, [(0, 100)], [], {"world": 3}))
        save(trace, tmp_path / "train.job" / f"rank{number}.lanes")
        save(trace, store.url(f"train.job/rank{number}.lanes"))
    far = open_job(store.url("train.job"), workers=0)
    near = open_job(tmp_path / "train.job", workers=0)
    assert lanescope.ranks(far).text() == lanescope.ranks(near).text()
    assert (far.place, repr(far.ranks[1])) == (
        "s3://traces/train.job",
        "<Rank 1 of s3://traces/train.job/rank1.lanes>",
    )
    assert len(far.ranks[1].trace().collectives) == 6


def test_a_rank_that_cannot_be_read_is_named_without_credentials(store: Proxy) -> None:
    for number, made in enumerate(arriving([[0, 50_000, 20_000]] * 6)):
        trace = trace_of(min(number, 1), Made(made.rows, [(0, 100)], [], {}))
        save(trace, store.url(f"lossy.job/rank{number}.lanes"))
    store.fault = lambda method, path: "403" if "rank0.lanes/collectives" in path else ""
    job = open_job(store.url("lossy.job"), workers=0)
    assert [one.place for one in job.unread] == [
        "s3://traces/lossy.job/rank0.lanes",
        "s3://traces/lossy.job/rank2.lanes",
    ]
    assert "secret" not in str(job.unread)


def test_a_trace_that_ended_its_worker_is_named_without_credentials() -> None:
    url = "s3://key:secret@traces/a.job/rank0.lanes?region=eu-west-1"
    told = why_unread(Failure(url, f"{url}: ended its worker twice", 2))
    assert told == "s3://traces/a.job/rank0.lanes: ended its worker twice"
