"""What a page shows of what people name: places, runs apart, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.analyze.hand import make_trace, task
from tests.jobs.slow_job import slow_job

from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike
from lanescope.facade.shown import shown
from lanescope.jobs.job import open_job
from lanescope.trace import Trace

ONE = make_trace(meta={"name": "one"})


def with_runs(count: int, name: str = "many") -> Trace:
    """A trace of so many runs of 10 ns, with a task in each."""
    starts = range(0, 100 * count, 100)
    return make_trace(
        meta={"name": name},
        runs=[
            {"run": number, "start_ns": at, "end_ns": at + 10} for number, at in enumerate(starts)
        ],
        tasks=[
            task(0, None, None, at, at + 10, None, task=1, run=number)
            for number, at in enumerate(starts)
        ],
    )


def given(thing: TraceLike) -> Trace:
    return thing if isinstance(thing, Trace) else ONE


def test_a_page_knows_the_whole_path_or_the_url_of_what_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lanescope.facade.shown.is_job", lambda _: False)  # asks the network
    (tmp_path / "a.lanes").mkdir()
    found = shown([ONE, "a.lanes", "s3://traces/b.lanes"], given)
    assert found.options == {"places": [None, str(tmp_path / "a.lanes"), "s3://traces/b.lanes"]}
    assert [trace.meta.name for trace in found.traces] == ["one", "one", "one"]
    assert found.unread == 0


def test_every_run_is_a_trace_of_its_own() -> None:
    found = shown([with_runs(2), ONE], given, by_run=True)
    assert [trace.meta.name for trace in found.traces] == ["many run 0", "many run 1", "one"]
    assert [trace.tasks["start_ns"].tolist() for trace in found.traces] == [[0], [100], []]
    assert found.options == {}


def test_one_run_is_not_shown_apart() -> None:
    with pytest.raises(UsageError, match=r"^one has one run; leave out --by-run$"):
        shown([ONE], given, by_run=True)
    with pytest.raises(UsageError, match=r"^many has one run; leave out --by-run$"):
        shown([with_runs(1), ONE], given, by_run=True)


def test_as_many_runs_as_there_are_letters_are_shown_apart() -> None:
    assert len(shown([with_runs(25), ONE], given, by_run=True).traces) == 26
    with pytest.raises(UsageError, match=r"^27 runs are more than the 26 that a page shows apart"):
        shown([with_runs(26), ONE], given, by_run=True)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return slow_job(tmp_path_factory.mktemp("job"))


def test_a_job_is_shown_by_some_of_its_ranks_and_a_panel(job: Path) -> None:
    found = shown([str(job)], given, rank="0,2")
    assert (found.options.keys(), found.unread) == ({"job"}, 0)
    assert found.options["job"].about["shown"] == [0, 2]
    assert [len(trace.tasks) for trace in found.traces] == [12, 12]
    opened = shown([open_job(job)], given)
    assert (len(opened.traces), opened.options["job"].about["shown"]) == (4, [0, 1, 2, 3])


def test_ranks_that_could_not_be_read_are_counted(job: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(job, tmp_path / "slow.job"))
    (damaged / "rank3.lanes" / "tasks.parquet").write_bytes(b"PAR1")
    found = shown([damaged], given)
    assert (len(found.traces), found.unread) == (3, 1)


def test_a_job_has_its_page_for_itself(job: Path) -> None:
    for things, name in (
        ([ONE, str(job)], str(job)),
        ([open_job(job), ONE], "slow"),
        ([job, open_job(job)], str(job)),
    ):
        with pytest.raises(UsageError) as found:
            shown(things, given)
        assert str(found.value) == (
            f"{name} is a job of many ranks, which has a page of its own: name it alone"
        )
    with pytest.raises(UsageError) as found:
        shown([job], given, by_run=True)
    assert str(found.value) == (
        "a job is shown by rank; --by-run is for traces that hold several runs"
    )


def test_one_rank_with_something_in_the_part_is_enough(job: Path) -> None:
    """The slow rank works until 6 ms of each step of 10 ms, the others until 4 ms."""
    part = {"since": 4_500_000, "until": 5_500_000, "function": ["0"]}
    with pytest.raises(UsageError) as found:
        shown([job], given, rank="0,1", since=90_000_000)
    assert str(found.value) == (
        "no rank on this page has anything in the part that is asked for (time 90000000 ns to …); "
        "choose another part, or other ranks with --rank"
    )
    assert len(shown([job], given, **part).traces) == 4
    with pytest.raises(UsageError, match="no rank on this page"):
        shown([job], given, rank="0", **part)


def test_a_part_of_every_trace_is_shown() -> None:
    found = shown([with_runs(3), with_runs(2)], given, since=100, until=150)
    assert [trace.tasks["start_ns"].tolist() for trace in found.traces] == [[100], [100]]
    apart = shown([with_runs(3)], given, by_run=True, run=[1, 2])
    assert [trace.meta.name for trace in apart.traces] == ["many run 1", "many run 2"]
