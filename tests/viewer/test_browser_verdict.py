"""The verdict and the critical path in Chromium: figures, rows that filter, keys along the path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.streams.made import full
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, small

from lanescope.reports.build import build_report
from lanescope.viewer.answers import page_basis
from lanescope.viewer.waits import waits_of

PATH = "scene.model.traces[0].path"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def small_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    opened = Opened(browser, page_file(tmp_path_factory.mktemp("verdict"), [small()]))
    yield opened
    opened.close()


@pytest.fixture
def opened(small_page: Opened) -> Opened:
    """The page as it is when it has just been opened."""
    small_page.page.evaluate("document.activeElement?.blur?.()")
    for _ in range(3):
        small_page.page.keyboard.press("Escape")
    small_page.page.select_option("#colour", "function")
    small_page.page.keyboard.press("0")
    return small_page


def bright(opened: Opened) -> set[int]:
    """Rows of the tasks that are not grey."""
    return set(
        opened.scene(
            "scene.model.traces[0].tiles[0].tracks.filter((t) => t.kind === 'tasks').flatMap("
            "(t) => [...t.paint.keys()].filter((i) => t.paint[i] !== 69).map((i) => "
            "t.table.values.get('row')[t.rowAt(i)]))"
        )
    )


def rows_of(opened: Opened, box: str) -> list[list[str]]:
    rows = opened.page.locator(f"{box} table").first.locator("tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_the_page_has_the_figures_of_the_report(opened: Opened) -> None:
    chip = build_report(small()).to_dict()["verdict"]["kinds"][0]
    wanted = [
        [one["label"], pytest.approx(one["ns"], abs=10), f"{100 * one['share']:.1f}%"]
        for one in chip["shares"]
        if one["ns"]
    ]
    rows = rows_of(opened, "#verdict")
    found = []
    for label, share, *_ in rows[:-1]:
        name, time = label.split("\n")
        found.append([name, float(time.removesuffix(" µs")) * 1000, share])
    assert found == wanted
    assert rows[-1][0].startswith("in all")
    sentence = opened.page.locator("#verdict p").first.inner_text()
    assert sentence == build_report(small()).sections(["verdict"])[0].lines[0]


def test_a_row_colours_and_keeps_bright_what_it_is_about(opened: Opened) -> None:
    waited = set(np.flatnonzero(waits_of(page_basis(small())).columns["wait_data"]).tolist())
    assert 0 < len(waited) < 32
    opened.page.get_by_role("button", name="waiting on data").focus()
    opened.page.keyboard.press("Enter")
    opened.page.locator("#verdict [aria-pressed=true]", has_text="waiting on data").wait_for()
    assert bright(opened) == waited
    assert opened.page.locator("#colour").input_value() == "wait"
    assert opened.page.locator("#kept").inner_text().startswith("Bright: tasks before which")
    opened.page.wait_for_url(re.compile("v=wait%3Adata%3A0"))
    again = Opened(opened.context.browser, opened.page.url)
    assert bright(again) == waited
    assert again.page.locator("#verdict [aria-pressed=true]").count() == 1
    again.close()
    opened.page.keyboard.press("Escape")
    opened.page.locator("#verdict [aria-pressed=true]").wait_for(state="detached")
    assert len(bright(opened)) == 32


def test_a_lane_that_lost_records_is_one_click_away(opened: Opened) -> None:
    opened.page.get_by_role("button", name="core 0", exact=True).click()
    opened.page.wait_for_function("() => lanescope.scene.selection?.kind === 'lost'")
    assert opened.scene("scene.selection.lane") == 1


def test_suspects_lead_to_their_core(browser: Any, tmp_path: Path) -> None:
    tasks = [
        task(core, None, None, 1000 * k, 1000 * k + (900 if core == 2 else 100), None, func=0)
        for core in range(6)
        for k in range(20)
    ]
    cores = [{"core": core, "name": f"{HOSTILE}{core}", "kind": "aic"} for core in range(6)]
    trace = make_trace(tasks=tasks, cores=cores, functions=[{"func": 0, "name": HOSTILE}])
    opened = Opened(browser, page_file(tmp_path, [trace]))
    opened.page.get_by_role("button", name=f"{HOSTILE}2 is slow").click()
    opened.page.locator("#verdict [aria-pressed=true]").wait_for()
    assert bright(opened) == set(range(40, 60))
    assert opened.page.locator("#colour").input_value() == "deviation"
    assert opened.page.locator("#verdict script, #path script").count() == 0
    assert opened.errors == []
    opened.close()


def test_the_path_is_a_lane_at_the_top_and_adds_up(opened: Opened) -> None:
    rows = opened.scene("scene.layout.rows.slice(0, 2).map((r) => r.name ?? r.about.name)")
    assert rows == ["Critical path", "critical path"]
    segments = build_report(small()).to_dict()["critical"]["segments"]
    found = opened.scene(
        "((p, words) => words.map((w, k) => [w.what, [...p.start.keys()].filter((i) => "
        "p.table.values.get('what')[i] === k).reduce((sum, i) => sum + p.end[i] - p.start[i], 0)]))"
        f"({PATH}, scene.model.traces[0].header.path.words)"
    )
    assert dict(found) == segments
    assert rows_of(opened, "#path")[0][1] == f"{100 * segments['run'] / 7870:.1f}%"


def test_keys_walk_along_the_path(opened: Opened) -> None:
    starts, ends = opened.scene(f"[[...{PATH}.start], [...{PATH}.end]]")

    def wait_for(place: int) -> None:
        opened.page.wait_for_function(
            "() => lanescope.scene.selection?.kind === 'path' && "
            f"lanescope.scene.selection.start === {starts[place]}"
        )

    for place in (0, 1, 2, 3):
        opened.page.keyboard.press("]")
        wait_for(place)
    opened.page.keyboard.press("[")
    wait_for(2)
    opened.page.keyboard.press("Escape")
    order = sorted(range(len(starts)), key=lambda k: (starts[k] - ends[k], k))
    for place in order[:3]:
        opened.page.keyboard.press("{")
        wait_for(place)
        told = f"Critical path, {place + 1} of {len(starts)}: "
        opened.page.locator("#state", has_text=told).wait_for()
    facts = opened.page.locator("#selection dt").all_inner_texts()
    assert {"of the path", "waited for", "before"} <= set(facts)
    row = opened.scene("scene.selection.value('row')")
    opened.page.locator("#selection .links button").first.click()
    opened.page.wait_for_function(f"() => lanescope.scene.selection.row === {row}")
    opened.page.wait_for_function("() => lanescope.scene.selection.kind === 'tasks'")


def test_a_path_that_nearly_only_waits_is_walked_to_its_end(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [small(length=4)]))
    starts, ends, names = opened.scene(
        f"[[...{PATH}.start], [...{PATH}.end], [...{PATH}.table.values.get('name')]]"
    )
    functions = opened.scene("scene.model.traces[0].header.functions.length")
    length = [end - start for start, end in zip(starts, ends, strict=True)]
    waits = [part for part, name in zip(length, names, strict=True) if name >= functions]
    assert 0.95 * sum(length) <= sum(waits) < sum(length)
    for place, start in enumerate(starts):
        opened.page.keyboard.press("]")
        told = f"Critical path, {place + 1} of {len(starts)}: "
        opened.page.locator("#state", has_text=told).wait_for()
        assert opened.scene("scene.selection.start") == start
    opened.page.keyboard.press("Escape")
    opened.page.keyboard.press("{")
    opened.page.wait_for_function("() => lanescope.scene.selection?.kind === 'path'")
    longest = opened.scene("scene.selection.start")
    assert ends[starts.index(longest)] - longest == max(length) == max(waits)
    assert opened.errors == []
    opened.close()


def test_the_longest_parts_are_buttons(opened: Opened) -> None:
    opened.page.locator("#path .links button").first.click()
    opened.page.locator("#state", has_text="Critical path,").wait_for()
    longest = opened.scene(f"Math.max(...[...{PATH}.end].map((e, i) => e - {PATH}.start[i]))")
    assert opened.scene("scene.selection.end - scene.selection.start") == longest


def test_two_traces_have_a_path_and_a_verdict_each(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [small("one"), small("two", length=500)]))
    lanes = opened.scene("scene.layout.rows.filter((r) => r.about?.kind === 'path').length")
    assert lanes == 2
    for box in ("#verdict", "#path"):
        assert opened.page.locator(f"{box} summary").all_inner_texts() == ["A one", "B two"]
    opened.close()


def test_streams_have_a_verdict_and_a_path(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [full()]))
    opened.page.get_by_role("button", name="communication that nothing hides").click()
    opened.page.locator("#verdict [aria-pressed=true]").wait_for()
    assert len(bright(opened)) == 1
    opened.page.keyboard.press("{")
    opened.page.locator("#state", has_text="Critical path, ").wait_for()
    assert opened.errors == []
    opened.close()
