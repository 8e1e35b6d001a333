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
    "viewer-area": (["slow"], []),
    "viewer-search": (["slow"], []),
    "viewer-pins": (["slow"], []),
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


def select_area(opened: Any) -> None:
    """Drags over time and lanes, with Ctrl."""
    box = opened.locator("#lanes").bounding_box()
    opened.keyboard.down("Control")
    opened.mouse.move(box["x"] + 250, box["y"] + 190)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 520, box["y"] + 330, steps=4)
    opened.mouse.up()
    opened.keyboard.up("Control")
    opened.locator("#area table").wait_for()


def find_bars(opened: Any) -> None:
    """Finds the long waits of vector cores, and goes to the second one."""
    opened.locator("#search").fill("core:aiv* wait:data>10us")
    for _ in range(2):
        opened.keyboard.press("Enter")
        opened.wait_for_timeout(300)


def pin_and_note(opened: Any) -> None:
    """Pins the lane of the longest task, writes a note on it, and measures from it."""
    opened.locator("#functions tbody tr").first.click()
    opened.locator("#outliers button").first.click()
    opened.wait_for_timeout(300)
    opened.locator("#lanes").focus()
    opened.keyboard.press("x")
    opened.keyboard.press("n")
    opened.keyboard.type("the longest of all")
    opened.keyboard.press("Enter")
    opened.keyboard.press("m")
    opened.locator("#pinButton").scroll_into_view_if_needed()


HANDS = {"viewer-area": select_area, "viewer-search": find_bars, "viewer-pins": pin_and_note}


def take(browser: Any, page: Path, name: str, clicks: list[str]) -> None:
    """Opens a page, clicks, and keeps what is seen."""
    opened = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    opened.goto(page.as_uri())
    opened.wait_for_selector("body[data-ready]")
    if name in COLOURS:
        opened.select_option("#colour", COLOURS[name])
    for place in clicks:
        opened.locator(place).first.click()
    if name in HANDS:
        HANDS[name](opened)
    opened.mouse.move(5, 5)
    if name != "viewer-pins":
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
