"""Flows in a real browser: several hops, fans, the path from A to B, the same from the server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import large, small

from lanescope.trace import Table, Trace
from lanescope.viewer import book as book_module
from lanescope.viewer import make_server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    opened = Opened(browser, page_file(tmp_path, [small(cores=6)]))
    yield opened
    assert opened.errors == []
    opened.close()


def select(opened: Opened, lane: int, time_ns: float) -> None:
    opened.page.mouse.click(*opened.place(lane, time_ns))
    opened.until(f"scene.selection?.lane === {lane} && scene.neighbours")


def hops_after(opened: Opened) -> list[list[int]]:
    return opened.scene("scene.neighbours.after.bars.map((bar) => [bar.row, bar.hop])")


def test_neighbours_over_more_hops_by_keys(opened: Opened) -> None:
    """Task k of core c comes before task k of core c + 1: rows are 8 apart."""
    select(opened, 3, 1200)
    opened.page.mouse.move(640, 20)
    assert hops_after(opened) == [[17, 1]]
    more = opened.page.get_by_role("button", name="One hop more")
    for hops in (2, 3):
        more.focus()
        opened.page.keyboard.press("Enter")
        opened.until(f"scene.flow.hops === {hops} && scene.neighbours.after.count === {hops}")
    assert hops_after(opened) == [[17, 1], [25, 2], [33, 3]]
    box = opened.page.locator("#selection").inner_text()
    assert "fan-in 1 task" in box
    assert "3 hops · aic 4" in box
    assert opened.page.get_by_role("button", name="One hop less").is_enabled()


def test_the_path_from_a_marked_task(opened: Opened) -> None:
    select(opened, 1, 1200)
    opened.page.get_by_role("button", name="Paths begin at this task").click()
    select(opened, 7, 1400)
    opened.until("scene.flow.path?.count === 4")
    assert opened.scene("scene.flow.path.bars.map((bar) => bar.row)") == [1, 9, 17, 25]
    box = opened.page.locator("#selection").inner_text()
    assert "path from GEMM & co" in box
    assert "the predecessor that ended last" in box
    select(opened, 7, 2400)
    opened.until("scene.flow.path?.count === 0")
    assert "no path leads here" in opened.page.locator("#selection").inner_text()


def connected() -> Trace:
    """Tasks of many cores, each after up to two that began before it, and some nodes between."""
    trace = large(3000, cores=8)
    order = np.argsort(trace.tasks["start_ns"])
    ids = trace.tasks["task"][order]
    rng = np.random.default_rng(5)
    at = np.arange(40, 3000).repeat(2)
    pred, succ = ids[at - rng.integers(1, 40, len(at))], ids[at]
    between = 10_000 + np.arange(300)
    pred, succ = np.append(pred, between), np.append(succ, ids[2000:2300])
    pred, succ = np.append(pred, ids[1500:1800]), np.append(succ, between)
    edges = Table.build("edges", {"pred": pred, "succ": succ})
    return Trace(
        **{name: getattr(trace, name) for name in ("meta", "tasks", "cores", "functions", "words")},
        edges=edges,
    )


def test_the_server_follows_as_the_page_does(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = connected()
    order = np.argsort(trace.tasks["start_ns"])
    rows = [int(order[k]) for k in (500, 1900, 2250)]
    told = []
    whole = Opened(browser, page_file(tmp_path, [trace]))
    monkeypatch.setattr(book_module, "TILE_ROWS", 700)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 1400)
    server = make_server([trace])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    tiled = Opened(browser, server.url)
    assert tiled.scene("scene.model.traces[0].overview !== null")
    for opened in (whole, tiled):
        seen = []
        opened.page.evaluate("lanescope.scene.onFlow({ hops: 4 })")
        for place, row in enumerate(rows):
            bar = (int(trace.tasks["core"][row]), int(trace.tasks["start_ns"][row]))
            opened.page.evaluate(f"location.hash = '#s=0_{bar[0]}_{bar[1]}_tasks'")
            opened.until(f"scene.selection?.row === {row} && scene.neighbours")
            if place:
                opened.until("scene.flow.path")
            seen.append(opened.scene("[scene.neighbours, scene.flow.path]"))
            if not place:
                opened.page.get_by_role("button", name="Paths begin at this task").click()
        told.append(seen)
        assert opened.errors == []
        opened.close()
    server.shutdown()
    server.server_close()
    assert told[0] == told[1]
    assert told[0][2][1]["count"] > 5
    assert told[0][1][0]["before"]["count"] > 10
