"""The server of a recording that grows: versions, what pages are told, and who is looking."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.viewer.traces import HOSTILE, small

from lanescope.trace import Meta, Trace
from lanescope.viewer import LiveServer, LiveState, live


@pytest.fixture
def server() -> Iterator[LiveServer]:
    made = LiveServer(Trace(meta=Meta(name=HOSTILE, tool="tests", origin="measured")))
    yield made
    made.server_close()


def first(server: LiveServer) -> int:
    return int(server.header["live"]["first"])


def test_a_page_is_there_before_the_first_record(server: LiveServer) -> None:
    assert server.answer("/live/p", None) == {
        "version": 1,
        "state": "running",
        "records": 0,
        "lost": 0,
        "whole": True,
        "where": "",
    }
    assert server.header["traces"][0]["name"] == HOSTILE
    assert HOSTILE.encode() not in server.page()


def test_a_version_has_numbers_of_its_own_and_stays_for_a_while(server: LiveServer) -> None:
    server.show([small("a"), small("b")], LiveState(records=9, lost=2, whole=False))
    old = first(server)
    told = server.answer("/live/p", None)
    assert isinstance(told, dict)
    assert (told["version"], told["records"], told["lost"], told["whole"]) == (2, 9, 2, False)
    assert [trace["name"] for trace in server.header["traces"]] == ["a", "b"]
    for _ in range(2):
        server.show([small("c")], LiveState())
    for number in (old, old + 1):
        tables = server.answer(f"/data/{number}/all", None)
        assert isinstance(tables, dict)
        assert tables["tables"]["tasks"]["rows"] == 32
    server.show([small("c")], LiveState())
    for number in (old, old + 1):
        with pytest.raises(KeyError):
            server.answer(f"/data/{number}/all", None)
    assert server.answer("/live/p/header", None) == server.header


def test_an_area_is_that_of_its_version(server: LiveServer) -> None:
    server.show([small("a"), small("b")], LiveState(state="stored"))
    names = [book.trace.meta.name for book in server.together(first(server))]
    assert names == ["a", "b"]
    server.show([small("c")], LiveState())
    assert [book.trace.meta.name for book in server.together(first(server))] == ["c"]


def test_losses_of_a_window_are_those_of_the_counters(server: LiveServer) -> None:
    server.show([small("a")], LiveState())
    assert server.header["traces"][0]["losses"]["lost"] == 0
    server.show([small("a")], LiveState(state="stored"))
    assert server.header["traces"][0]["losses"]["lost"] == 8


def test_pages_are_known_until_they_leave_or_are_silent(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    assert not server.is_watched()
    server.answer("/live/a", None)
    server.answer("/live/b", None)
    assert server.is_watched()
    assert not server.is_told()
    server.tell(LiveState(state="ended", where="x.lanes"))
    server.answer("/live/a", None)
    assert not server.is_told()
    server.answer("/live/b/leave", {})
    assert server.is_told()
    server.answer("/live/a/leave", {})
    assert not server.is_watched()
    assert not server.is_closed(3.0)
    now[0] += 4
    assert server.is_closed(3.0)
    server.answer("/live/c", None)
    now[0] += 80
    assert server.is_watched()
    now[0] += 20
    assert not server.is_watched()


def test_many_names_of_pages_take_little_memory(server: LiveServer) -> None:
    for number in range(1030):
        server.answer(f"/live/{'x' * 64}{number}", None)
    assert list(server._pages.seen) == ["x" * 64]
    for number in range(1030):
        server.answer(f"/live/{number}", None)
    assert len(server._pages.seen) == 1024
    server.tell(LiveState(state="ended"))
    for number in range(1030):
        server.answer(f"/live/{number}", None)
    assert len(server._pages.told) == 1023


def test_a_page_is_gone_after_90_seconds_and_a_recording_closed_later_than_asked(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    server.answer("/live/a", None)
    now[0] = 190.0
    assert (server.is_watched(), server.is_closed(90.0)) == (True, False)
    now[0] = 190.5
    assert (server.is_watched(), server.is_closed(90.5), server.is_closed(90.0)) == (
        False,
        False,
        True,
    )
    server.answer("/live/a/leave", {})
    assert not server.is_closed(0.0)


def test_a_version_has_64_traces_at_most(server: LiveServer) -> None:
    empty = Trace(meta=Meta(name="x", tool="tests", origin="measured"))
    server.show([empty] * 65, LiveState())
    assert len(server.header["traces"]) == 64
    assert len(server.together(first(server))) == 64


def test_an_area_has_the_traces_of_its_own_version(server: LiveServer) -> None:
    server.show([small("old")], LiveState())
    server.show([small("a"), small("b")], LiveState())
    header = server.header["traces"][0]
    every = list(range(len(header["lanes"])))
    asked = {"t0": 0, "t1": header["end_ns"] + 1, "lanes": {"0": every, "1": every}}
    told = server.answer(f"/data/{first(server)}/area", asked)
    assert isinstance(told, dict)
    assert {cell["part"] for cell in told["cells"] if cell["bars"] == "tasks"} == {
        "trace A",
        "trace B",
    }
    with pytest.raises(IndexError):
        server.answer(f"/data/{first(server) - live._PLACES}/area", asked)
