"""Pages of the façade: written, and shown inside a notebook's frame by a real browser."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task
from tests.viewer.browser import chromium

from lanescope.facade import showing
from lanescope.facade.showing import Page, plots, serve, view
from lanescope.trace import Trace
from lanescope.viewer import PageSummary

ONE = make_trace()


def two_tasks() -> Trace:
    return make_trace(
        cores=[{"core": 0, "name": "aic 0", "kind": "aic"}],
        functions=[{"func": 0, "name": "A"}],
        tasks=[
            task(0, None, None, 0, 400, None, task=1, func=0),
            task(0, None, None, 500, 900, None, task=2, func=0),
        ],
    )


def test_a_page_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    page = view(two_tasks(), two_tasks(), html=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.html
    assert page.summary.traces == 2
    assert page.to_dict()["summary"]["slices"] == 4


def test_a_notebook_shows_the_page_in_a_frame(tmp_path: Path) -> None:
    shown = tmp_path / "cell.html"
    shown.write_text(f"<body>{two_tasks().view()._repr_html_()}</body>")
    errors: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(shown.as_uri())
        frame = page.frames[1]
        frame.wait_for_selector("body[data-ready]", timeout=30_000)
        functions = frame.locator("#functions").inner_text()
    assert errors == []
    assert "A" in functions.splitlines()


def test_a_served_trace_answers_until_it_is_stopped() -> None:
    server = serve(two_tasks())
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(server.url) as answer:
        assert b"lanescope" in answer.read()
    server.stop()


def test_pictures_are_written_into_the_folder(tmp_path: Path) -> None:
    pictures = plots(two_tasks(), tmp_path / "plots")
    assert {path.name: path.read_text() for path in (tmp_path / "plots").iterdir()} == pictures


def test_a_page_says_what_it_is_and_is_escaped_in_its_frame(tmp_path: Path) -> None:
    page = Page(PageSummary(traces=2, slices=3, lanes=4, edges=5, bytes=12345), b'<p class="a">&')
    assert repr(page) == "<Page of 2 traces, 12,345 bytes>"
    assert page._repr_html_() == (
        '<iframe srcdoc="&lt;p class=&quot;a&quot;&gt;&amp;" width="100%" height="640" '
        'sandbox="allow-scripts allow-downloads" style="border: 0"></iframe>'
    )
    assert page.save(str(tmp_path / "a.html")) == tmp_path / "a.html"
    assert (tmp_path / "a.html").read_bytes() == b'<p class="a">&'


def test_a_page_and_a_server_show_the_part_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    started, opened = Event(), []

    def found(things: Any, opening: Any, **part: Any) -> Any:
        asked.append((things, opening, part))
        return SimpleNamespace(traces=(ONE,), options={"places": ["a"]})

    class Server:
        url = "http://here"

        def serve_forever(self) -> None:
            started.set()

    def make(traces: Any, **options: Any) -> Server:
        asked.append((traces, options))
        return Server()

    monkeypatch.setattr(showing, "shown", found)
    monkeypatch.setattr(showing, "make_server", make)
    monkeypatch.setattr(showing.webbrowser, "open", opened.append)
    view(ONE, "b", rank="1")
    view(ONE, by_run=True)
    server: Any = serve(ONE, "b", rank="1")
    assert started.wait(10)
    assert (server.url, opened) == ("http://here", [])
    serve(ONE, port=8000, open=True, by_run=True)
    assert opened == ["http://here"]
    assert asked == [
        ((ONE, "b"), showing.opened_in_part, {"by_run": False, "rank": "1"}),
        ((ONE,), showing.opened_in_part, {"by_run": True, "rank": None}),
        ((ONE, "b"), showing.opened_lazily, {"by_run": False, "rank": "1"}),
        ((ONE,), {"port": 0, "places": ["a"]}),
        ((ONE,), showing.opened_lazily, {"by_run": True, "rank": None}),
        ((ONE,), {"port": 8000, "places": ["a"]}),
    ]


def test_pictures_are_written_nowhere_unless_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "utilisation.svg" in plots(two_tasks())
    assert list(tmp_path.iterdir()) == []
