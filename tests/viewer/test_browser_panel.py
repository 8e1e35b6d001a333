"""The panel in a real browser: sections that fold, its width, the table of functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, small

from lanescope.analyze.tasks.functions import functions
from lanescope.viewer.book import Book
from lanescope.viewer.questions import outliers


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    opened = Opened(browser, page_file(tmp_path_factory.mktemp("panel"), [small()]))
    yield opened
    opened.close()


def test_a_section_folds_by_mouse_and_by_key_and_stays_so(opened: Opened) -> None:
    page = opened.page
    table = page.locator("#functions")
    heading = page.get_by_role("heading", name="Functions").get_by_role("button")
    assert heading.get_attribute("aria-expanded") == "true"
    heading.click()
    assert heading.get_attribute("aria-expanded") == "false"
    assert not table.is_visible()
    page.click("#theme")  # fills every section anew
    assert not table.is_visible()
    page.click("#theme")
    heading.focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-expanded") == "true"
    assert table.is_visible()
    page.keyboard.press("Space")
    assert not table.is_visible()
    page.keyboard.press("Space")
    assert opened.errors == []


def test_every_section_of_the_panel_folds(opened: Opened) -> None:
    counts = opened.page.evaluate(
        "['section', 'section > h2 > button.fold[aria-controls]'].map((one) => "
        "document.querySelectorAll('#side > ' + one).length)"
    )
    assert counts[0] == counts[1] > 4


def rows(opened: Opened) -> list[list[str]]:
    lines = opened.page.locator("#functions tbody tr").all()
    return [line.locator("td").all_inner_texts() for line in lines]


def test_the_table_of_functions_has_the_reports_figures_and_sorts(opened: Opened) -> None:
    table = opened.page.get_by_role("table", name="Functions")
    cost = {row.name: row.exec for row in functions(small()).rows}
    total = sum(one.total_ns for one in cost.values())
    assert {line[0]: line[1:] for line in rows(opened)} == {
        name: [
            str(one.count),
            f"{one.total_ns / 1000:.2f} µs",
            f"{100 * one.total_ns / total:.1f} %",
            f"{one.p50_ns} ns",
            f"{one.p99_ns} ns",
        ]
        for name, one in cost.items()
    }
    assert HOSTILE in cost
    head = table.get_by_role("columnheader", name="count")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").focus()
    opened.page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert rows(opened)[0][0] == "softmax"


def test_a_click_anywhere_chooses_and_outliers_lead_to_their_bars(opened: Opened) -> None:
    page = opened.page
    page.locator("#functions tbody tr", has_text="softmax").locator("td").nth(3).click()
    page.locator("#matches", has_text="8 found").wait_for()
    trace = small()
    lengths = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    page.locator("#outliers button", has_text="longest").first.click()
    page.wait_for_function("lanescope.scene.selection")
    row = opened.scene("scene.selection.row")
    assert lengths[row] == lengths[trace.tasks["func"] == 2].max()
    page.locator("#outliers button", has_text="shortest").first.click()
    page.wait_for_function(f"lanescope.scene.selection.row !== {row}")
    row = opened.scene("scene.selection.row")
    assert lengths[row] == lengths[trace.tasks["func"] == 2].min()
    for _ in range(3):
        page.keyboard.press("Escape")


def test_two_functions_are_compared_by_mouse_and_by_key(opened: Opened) -> None:
    page = opened.page
    page.locator("#functions tbody tr", has_text="softmax").click()
    page.locator("#functions tbody tr", has_text="GEMM").click(modifiers=["Shift"])
    assert page.locator("#shapeTitle").inner_text().lower() == "durations of softmax and gemm & co"
    assert page.locator("#histogram rect.other").count() > 0
    cost = {row.name: row.exec for row in functions(small()).rows}
    lines = [row.locator("th, td").all_inner_texts() for row in page.locator("#spread tr").all()]
    assert lines[0] == ["", "softmax", "GEMM & co"]
    assert lines[1] == ["count", str(cost["softmax"].count), str(cost["GEMM & co"].count)]
    assert lines[5] == ["p99", f"{cost['softmax'].p99_ns} ns", f"{cost['GEMM & co'].p99_ns} ns"]
    page.locator("#functions tbody tr", has_text="<script>").get_by_role("button").focus()
    page.keyboard.press("Shift+Enter")
    assert page.locator("#spread tr").first.locator("th, td").nth(2).inner_text() == HOSTILE
    for _ in range(3):
        page.keyboard.press("Escape")
    assert opened.errors == []


def test_the_panel_is_made_wider_by_mouse_and_by_key(opened: Opened) -> None:
    page = opened.page
    edge = page.get_by_role("separator", name="Width of the panel")
    before = page.locator("#side").bounding_box()["width"]
    table = page.locator("#functions .sorted")
    assert table.evaluate("(table) => table.scrollWidth <= table.parentElement.clientWidth"), (
        "all columns are seen as the page opens"
    )
    box = edge.bounding_box()
    page.mouse.move(box["x"] + 3, 400)
    page.mouse.down()
    page.mouse.move(box["x"] - 197, 400, steps=3)
    page.mouse.up()
    width = page.locator("#side").bounding_box()["width"]
    assert width == pytest.approx(before + 200, abs=3)
    assert int(edge.get_attribute("aria-valuenow")) == pytest.approx(before + 200, abs=3)
    name = page.locator("#functions tbody tr", has_text="<script>").locator("td").first
    assert name.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth")
    edge.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#side").bounding_box()["width"] == pytest.approx(width - 24, abs=2)
    page.keyboard.press("Home")
    assert page.locator("#side").bounding_box()["width"] == pytest.approx(240, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_the_server_tells_the_same_outliers(opened: Opened) -> None:
    page = opened.page
    page.locator("#functions tbody tr", has_text="GEMM").click()
    page.locator("#outliers button").first.wait_for()
    told = page.locator("#outliers button .when").all_inner_texts()
    bars = outliers(small(), Book(small()).bars["tasks"], 1)
    assert told == [f"{bar['length']} ns" for bar in (*bars["longest"], *bars["shortest"])]
