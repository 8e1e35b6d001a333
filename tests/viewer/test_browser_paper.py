"""SVG, print and narrow windows in Chromium, with fingers and without."""

from __future__ import annotations

import base64
import re
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


def difference(page: Any, one: str, other: str, top: int = 0) -> float:
    """The share of pixels that differ much between two images, the first from a line on."""
    share: float = page.evaluate(
        """async ([one, other, top]) => {
          const read = async (source) => {
            const image = Object.assign(new Image(), { src: source });
            await image.decode();
            const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
            context.drawImage(image, 0, 0);
            return { image, of: (y, high) => context.getImageData(0, y, image.width, high).data };
          };
          const [a, b] = await Promise.all([one, other].map(read));
          const { width, height } = b.image;
          if (a.image.width !== width || a.image.height - top !== height) return 1;
          const [x, y] = [a.of(top, height), b.of(0, height)];
          let many = 0;
          for (let i = 0; i < x.length; i += 4) {
            many += [i, i + 1, i + 2].some((k) => Math.abs(x[k] - y[k]) > 60);
          }
          return (4 * many) / x.length;
        }""",
        [one, other, top],
    )
    return share


def as_address(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def test_the_drawing_looks_like_the_page(browser: Any, small_address: str, tmp_path: Path) -> None:
    opened = Opened(browser, small_address, viewport={"width": 900, "height": 420})
    opened.page.evaluate("lanescope.show(900, 4000)")
    opened.page.mouse.wheel(0, 40)
    opened.page.mouse.click(*opened.place(3, 1200))
    opened.page.locator("#lanes").focus()
    opened.page.keyboard.press("x")
    opened.until("scene.layout.pinned > 0")
    opened.page.mouse.move(3, 3)
    opened.page.evaluate("lanescope.drawNow()")
    drawing = tmp_path / "seen.svg"
    drawing.write_bytes(saved_svg(opened).read_bytes())
    width, height = opened.scene("[scene.view.width, scene.view.height]")
    shown = opened.context.new_page()
    shown.goto(drawing.as_uri())
    place = {"x": 0, "y": 54, "width": width, "height": height}
    picture = as_address(shown.screenshot(clip=place))
    shown.goto("about:blank")
    seen = opened.page.evaluate("document.getElementById('lanes').toDataURL()")
    assert difference(shown, picture, seen) < 0.03, (
        "shapes are where the page has them; only letters have other edges"
    )
    opened.close()


def test_pictures_have_the_heat_map_where_it_is_seen(browser: Any, small_address: str) -> None:
    opened = Opened(browser, small_address)
    opened.page.keyboard.press("h")
    opened.until("scene.heatMap")
    heat = opened.page.evaluate("chipHeat.toDataURL()")
    with opened.page.expect_download() as waiting:
        opened.page.get_by_role("button", name="Save the visible range as a PNG").click()
    picture = as_address(Path(waiting.value.path()).read_bytes())
    drawing = ElementTree.parse(saved_svg(opened)).getroot()
    opened.page.keyboard.press("h")
    lanes = opened.page.evaluate("document.getElementById('lanes').toDataURL()")
    shown = opened.context.new_page()
    assert difference(shown, picture, heat, 54) == 0
    assert difference(shown, heat, lanes) > 0.1
    (image,) = drawing.iter(f"{SVG}image")
    assert image.get("href") == heat
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
    size = {"width": 1280, "height": 1100}
    opened = Opened(browser, small_address, color_scheme="dark", viewport=size)
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
    printed = opened.page.pdf(format="A4", landscape=True)
    pages = re.findall(rb"/Type /Page\b.*?>>\nendobj", printed, re.DOTALL)
    assert [b"/XObject" in one for one in pages] == [True, *[False] * (len(pages) - 1)], (
        "minimap, axis and lanes are on one page"
    )
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
