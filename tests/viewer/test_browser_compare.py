"""Two traces and ranks in Chromium: interleaved lanes, difference colours, alignment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.jobs.slow_job import slow_job
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, small

import lanescope


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    """A and B have the same name; B's tasks take 500 ns and not 400 ns."""
    traces = [small(HOSTILE), small(HOSTILE, length=500)]
    places = ["/runs/before/run.lanes", f"/runs/{HOSTILE}/run.lanes"]
    page = Opened(browser, page_file(tmp_path, traces, places=places))
    yield page
    assert page.errors == []
    page.close()


def choose(opened: Opened, lane: int, time_ns: float, trace: int) -> None:
    opened.page.mouse.click(*opened.place(lane, time_ns, trace))
    opened.page.wait_for_function(f"() => lanescope.scene.selection?.trace.number === {trace}")


def test_traces_of_one_name_are_told_apart_everywhere(opened: Opened) -> None:
    labels = ["before/run", "script>/run"]
    assert opened.page.title() == "before/run and script>/run · lanescope"
    assert opened.page.locator("#title span:not(.vs)").all_inner_texts() == [
        f"{letter} {label}" for letter, label in zip("AB", labels, strict=True)
    ]
    spans = opened.page.locator("#title span")
    spans.evaluate_all("(all) => [0, 2].forEach((k) => (all[k].textContent += 'x'.repeat(300)))")
    boxes = spans.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().width)")
    assert boxes[0] == pytest.approx(boxes[2], rel=0.1) and boxes[2] > 100, "both are cut"
    spans.evaluate_all("(all) => [0, 2].forEach((k) => (all[k].textContent = "
                       "all[k].textContent.slice(0, -300)))")  # fmt: skip
    titles = opened.scene("scene.layout.rows.filter((r) => r.type === 'title').map((r) => r.name)")
    assert [title.split("  ·  ")[1] for title in titles] == labels
    assert opened.page.locator("#verdict summary").nth(1).inner_text() == "B script>/run"
    opened.page.mouse.move(*opened.place(3, 1200, 1))
    opened.page.locator("#tip").wait_for(state="visible")
    assert opened.tip()["trace"] == "B script>/run"
    assert opened.page.locator("aside script, header script, #tip script").count() == 0


def test_interleaved_lanes_lie_below_each_other(opened: Opened) -> None:
    opened.page.get_by_role("button", name="Interleave traces").click()
    cores = opened.scene(
        "scene.layout.rows.filter((r) => r.about?.kind === 'core').map((r) => r.about.name)"
    )
    assert cores == [f"{letter} aic {core}" for core in range(4) for letter in "AB"]
    opened.page.mouse.move(*opened.place(3, 1200, 1))
    opened.page.locator("#tip").wait_for(state="visible")
    assert (opened.tip()["trace"], opened.tip()["core"]) == ("B script>/run", "aic 1")
    opened.page.wait_for_url(re.compile("&i=1"))
    again = Opened(opened.context.browser, opened.page.url)
    assert again.scene("scene.layout.rows.filter((r) => r.type === 'title').length") == 0
    pressed = again.page.get_by_role("button", name="Interleave traces", pressed=True)
    assert pressed.count() == 1
    again.close()


def test_difference_is_against_the_median_of_the_first_trace(opened: Opened) -> None:
    opened.page.select_option("#colour", "difference")
    opened.page.locator("#legend li").first.wait_for()
    legend = opened.page.locator("#legend li").first.inner_text()
    assert legend == "a task beside the median of the same function in A before/run"
    paints = opened.scene(
        "scene.model.traces.map((t) => t.tiles[0].tracks.filter((k) => k.kind === 'tasks')"
        ".map((k) => [...k.paint]))"
    )
    # Medians of A are 410 ns; core c takes 400 + 10 c ns in A and 500 + 10 c ns in B.
    for number, length in ((0, 400), (1, 500)):
        for core in range(4):
            ratio = (length + 10 * core) / 410
            wanted = 60 + sum(ratio >= edge for edge in (0.5, 0.8, 0.95, 1.05, 1.25, 2))
            assert set(paints[number][core]) == {wanted}, (number, core)


def test_a_trace_is_moved_to_a_chosen_event(opened: Opened) -> None:
    choose(opened, 3, 1200, 0)
    opened.page.get_by_role("button", name="Align others to this start").click()
    choose(opened, 5, 3300, 1)
    opened.page.get_by_role("button", name=re.compile("Align here: move B")).click()
    opened.page.locator("#moved", has_text="B script>/run moved by −2.100 µs").wait_for()
    starts = opened.scene(
        "scene.model.traces.map((t) => t.tiles[0].tracks.filter((k) => k.kind === 'tasks')"
        ".map((k) => k.start[3]))"
    )
    assert starts == [[3000, 3100, 3200, 3300], [900, 1000, 1100, 1200]]
    assert opened.scene("scene.model.traces[1].path.start[0]") == -60 - 2100
    assert opened.scene("scene.model.start") == -60 - 2100
    opened.page.mouse.move(*opened.place(3, 1050, 1))
    opened.page.locator("#tip").wait_for(state="visible")
    assert (opened.tip()["moved by"], opened.tip()["start"]) == ("−2.100 µs", "1 µs")
    titles = opened.scene("scene.layout.rows.filter((r) => r.type === 'title').map((r) => r.name)")
    assert titles[1].endswith("moved by −2.100 µs")
    opened.page.wait_for_url(re.compile("&o=0_-2100"))
    again = Opened(opened.context.browser, opened.page.url)
    assert again.scene("scene.model.traces[1].moved") == -2100
    assert again.scene("scene.selection.start") == opened.scene("scene.selection.start")
    again.close()
    opened.page.locator("#moved").click()
    opened.page.locator("#moved").wait_for(state="hidden")
    assert opened.scene("[scene.model.start, scene.model.traces[1].moved]") == [-60, 0]


def test_one_trace_offers_none_of_it(browser: Any, tmp_path: Path) -> None:
    alone = Opened(browser, page_file(tmp_path, [small()]) + "#c=difference&i=1&o=500")
    assert alone.page.locator("#colour option[value=difference]").is_disabled()
    assert alone.page.get_by_role("button", name="Interleave").count() == 0
    assert alone.scene("[scene.model.mode, scene.model.traces[0].moved]") == ["function", 0]
    alone.page.mouse.click(*alone.place(3, 1200))
    alone.page.locator("#selection .tag.after").wait_for()
    assert alone.page.get_by_role("button", name="Align").count() == 0
    assert alone.errors == []
    alone.close()


def test_ranks_of_a_job_are_interleaved(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "job.html"
    lanescope.view(slow_job(tmp_path), html=file, rank="0-2")
    opened = Opened(browser, file.as_uri())
    opened.page.get_by_role("button", name="Interleave ranks").click()
    names = opened.scene(
        "scene.layout.rows.filter((r) => r.about?.kind === 'core').map((r) => r.about.name)"
    )
    assert [name.split(" ")[0] for name in names[:3]] == ["0", "1", "2"]
    assert len({name.split(" ", 1)[1] for name in names[:3]}) == 1
    opened.page.select_option("#colour", "difference")
    opened.page.locator("#legend li", has_text="the middle of the ranks' medians").wait_for()
    assert opened.errors == []
    opened.close()
