"""Pages of the façade: written, and shown inside a notebook's frame by a real browser."""

from __future__ import annotations

import urllib.request
from pathlib import Path

from tests.analyze.hand import make_trace, task
from tests.viewer.browser import chromium

from lanescope.facade.showing import plots, serve, view
from lanescope.trace import Trace


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
