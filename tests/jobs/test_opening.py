"""Jobs opened from traces: numbers of ranks, worlds that do not agree, a trace of several ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

import lanescope
from lanescope.errors import InputError
from lanescope.jobs.job import Job, open_job


def stored(folder: Path, **metas: dict[str, Any]) -> Job:
    """A job with a trace per name."""
    for name, meta in metas.items():
        cores = [{"core": 0, "lane": "stream", "queue": 0, "device": 0}]
        trace = make_trace(
            {"name": name, **meta}, tasks=[task(0, None, None, 0, 5, None)], cores=cores
        )
        lanescope.save(trace, folder / "train.job" / f"{name}.lanes")
    return open_job(folder / "train.job", workers=0)


def test_ranks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    job = stored(tmp_path, a={"rank": 3, "world": 5}, b={"rank": 0, "world": 5})
    assert (job.name, job.numbers, job.world, job.missing) == ("train", (0, 3), 5, (1, 2, 4))
    assert (repr(job), len(job)) == ("<Job 'train': 2 of 5 ranks>", 2)
    assert (job.notes, job.unread) == ((), ())
    assert repr(job.ranks[0]).startswith("<Rank 0 of ")


def test_traces_that_do_not_say_their_rank_are_numbered_by_name(tmp_path: Path) -> None:
    job = stored(tmp_path, b={}, a={}, c={})
    assert job.numbers == (0, 1, 2)
    assert [rank.facts.name for rank in job.ranks] == ["a", "b", "c"]
    assert (job.world, job.missing, job.present) == (None, (), "3 ranks")
    assert job.notes == ("No trace says its rank; they are numbered in the order of their names.",)


def test_a_trace_without_a_rank_among_others_is_left_out(tmp_path: Path) -> None:
    job = stored(tmp_path, a={}, b={"rank": 1})
    assert job.numbers == (1,)
    assert [
        one.why.endswith("a.lanes: does not say its rank, while others do") for one in job.unread
    ] == [True]


def test_worlds_that_do_not_agree_are_told_and_the_largest_counts(tmp_path: Path) -> None:
    job = stored(tmp_path, a={"rank": 0, "world": 2}, b={"rank": 1, "world": 4})
    assert job.world == 4
    assert job.notes == ("The traces do not agree how many ranks the job had: 2, 4.",)


@pytest.mark.parametrize(("rank", "world"), [(1, 2), (2, 3), (7, 8)])
def test_a_world_holds_the_highest_rank(tmp_path: Path, rank: int, world: int) -> None:
    assert stored(tmp_path, a={"rank": rank, "world": 2}).world == world


def test_a_folder_whose_traces_are_all_damaged_says_the_first_reason(tmp_path: Path) -> None:
    stored(tmp_path, a={"rank": 0})
    (tmp_path / "train.job" / "a.lanes" / "tasks.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"has no trace that can be read; the first: .*a\.lanes"):
        open_job(tmp_path / "train.job", workers=0)


def test_one_trace_of_several_ranks_is_a_job(tmp_path: Path) -> None:
    cores = [
        {
            "core": k,
            "lane": "stream",
            "queue": 0,
            "device": 0,
            **({} if k == 2 else {"rank": 4 * k}),
        }
        for k in range(3)
    ]
    tasks = [task(k, None, None, 10 * k, 10 * k + 5, None, task=k, run=k) for k in range(2)]
    runs = [{"run": k, "rank": 4 * k} for k in range(2)]
    trace = make_trace({"world": 8}, tasks=tasks, cores=cores, runs=runs)
    lanescope.save(trace, tmp_path / "both.lanes")
    job = open_job(tmp_path / "both.lanes")
    assert (job.numbers, job.world) == ((0, 4), 8)
    assert [rank.facts.first_ns for rank in job.ranks] == [0, 10]
    assert job.ranks[1].trace().tasks["task"].tolist() == [1]


def test_the_trace_of_one_rank_is_no_job(tmp_path: Path) -> None:
    lanescope.save(make_trace(cores=[{"core": 0, "rank": 0}]), tmp_path / "one.lanes")
    with pytest.raises(
        InputError, match="is the trace of one rank; name a folder with a trace per"
    ):
        open_job(tmp_path / "one.lanes")
