"""What a page shows of what people name: places, runs apart, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike
from lanescope.facade.shown import shown
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
