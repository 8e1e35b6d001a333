"""How dark pixels are in a real browser: at every zoom the share of their time that is busy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.viewer.browser import Opened, chromium, page_file

from lanescope.trace import Meta, Table, Trace, Words
from lanescope.trace.table import Array
from lanescope.viewer import book as book_module
from lanescope.viewer import make_server

SHARES = (0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 0.9)
"""Of each core's time that is busy; the core's number is the place."""
PERIOD_NS = 1000
_LEVELS = 1.5 / 50
"""Shades are whole numbers; paint and ground are more than 50 of them apart in some channel."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def even(periods: int) -> Trace:
    """Per share a core with a task in every period, as long as its share of it."""
    return even_cores(periods, SHARES)


def even_cores(periods: int, shares: tuple[float, ...]) -> Trace:
    """Per share a core with a task in every period, as long as its share of it."""
    core = np.repeat(np.arange(len(shares), dtype=np.int32), periods)
    length = np.array([round(PERIOD_NS * share) for share in shares])[core]
    start = np.tile(np.arange(periods, dtype=np.int64) * PERIOD_NS, len(shares))
    words = Words()
    columns: dict[str, Any] = {
        "task": np.arange(len(core)),
        "kind": np.full(len(core), words.code("run"), np.int32),
        "core": core,
        "func": np.zeros(len(core), np.int32),
        "flags": np.zeros(len(core), np.int32),
        "start_ns": start,
        "end_ns": start + length,
    }
    names = words.codes([f"core {k}" for k in range(len(shares))])
    numbers = np.arange(len(shares), dtype=np.int32)
    one = np.zeros(1, np.int32)
    return Trace(
        meta=Meta(name="even", tool="tests", origin="simulated"),
        tasks=Table.build("tasks", columns),
        cores=Table.build("cores", {"core": numbers, "name": names}),
        functions=Table.build("functions", {"func": one, "name": words.codes(["work"])}),
        words=words.freeze(),
    )


_READ = """
(core) => {
  const { scene, drawNow } = lanescope;
  drawNow();
  const { canvas, view, theme } = scene;
  const row = scene.layout.rows.find((one) => one.type === "lane" && one.about.core === core);
  const left = Math.round(view.left * view.ratio);
  const top = Math.round((row.y - view.top + 0.25 * row.base) * view.ratio);
  const width = canvas.width - left;
  const { data } = canvas.getContext("2d").getImageData(left, top, width, 1);
  const back = [1, 3, 5].map((k) => parseInt(theme.lane.slice(k, k + 2), 16));
  const away = theme.rgb[0].map((value, k) => value - back[k]);
  const best = away.reduce((a, value, k) => (Math.abs(value) > Math.abs(away[a]) ? k : a), 0);
  return [...Array(width).keys()].map((x) => (data[4 * x + best] - back[best]) / away[best]);
}
"""


def darkness(opened: Opened, core: int) -> Array:
    """How far every pixel of a core's lane is from the ground to the paint."""
    return np.array(opened.page.evaluate(_READ, core))


def shares(opened: Opened, core: int, pixels: int) -> Array:
    """The share of each pixel's time that the core is busy, by its periods alone."""
    t0, t1 = opened.scene("[scene.view.t0, scene.view.t1]")
    end = opened.scene("scene.model.end")
    edges = np.linspace(t0, t1, pixels + 1)
    inside = np.clip(edges, 0, end)
    on = round(PERIOD_NS * SHARES[core])
    busy = (inside // PERIOD_NS) * on + np.minimum(inside % PERIOD_NS, on)
    return np.diff(busy) / np.diff(edges)


def require_honest(opened: Opened) -> None:
    for core in range(len(SHARES)):
        found = darkness(opened, core)
        wanted = shares(opened, core, len(found))
        grid = opened.scene("[scene.view.t0, scene.view.t1]")
        plain = found < 1.02  # grid lines and the edges of wide bars are stronger
        assert plain.mean() > 0.7
        floor = np.where(wanted > 1e-9, np.maximum(wanted, 1 / 64), 0)
        wrong = np.abs(found - floor)[plain] > _LEVELS + 0.012
        # A grid line is one pixel in about 110; everything else is as wanted.
        assert wrong.mean() < 0.05, (core, grid, found[plain][wrong][:5], floor[plain][wrong][:5])


@pytest.mark.parametrize("ratio", [1, 1.25, 2])
def test_a_pixel_is_as_dark_as_it_is_busy(browser: Any, tmp_path: Path, ratio: float) -> None:
    opened = Opened(browser, page_file(tmp_path, [even(40_000)]), device_scale_factor=ratio)
    whole = opened.scene("scene.model.end")
    for pixel_ns in (40_000, 7_777, 1_500, 333, 60):
        width = opened.scene("scene.canvas.width")
        t0 = 0.31 * (whole - pixel_ns * width) if pixel_ns < 40_000 else 0
        opened.page.evaluate(f"lanescope.show({t0}, {t0} + {min(pixel_ns * width, whole)})")
        require_honest(opened)
        means = [darkness(opened, core).mean() for core in range(len(SHARES))]
        assert means == sorted(means)
    opened.close()


def test_in_a_served_overview_a_pixel_is_as_dark_as_it_is_busy(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pixel holds several merged bars there; their mean is what counts."""
    monkeypatch.setattr(book_module, "TILE_ROWS", 2000)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 4000)
    server = make_server([even(40_000)])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        opened = Opened(browser, server.url)
        assert opened.scene("scene.model.traces[0].overview !== null")
        require_honest(opened)
        assert opened.errors == []
        opened.close()
    finally:
        server.stop()
