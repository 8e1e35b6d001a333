"""The viewer's page of one large run: writing it, its size, opening it and panning in it.

    python -m benchmarks.viewer [--tasks 1000000] [--rounds 3]

Writing is given as a ratio to Python's json.load of the run's records file, both in a process of
their own, taking turns. Loading and frames are measured in the system's Chromium, without a
window, where it and playwright are there: a frame is what the page itself computes and draws (the
58th of 60 while panning), the interval is what a reader gets while panning, an area is every lane
over the whole run. Exit code 1 when a median misses its limit.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.foundation import Step, measure, prepare

_JSON_LOAD = """
with open(sys.argv[1] + "/run/chip_swimlane_records.json") as file:
    loaded = json.load(file)
"""

_OPEN = """
from lanescope.trace import load
trace = load(sys.argv[1] + "/stored/run.lanes")
"""

_WRITE = """
from pathlib import Path
from lanescope.formats.output import atomic_output
from lanescope.viewer import write_page
with atomic_output(Path(sys.argv[1], "run.html")) as stream:
    write_page([trace], stream)
"""

STEPS = (
    Step("json.load of the records file", _JSON_LOAD),
    Step("page of the opened trace", _WRITE, _OPEN, 0.5, 0.6),
    Step("page of the stored trace", _OPEN + _WRITE, "", 0.5, 0.6),
)
FIRST_LIMIT_S = 1.0
LOAD_LIMIT_S = 3.0
FRAME_LIMIT_MS = 8.0
"""Of 19 frames of 20, in every colouring."""
AREA_LIMIT_MS = 100.0
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")

_PAN = """
(share) => {
  const { scene, drawNow, show } = lanescope;
  const { start, end } = scene.model;
  const times = [];
  for (let k = 0; k < 60; k++) {
    const from = start + (end - start) * 0.9 * (1 - share) * (k / 60);
    show(from, from + (end - start) * share);
    const began = performance.now();
    drawNow();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[57];
}
"""

AREA = """
async (times) => {
  const axis = document.getElementById("axis");
  lanescope.show(lanescope.scene.model.start, lanescope.scene.model.end);
  const { left, width } = lanescope.scene.view;
  const box = axis.getBoundingClientRect();
  const fire = (name, x) => axis.dispatchEvent(
    new PointerEvent(name, { clientX: box.left + x, clientY: box.top + 9, pointerId: 1 }));
  axis.setPointerCapture = () => {};
  for (let k = 1; k <= times; k++) {
    fire("pointerdown", left);
    fire("pointerup", width);
    while (performance.getEntriesByName("area").length < k)
      await new Promise((done) => setTimeout(done, 5));
  }
  return performance.getEntriesByName("area").map((one) => one.duration);
}
"""
"""Milliseconds for the figures of every lane over the whole run, asked for so many times."""

_INTERVAL = """
async () => {
  const { scene, show } = lanescope;
  const { start, end } = scene.model;
  const next = () => new Promise((done) => requestAnimationFrame(done));
  const times = [];
  let last = await next();
  for (let k = 0; k < 120; k++) {
    show(start + (end - start) * 0.002 * k, start + (end - start) * (0.2 + 0.002 * k));
    const now = await next();
    times.push(now - last);
    last = now;
  }
  return times.sort((a, b) => a - b)[60];
}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/viewer"))
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    prepare(args.tasks, args.folder)
    rounds = [[measure(step, args.folder) for step in STEPS] for _ in range(args.rounds)]
    print(f"{args.tasks:,} tasks, Python {platform.python_version()}, {os.cpu_count()} cores")
    missed = print_writing(rounds)
    page = args.folder / "run.html"
    print(f"page {page.stat().st_size / 1e6:.1f} MB")
    return missed | print_browsing(page, args.rounds)


def print_writing(rounds: list[list[tuple[float, float]]]) -> int:
    """Medians over the rounds; returns 1 when a ratio is above its limit."""
    missed = 0
    print(
        f"\n{'step':32} {'s':>7} {'× json':>7} {'limit':>6} {'MiB':>7} {'× json':>7} {'limit':>6}"
    )
    for k, step in enumerate(STEPS):
        seconds, mebibytes = (statistics.median(one[k][i] for one in rounds) for i in (0, 1))
        time, memory = (statistics.median(one[k][i] / one[0][i] for one in rounds) for i in (0, 1))
        late = step.time_limit is not None and time > step.time_limit
        large = step.memory_limit is not None and memory > step.memory_limit
        missed |= late or large
        print(
            f"{step.name:32} {seconds:7.2f} {time:7.3f} {step.time_limit or '-':>6} "
            f"{mebibytes:7.0f} {memory:7.3f} {step.memory_limit or '-':>6}"
            + ("  MISSED" if late or large else "")
        )
    return int(missed)


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's Chromium; None where it or playwright is not there."""
    program = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        yield None
        return
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Any, address: str) -> Any:
    """A page that has read what it shows."""
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.goto(address)
    tab.wait_for_selector("body[data-ready]", timeout=120_000)
    return tab


def print_browsing(page: Path, rounds: int) -> int:
    """Loading and frames, or why they were not measured."""
    with chromium() as browser:
        if browser is None:
            print("no Chromium or no playwright here: loading and frames not measured")
            return 0
        found = [browse(browser, page) for _ in range(rounds)]
        version = browser.version
    print(f"\nChromium {version}, 1280 x 800, no window")
    missed = 0
    for name, limit in (("first frame s", FIRST_LIMIT_S), ("ready s", LOAD_LIMIT_S)):
        missed |= print_figure(name, [one[name] for one in found], limit)
    for name in found[0]:
        if name.startswith("frame"):
            missed |= print_figure(name, [one[name] for one in found], FRAME_LIMIT_MS)
    area = [one["area ms, the whole run"] for one in found]
    missed |= print_figure("area ms, the whole run", area, AREA_LIMIT_MS)
    first = statistics.median(one["first area ms"] for one in found)
    print(f"{'the first one of these ms':32} {first:7.2f}   (unpacks what cores waited for)")
    interval = statistics.median(one["interval ms between frames"] for one in found)
    print(f"{'interval ms between frames':32} {interval:7.2f}   (the screen's own is 16.67)")
    return missed


def browse(browser: Any, page: Path) -> dict[str, float]:
    """One visit: seconds until the first frame and until all is read, then panning."""
    tab = opened(browser, page.absolute().as_uri())
    marks = tab.evaluate(
        "['first frame', 'ready'].map((name) => performance.getEntriesByName(name)[0].startTime)"
    )
    found = {"first frame s": marks[0] / 1000, "ready s": marks[1] / 1000}
    for mode in ("function", "wait", "deviation"):
        tab.select_option("#colour", mode)
        tab.wait_for_timeout(3000)
        for share in (1.0, 0.5, 0.1, 0.01, 0.001):
            found[f"frame ms, {mode}, {share:.1%}"] = tab.evaluate(_PAN, share)
    areas = tab.evaluate(AREA, 5)
    found["first area ms"], found["area ms, the whole run"] = areas[0], statistics.median(areas)
    found["interval ms between frames"] = tab.evaluate(_INTERVAL)
    tab.close()
    return found


def print_figure(name: str, values: list[float], limit: float) -> int:
    value = statistics.median(values)
    late = value > limit
    print(f"{name:32} {value:7.2f} {'limit':>13} {limit:g}" + ("  MISSED" if late else ""))
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
