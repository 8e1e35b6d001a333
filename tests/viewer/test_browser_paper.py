"""SVG, print and narrow windows in Chromium, with fingers and without."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, large, small

SVG = "{http://www.w3.org/2000/svg}"
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def small_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_file(tmp_path_factory.mktemp("paper"), [small(HOSTILE)])


def saved_svg(opened: Opened) -> Path:
    with opened.page.expect_download() as waiting:
        opened.page.get_by_role("button", name="Save the visible range as an SVG").click()
    assert waiting.value.suggested_filename.endswith(".svg")
    return Path(waiting.value.path())


def test_the_drawing_has_what_is_seen_as_shapes_and_text(browser: Any, small_address: str) -> None:
    opened = Opened(browser, small_address)
    opened.page.evaluate("lanescope.show(900, 2000)")
    opened.page.mouse.click(*opened.place(3, 1200))
    opened.page.locator("#selection .tag.after").wait_for()
    file = saved_svg(opened)
    root = ElementTree.parse(file).getroot()
    texts = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert {HOSTILE, "aic 0", "aic 3", "Critical path", "scheduler 0"} <= set(texts)
    assert "GEMM & co" in texts
    assert not list(root.iter(f"{SVG}script")) and not list(root.iter(f"{SVG}image"))
    fill = opened.scene("scene.theme.paints[scene.selection.paint]")
    left, scale = opened.scene(
        "[xOf(scene.view, 1100), (scene.view.width - scene.view.left) / (scene.view.t1 - "
        "scene.view.t0)]"
    )
    bars = [(float(r.get("x", 0)), float(r.get("width", 0))) for r in root.iter(f"{SVG}rect")
            if r.get("fill") == fill]  # fmt: skip
    assert any(abs(x - left) < 0.02 and abs(width - 410 * scale) < 0.02 for x, width in bars), (
        "the task of 410 ns from 1100 ns on is a rectangle"
    )
    opened.close()


def test_the_drawing_opens_and_looks_like_the_page(
    browser: Any, small_address: str, tmp_path: Path
) -> None:
    opened = Opened(browser, small_address)
    drawing = tmp_path / "seen.svg"
    drawing.write_bytes(saved_svg(opened).read_bytes())
    shown = opened.context.new_page()
    shown.goto(drawing.as_uri())
    assert shown.evaluate("document.querySelectorAll('rect').length") > 40
    box = shown.evaluate("(({ width, height }) => [width, height])(document.documentElement"
                         ".getBoundingClientRect())")  # fmt: skip
    assert box == opened.scene("[scene.view.full, scene.view.height + 54]")
    opened.close()


def test_a_dense_drawing_stays_small(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [large(100_000)]))
    file = saved_svg(opened)
    assert file.stat().st_size < 12_000_000
    rows = opened.scene("scene.layout.rows.filter((r) => r.type === 'lane').length")
    root = ElementTree.parse(file).getroot()
    assert len(list(root.iter(f"{SVG}rect"))) < rows * 1400
    opened.close()


def test_paper_is_light_and_has_no_tools(browser: Any, small_address: str) -> None:
    opened = Opened(browser, small_address, color_scheme="dark")
    before = opened.scene("scene.theme.back")
    opened.page.click("#panel")
    opened.page.emulate_media(media="print", color_scheme="dark")
    opened.page.wait_for_function("() => lanescope.scene.theme.name === 'light'")
    assert not opened.page.locator(".tools").is_visible()
    assert opened.page.locator("#verdict table").first.is_visible()
    assert opened.page.evaluate("getComputedStyle(document.body).overflowY") == "visible"
    widths = opened.page.evaluate(
        "['lanes', 'axis'].map((id) => { const c = document.getElementById(id); return "
        "c.getBoundingClientRect().width / c.width; })"
    )
    assert widths[0] == pytest.approx(widths[1], rel=0.01), "lanes and axis have one scale"
    assert opened.page.pdf()[:5] == b"%PDF-"
    opened.page.emulate_media(media="screen", color_scheme="dark")
    opened.page.wait_for_function("() => lanescope.scene.theme.name === 'dark'")
    assert opened.scene("scene.theme.back") == before
    assert not opened.page.locator("#side").is_visible()
    assert opened.errors == []
    opened.close()


def test_a_narrow_window_has_all_of_it(browser: Any, small_address: str) -> None:
    opened = Opened(browser, small_address, **PHONE)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.locator("#side").is_visible()
    lanes = page.locator("#lanes").bounding_box()
    assert lanes["width"] > 360 and lanes["height"] > 400
    names = ("#search", "#colour", "#theme", "#png", "#svg", "#zoomIn", "#zoomOut", "#panel")
    for name in (*names, "#helpButton"):
        box = page.locator(name).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390, name
    page.locator("#panel").tap()
    box = page.locator("#side").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 391
    head = page.locator("header").bounding_box()
    assert box["y"] >= head["y"] + head["height"] - 1, "the way back is not covered"
    page.get_by_role("button", name="waiting on data").tap()
    page.locator("#verdict [aria-pressed=true]").wait_for()
    page.locator("#panel").tap()
    assert not page.locator("#side").is_visible()
    assert opened.errors == []
    opened.close()


def test_fingers_pan_and_pinch(browser: Any, small_address: str) -> None:
    opened = Opened(browser, small_address, **PHONE)
    page = opened.page
    wire = opened.context.new_cdp_session(page)
    page.locator("#zoomIn").tap()
    page.wait_for_function("() => lanescope.scene.view.t1 - lanescope.scene.view.t0 < 6000")

    def window() -> np.ndarray[Any, Any]:
        return np.array(opened.scene("[scene.view.t0, scene.view.t1]"))

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = window()
    touch("touchStart", (250, 400))
    for x in (230, 210, 190, 170):
        touch("touchMove", (x, 400))
    touch("touchEnd")
    panned = window()
    assert panned[0] > before[0]
    assert np.diff(panned) == pytest.approx(np.diff(before))
    touch("touchStart", (220, 400), (260, 400))
    for wide in (30, 40, 60):
        touch("touchMove", (240 - wide, 400), (240 + wide, 400))
    touch("touchEnd")
    assert np.diff(window()) == pytest.approx(np.diff(panned) * 40 / 120, rel=0.02)
    assert opened.scene("scene.pinching") is False
    x, y = opened.place(3, float(window().mean()))
    page.touchscreen.tap(x, y)
    assert opened.errors == []
    opened.close()
