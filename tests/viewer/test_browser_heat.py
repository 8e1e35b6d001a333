"""The heat map of all cores in a real browser: how dark its cells are, and the way to a core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.test_browser_density import even_cores

CORES = 900
"""More than fit, so that several share a row."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    shares = tuple((1 + core % 7) / 8 for core in range(CORES))
    page = Opened(browser, page_file(tmp_path, [even_cores(20, shares)]))
    yield page
    page.close()


_MEANS = """
() => {
  const { heatMap, view, theme } = lanescope.scene;
  const canvas = document.getElementById("chipHeat");
  const left = Math.round(view.left * heatMap.ratio) + 5;
  const width = canvas.width - left - 40;
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  const [low, full] = [rgb(theme.lane), rgb(theme.accent)];
  const far = (c) => Math.abs(full[c] - low[c]);
  const best = [0, 1, 2].reduce((a, c) => (far(c) > far(a) ? c : a));
  return heatMap.rows.map((row, k) => {
    const y = Math.round((k + 0.5) * heatMap.high * heatMap.ratio);
    const { data } = canvas.getContext("2d").getImageData(left, y, width, 1);
    let sum = 0;
    for (let x = 0; x < width; x++) sum += data[4 * x + best] - low[best];
    return [row.map(({ lane }) => lane), sum / width / (full[best] - low[best])];
  });
}
"""


def test_cells_are_as_dark_as_their_cores_are_busy(opened: Opened) -> None:
    page = opened.page
    page.keyboard.press("h")
    page.wait_for_timeout(100)
    heat = page.get_by_role("application", name="How busy every core is over the visible time")
    assert heat.is_visible()
    lanes = opened.scene("scene.model.traces[0].header.lanes.map((lane) => lane.core)")
    found = page.evaluate(_MEANS)
    cores = [lanes[lane] for row, _ in found for lane in row]
    assert cores == list(range(CORES))
    assert 1 < len(found) < CORES
    for row, darkness in found:
        wanted = np.mean([(1 + lanes[lane] % 7) / 8 for lane in row])
        assert abs(darkness - wanted) < 0.03, (row, darkness, wanted)
    assert opened.errors == []


def test_a_row_tells_its_figure_and_leads_to_its_core(opened: Opened) -> None:
    page = opened.page
    page.get_by_role("button", name="Heat", exact=True).click()
    page.wait_for_timeout(100)
    box = page.locator("#chipHeat").bounding_box()
    high = opened.scene("scene.heatMap.high")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40.5 * high)
    said = page.locator("#state").inner_text()
    first = opened.scene("scene.heatMap.rows[40][0].lane")
    name = opened.scene(f"scene.model.traces[0].header.lanes[{first}].name")
    assert said.startswith(f"{name} to ")
    assert said.endswith("% busy")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40.5 * high)
    assert not page.locator("#chipHeat").is_visible()
    page.wait_for_timeout(100)
    row, view = opened.scene(
        f"[scene.layout.rows.find((one) => one.lane === {first}).y, "
        "[scene.view.top, scene.view.height]]"
    )
    assert view[0] < row < view[0] + view[1]
    page.keyboard.press("h")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert not page.locator("#chipHeat").is_visible()
    page.keyboard.press("h")
    page.keyboard.press("Escape")
    assert not page.locator("#chipHeat").is_visible()
    assert opened.errors == []
