"""Jobs opened from traces: numbers of ranks, worlds that do not agree, a trace of several ranks."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

import lanescope
from lanescope.errors import InputError
from lanescope.jobs import job as module
from lanescope.jobs.job import Job, Unread, open_job
from lanescope.trace.places import place_of


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


@pytest.mark.parametrize(("count", "keys"), [(1, 0), (7, 0), (8, 1), (15, 1), (16, 2), (33, 4)])
def test_for_every_eight_traces_there_is_a_process(
    count: int, keys: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[Any, ...]] = []

    class NoPool(AbstractContextManager[str]):
        def __exit__(self, *how: object) -> None:
            asked.append(("closed",))

    def opened(cluster: Any, workers: Any, *, keys: int) -> NoPool:
        asked.append((cluster, workers, keys))
        return NoPool()

    places = [place_of(tmp_path / f"r{number}.lanes") for number in range(count)]
    monkeypatch.setattr(module, "open_pool", opened)
    monkeypatch.setattr(module, "traces_in", lambda folder: places)
    monkeypatch.setattr(module, "_of_places", lambda folder, urls, pool: urls)
    found: Any = open_job(tmp_path, cluster="local", workers=3)
    assert found == [place.url for place in places]
    assert asked == [("local", 3, keys), ("closed",)]


def test_what_is_no_job_is_told(tmp_path: Path) -> None:
    file = tmp_path / "train.json"
    file.write_text("{}")
    for place in (file, tmp_path / "none"):
        with pytest.raises(InputError) as refused:
            open_job(place)
        assert str(refused.value) == (
            f"{place}: is no folder; a job is a folder with a stored trace per rank"
        )
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError) as refused:
        open_job(empty)
    assert str(refused.value) == (
        f"{empty}: has no stored trace; 'lanescope import FILES -o NAME.job' makes one per rank"
    )


def test_the_second_trace_of_a_rank_is_left_out(tmp_path: Path) -> None:
    job = stored(tmp_path, a={"rank": 1}, b={"rank": 1}, c={"rank": 0})
    folder = tmp_path / "train.job"
    why = f"{folder / 'b.lanes'}: is of rank 1 as {folder / 'a.lanes'} is, which is taken"
    assert job.unread == (Unread(str(folder / "b.lanes"), why),)
    assert [rank.facts.name for rank in job.ranks] == ["c", "a"]
    assert (job.notes, job.world, job.missing) == ((), None, ())


def test_a_damaged_trace_is_left_out_before_those_that_are_not_numbered(tmp_path: Path) -> None:
    stored(tmp_path, a={}, b={"rank": 1}, c={"rank": 0})
    folder = tmp_path / "train.job"
    (folder / "c.lanes" / "tasks.parquet").write_bytes(b"PAR1")
    job = open_job(folder, workers=0)
    assert [one.place for one in job.unread] == [str(folder / f"{name}.lanes") for name in "ca"]
    assert job.numbers == (1,)
    assert job.unread[1].why == f"{folder / 'a.lanes'}: does not say its rank, while others do"
    assert repr(job.ranks[0]) == f"<Rank 1 of {folder / 'b.lanes'}>"
    assert len(job.ranks[0].trace().tasks) == 1


def test_thousands_of_ranks_are_told_apart() -> None:
    job = Job("big", "big", (), 12_345)
    assert (job.present, len(job.missing)) == ("0 of 12,345 ranks", 12_345)
    assert Job("big", "big", (), None).present == "0 ranks"
