"""The built site, after `make docs`: it loads nothing from other hosts, and its search works."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.viewer.browser import chromium
from tools.site.offline import foreign_in_site

SITE = Path(__file__).parents[2] / "build" / "site"

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(not SITE.exists(), reason="the site is not built: make docs"),
]


def test_no_file_loads_anything_from_another_host() -> None:
    assert foreign_in_site(SITE) == {}


def test_the_site_and_its_search_work_without_a_server() -> None:
    with chromium() as browser:
        page = browser.new_page()
        requests: list[str] = []
        errors: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((SITE / "index.html").as_uri())
        page.click(".md-search__input")
        page.wait_for_function("typeof __index === 'object'")
        page.keyboard.type("straggler")
        page.locator(
            "a.md-search-result__link", has_text="Which core is the straggler?"
        ).first.click()
        assert "Which core is the straggler?" in page.locator("h1").inner_text()
        assert [url for url in requests if not url.startswith("file:")] == []
        assert errors == []
