"""A search that the server answers: every limit of a plan, pages in order, the place of a bar."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import make_trace, phase, task
from tests.viewer.traces import small

from lanescope.trace import Trace
from lanescope.viewer.book import Book
from lanescope.viewer.search import KINDS, MOST_LISTED, find


def part(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "lanes": list(range(20)), "names": None, "runs": None, **more}


def plan(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    limits = {"waits": [], "task": None, "least": 0, "most": None, "limit": 500}
    return {"parts": list(parts), **limits, **more}


EVERYTHING = plan(*(part(kind) for kind in KINDS))


@pytest.fixture(scope="module")
def book() -> Book:
    return Book(small())


def starts(book: Book, *parts: dict[str, Any], **more: Any) -> list[int]:
    return [bar["start"] for bar in find(book, plan(*parts, **more))["bars"]]


def test_every_bar_is_found_once_in_order(book: Book) -> None:
    answer = find(book, EVERYTHING)
    drawn = [
        (start, lane, KINDS.index(kind), -end)
        for kind, bars in book.bars.items()
        for start, lane, end in zip(bars.start_ns, bars.lane, bars.end_ns, strict=True)
    ]
    found = [
        (bar["start"], bar["lane"], KINDS.index(bar["kind"]), -bar["start"] - bar["length"])
        for bar in answer["bars"]
    ]
    assert found == sorted(drawn)
    assert answer["count"] == len(drawn) == 116


@pytest.mark.parametrize("limit", [1, 7, 116, 10**9])
def test_pages_together_are_the_whole(book: Book, limit: int) -> None:
    whole = find(book, EVERYTHING)["bars"]
    size = min(limit, MOST_LISTED)
    pages = [find(book, {**EVERYTHING, "limit": limit, "offset": k}) for k in range(0, 116, size)]
    assert [bar for page in pages for bar in page["bars"]] == whole
    assert [page["offset"] for page in pages] == list(range(0, 116, size))


def test_the_match_beside_a_bar_is_the_next_one(book: Book) -> None:
    whole = find(book, EVERYTHING)["bars"]
    for place in (0, 1, 50, 115):
        asked = {**EVERYTHING, "from": whole[place]}
        assert find(book, asked)["at"] == place + 1
        assert find(book, {**asked, "backwards": True})["at"] == place - 1
    between = {"start": whole[50]["start"] + 1, "lane": 0, "kind": "tasks", "length": 0}
    assert find(book, {**EVERYTHING, "from": between, "limit": 10})["offset"] % 10 == 0


def test_names_lanes_and_lengths_limit(book: Book) -> None:
    tasks = small().tasks
    long = tasks["end_ns"] - tasks["start_ns"] >= 420
    wanted = sorted(tasks["start_ns"][long & (tasks["func"] == 1)].tolist())
    assert starts(book, part("tasks", names=[1]), least=420) == wanted
    assert starts(book, part("tasks", lanes=[1]), most=400) == [1000 * k for k in range(8)]
    assert starts(book, part("tasks", lanes=[1]), most=399) == []
    assert starts(book, part("tasks", names=[])) == []


def test_a_task_is_found_with_what_belongs_to_it(book: Book) -> None:
    every = [part(kind) for kind in KINDS[:3]]
    answer = find(book, plan(*every, task=str((1 << 60) + 9)))
    assert [(bar["kind"], bar["start"]) for bar in answer["bars"]] == [
        ("tasks", 1100),
        ("marks", 1150),
    ]
    assert find(book, plan(*every, task="no such"))["count"] == 0


def test_waits_are_those_of_the_tasks(book: Book) -> None:
    column = book.waits["wait_data"]
    for least in (1, 500, 530, 531):
        limits = {"reasons": ["data"], "least": least, "most": None}
        wanted = sorted(small().tasks["start_ns"][column >= least].tolist())
        assert starts(book, part("tasks"), waits=[limits]) == wanted
    both = {"reasons": ["data", "switch", "nobody"], "least": 590, "most": 590}
    together = column + book.waits["wait_switch"]
    assert find(book, plan(part("tasks"), waits=[both]))["count"] == int((together == 590).sum())


def several_runs() -> Trace:
    tasks = [task(0, None, None, 10 * k, 10 * k + 5, None, task=k, run=k % 2) for k in range(4)]
    return make_trace(
        tasks=tasks,
        phases=[phase("poll", 3, 4, run=1), phase("poll", 5, 6)],
        cores=[{"core": 0, "kind": "aic"}],
        runs=[{"run": 0, "epoch": 7}, {"run": 1, "epoch": 8}],
    )


def test_runs_are_places_in_the_runs_table() -> None:
    book = Book(several_runs())
    assert starts(book, part("tasks", runs=[1]), part("phases", runs=[1])) == [3, 10, 30]
    assert starts(book, part("tasks", runs=[5])) == []


def test_a_trace_of_one_run_has_no_places_of_runs(book: Book) -> None:
    assert starts(book, part("tasks", runs=[0])) == []


def test_a_page_has_one_bar_at_least_and_500_at_most() -> None:
    book, lanes = Book(small(cores=40)), list(range(100))
    every = plan(part("tasks", lanes=lanes), part("marks", lanes=lanes))
    for limit, listed in ((-3, 1), (0, 1), (1, 1), (500, 500), (501, 500)):
        assert len(find(book, {**every, "limit": limit})["bars"]) == listed


@pytest.mark.parametrize(
    ("offset", "first"), [(-5, 0), (99, 90), (100, 100), (116, 110), (9**9, 110)]
)
def test_a_place_beyond_the_matches_has_the_nearest_page(
    book: Book, offset: int, first: int
) -> None:
    answer = find(book, {**EVERYTHING, "limit": 10, "offset": offset})
    assert (answer["at"], answer["offset"], len(answer["bars"])) == (
        offset,
        first,
        min(10, 116 - first),
    )


def test_where_nothing_matches_there_is_no_page(book: Book) -> None:
    nothing = plan(part("tasks", names=[]), limit=10)
    beside = {"start": 0, "lane": 1, "kind": "tasks", "length": 400}
    assert find(book, nothing) == {"count": 0, "at": 0, "offset": 0, "bars": []}
    assert find(book, {**nothing, "from": beside})["at"] == 0
    assert find(book, {**nothing, "from": beside, "backwards": True})["at"] == -1


def test_a_bar_is_told_as_it_is_drawn(book: Book) -> None:
    (bar,) = find(book, plan(part("tasks", lanes=[3], names=[1]), most=410, limit=1))["bars"]
    assert bar == {"kind": "tasks", "lane": 3, "start": 1100, "length": 410, "name": 1}


def test_bars_of_one_moment_stand_by_lane_kind_and_length() -> None:
    """All start at 5 ns: on core 0 tasks of 9 and 2 ns and a blocked time, on core 1 a task."""
    trace = make_trace(
        tasks=[task(core, None, None, 5, 5 + ns, None) for core, ns in ((1, 3), (0, 2), (0, 9))],
        stalls=[{"lane": "core", "core": 0, "start_ns": 5, "end_ns": 6}],
        cores=[{"core": 0}, {"core": 1}],
    )
    book = Book(trace)
    whole = find(book, plan(part("tasks"), part("stalls")))["bars"]
    told = [(bar["kind"], bar["lane"], bar["length"]) for bar in whole]
    assert told == [("tasks", 0, 9), ("tasks", 0, 2), ("stalls", 0, 1), ("tasks", 1, 3)]
    for place, bar in enumerate(whole):
        asked = plan(part("tasks"), part("stalls"), **{"from": bar})
        assert find(book, asked)["at"] == place + 1
        assert find(book, {**asked, "backwards": True})["at"] == place - 1
