"""A real Chromium for the tests of the page; they are skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lanescope.trace import Trace
from lanescope.viewer import write_page

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's browser, without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("Chromium is not installed: it runs the viewer's page")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page that is open, with every request and error it made."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._said)
        self.page.goto(address)
        self.page.wait_for_selector("body[data-ready]", timeout=30_000)

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def scene(self, expression: str) -> Any:
        """A value of the page's own state."""
        return self.page.evaluate(
            f"(() => {{ const {{ scene, xOf }} = lanescope; return {expression}; }})()"
        )

    def until(self, expression: str) -> Any:
        """The value of an expression over the page's state, once it is true."""
        for _ in range(500):
            if value := self.scene(expression):
                return value
            self.page.wait_for_timeout(10)
        raise AssertionError(f"never true: {expression}")

    def place(self, lane: int, time_ns: float, trace: int = 0) -> tuple[float, float]:
        """Where a moment of a lane is on the screen, scrolled into view."""
        self.page.evaluate(
            "(([lane, trace]) => { const row = lanescope.scene.layout.rows.find((r) => r.type === "
            "'lane' && r.lane === lane && r.trace.number === trace); document.getElementById("
            "'scroll').scrollTop = row.y - 100; lanescope.drawNow(); })",
            [lane, trace],
        )
        x, y = self.scene(
            f"(() => {{ const row = scene.layout.rows.find((r) => r.type === 'lane' && r.lane === "
            f"{lane} && r.trace.number === {trace}); return [xOf(scene.view, {time_ns}), "
            "row.y - scene.view.top + row.base / 2]; })()"
        )
        box = self.page.locator("#lanes").bounding_box()
        return box["x"] + x, box["y"] + y

    def tip(self) -> dict[str, str]:
        """The tooltip: its name and its facts."""
        facts = self.page.evaluate(
            "[...document.querySelectorAll('#tip dt')].map((dt) => [dt.textContent, "
            "dt.nextSibling.textContent])"
        )
        return {"name": self.page.locator("#tip .name").inner_text(), **dict(facts)}

    def close(self) -> None:
        self.context.close()


def page_file(folder: Path, traces: Sequence[Trace], **options: Any) -> str:
    """The traces as a page on disk; its address."""
    file = folder / "page.html"
    with file.open("wb") as stream:
        write_page(traces, stream, **options)
    return file.as_uri()
