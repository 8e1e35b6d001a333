"""`--view` in a real Chromium: lanes grow, the page follows, holds still, and becomes the trace."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.viewer.browser import Opened, chromium
from tests.viewer.collecting import collecting, paced

from lanescope import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="collecting needs Linux")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return paced(tmp_path_factory.mktemp("paced"))


def wait(opened: Opened, expression: str) -> None:
    opened.page.wait_for_function(
        f"() => {{ const {{ scene }} = lanescope; return {expression}; }}", timeout=20_000
    )


def test_lanes_grow_and_the_page_becomes_the_trace(
    browser: Any, program: Path, tmp_path: Path
) -> None:
    looked = tmp_path / "looked"
    with collecting(tmp_path, program, 600, 3000, 4, looked) as (process, link):
        opened = Opened(browser, link)
        page = opened.page
        wait(opened, "scene.model.traces[0].header.counts.tasks > 40")
        first = opened.scene("[scene.model.end, scene.view.t1, scene.model.traces[0].number]")
        names = opened.scene("scene.model.traces[0].header.lanes.map((lane) => lane.name)")
        assert [name for name in names if name.startswith("aiv")] == [f"aiv {k}" for k in range(4)]
        wait(opened, f"scene.model.end > {first[0]} && scene.view.t1 >= scene.model.end")
        assert "recording · " in page.locator("#liveText").inner_text()
        follow = page.get_by_role("button", name="Follow the end of the recording")
        assert follow.get_attribute("aria-pressed") == "true"

        page.locator("#lanes").focus()
        page.keyboard.press("w")
        page.keyboard.press("w")
        wait(opened, "scene.live.span !== null && scene.view.t1 >= scene.model.end")
        assert follow.get_attribute("aria-pressed") == "true"
        page.keyboard.press("a")
        wait(opened, "!scene.live.on")
        assert follow.get_attribute("aria-pressed") == "false"
        held = opened.scene("[scene.view.t0, scene.view.t1, scene.model.end]")
        records = page.locator("#liveText").inner_text()
        page.wait_for_function(
            "(text) => document.getElementById('liveText').textContent !== text", arg=records
        )
        page.wait_for_timeout(700)
        assert opened.scene("[scene.view.t0, scene.view.t1, scene.model.end]") == held
        follow.press("Enter")
        wait(opened, f"scene.view.t1 > {held[2]}")
        looked.touch()

        page.wait_for_selector("body[data-ready]", timeout=20_000)
        page.wait_for_function(
            "() => document.getElementById('liveText').textContent.startsWith('stored in')",
            timeout=20_000,
        )
        page.wait_for_function("() => lanescope.scene.live?.stored && document.body.dataset.ready")
        stored = load(tmp_path / "live.lanes")
        shown = opened.scene("scene.model.traces[0].header")
        assert shown["counts"]["tasks"] == len(stored.tasks) >= 2400
        assert shown["end_ns"] == max(stored.tasks["end_ns"].max(), stored.tasks["finish_ns"].max())
        assert opened.scene("[scene.view.t0, scene.view.t1]") == [
            shown["start_ns"],
            shown["end_ns"],
        ]
        assert process.poll() is None
        assert opened.errors == []
        opened.close()
        assert process.wait(10) == 0


def test_a_selected_bar_holds_the_page_still_and_a_page_that_leaves_disturbs_nothing(
    browser: Any, program: Path, tmp_path: Path
) -> None:
    with collecting(tmp_path, program, 800, 3000, 2) as (process, link):
        opened = Opened(browser, link)
        wait(opened, "scene.model.traces[0].header.counts.tasks > 40")
        lane = opened.scene(
            "scene.model.traces[0].header.lanes.findIndex((l) => l.name === 'aiv 1')"
        )
        start, end = opened.scene(
            f"(() => {{ const track = scene.model.traces[0].tiles[0].byLane.get({lane})"
            ".find((t) => t.kind === 'tasks'); return [track.start[20], track.end[20]]; })()"
        )
        x, y = opened.place(lane, (start + end) / 2)
        opened.page.mouse.click(x, y)
        wait(opened, "!scene.live.on && scene.selection")
        assert opened.scene("scene.selection.end - scene.selection.start") > 2_000_000
        opened.close()
        assert process.wait(30) == 0
    assert len(load(tmp_path / "live.lanes").tasks) == 1600


def test_an_interrupt_ends_the_command_as_before_and_the_page_says_where_the_trace_is(
    browser: Any, program: Path, tmp_path: Path
) -> None:
    with collecting(tmp_path, program, 100_000, 3000, 1) as (process, link):
        opened = Opened(browser, link)
        wait(opened, "scene.model.traces[0].header.counts.tasks > 10")
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 1
        opened.page.wait_for_function(
            "() => document.getElementById('liveText').textContent.includes('has ended')"
        )
        text = opened.page.locator("#liveText").inner_text()
        assert text.endswith(f"stored in {tmp_path / 'live.lanes'}")
        opened.close()
    assert len(load(tmp_path / "live.lanes").tasks) > 10
