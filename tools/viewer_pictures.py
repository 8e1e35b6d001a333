"""Makes the pictures of docs/viewer.md that answer a question: `python tools/viewer_pictures.py`.

Runs and pages are made anew; Chromium and playwright must be installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
SIZE = {"width": 1180, "height": 560}
CLOSE = "#groups button:text-is('{}')"
PICTURES: dict[str, tuple[list[str], list[str]]] = {
    "viewer-idle": (["slow"], ["#verdict table button:text-is('waiting on data')"]),
    "viewer-straggler": (["slow"], ["#verdict .links.wrap button"]),
    "viewer-changed": (
        ["before.lanes", "after.lanes"],
        [
            "#groups button:has-text('Interleave')",
            CLOSE.format("Controllers"),
            CLOSE.format("aic cores"),
        ],
    ),
}
"""By name: the traces of the page, and what is clicked in it."""
COLOURS = {"viewer-changed": "difference"}


def lanescope(*options: str, folder: Path) -> None:
    """Runs a command of lanescope in a folder."""
    subprocess.run([sys.executable, "-m", "lanescope", *options], cwd=folder, check=True)


def make_runs(folder: Path) -> None:
    """The run with a slow core, and two runs of which the second has more partial sums."""
    shutil.copytree(ROOT / "examples" / "slow_core", folder / "slow")
    program = str(ROOT / "examples" / "split_sum.py")
    for name, more in (("before", []), ("after", ["--set", "sums=8"])):
        options = ["--quiet", "--no-perfetto", "-o", f"{name}.lanes"]
        lanescope("run", program, *more, *options, folder=folder)


def take(browser: Any, page: Path, name: str, clicks: list[str]) -> None:
    """Opens a page, clicks, and keeps what is seen."""
    opened = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    opened.goto(page.as_uri())
    opened.wait_for_selector("body[data-ready]")
    if name in COLOURS:
        opened.select_option("#colour", COLOURS[name])
    for place in clicks:
        opened.locator(place).first.click()
    opened.mouse.move(5, 5)
    opened.locator("#side").evaluate("(side) => { side.scrollTop = 0; }")
    opened.wait_for_timeout(300)
    opened.screenshot(path=ROOT / "docs" / f"{name}.png")
    opened.close()


def main() -> int:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as running:
        folder = Path(made)
        make_runs(folder)
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, (traces, clicks) in PICTURES.items():
            lanescope("view", *traces, "--html", f"{name}.html", folder=folder)
            take(browser, folder / f"{name}.html", name, clicks)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
