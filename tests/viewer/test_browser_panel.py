"""The panel in a real browser: sections that fold, by mouse and by key, and their roles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import small


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
