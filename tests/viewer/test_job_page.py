"""The page of a job in a real browser: ranks, the heat map, from a late rank to its cause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.jobs.slow_job import STEP, slow_job
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, small

import lanescope
from lanescope.viewer import JobPanel, write_page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return slow_job(tmp_path_factory.mktemp("job"))


@pytest.fixture(scope="module")
def job_page(browser: Any, job: Path) -> Iterator[Opened]:
    file = job.parent / "job.html"
    lanescope.view(job, html=file, rank="0-2")
    opened = Opened(browser, file.as_uri())
    yield opened
    opened.close()


@pytest.fixture
def opened(job_page: Opened) -> Opened:
    """The page of three of four ranks as it is when it has just been opened."""
    job_page.page.evaluate("document.activeElement?.blur?.()")
    for key in ("Escape", "Escape", "0"):
        job_page.page.keyboard.press(key)
    job_page.page.mouse.move(640, 20)
    return job_page


def cell_at(opened: Opened, rank: int, step: int) -> tuple[float, float]:
    """Where the middle of a cell of the heat map is."""
    box = opened.page.locator("#heat").bounding_box()
    left, high, wide = opened.scene("[scene.heat.left, scene.heat.high, scene.heat.wide]")
    return box["x"] + left + (step + 0.5) * wide, box["y"] + (rank + 0.5) * high


def seen(opened: Opened) -> tuple[float, float]:
    t0, t1 = opened.scene("[scene.view.t0, scene.view.t1]")
    return t0, t1


def test_every_rank_is_a_group_of_lanes(opened: Opened) -> None:
    groups = opened.scene("scene.layout.rows.filter((r) => r.type === 'group').map((r) => r.name)")
    assert groups == ["Rank 0", "Rank 1", "Rank 2"]
    assert opened.scene("scene.layout.rows.filter((r) => r.type === 'title').length") == 0
    assert opened.page.locator("#title").inner_text() == "slow"
    assert opened.page.locator("#facts").inner_text().startswith("3 of 4 ranks")
    assert "Lanes of 3 of 4 ranks" in opened.page.locator("#ranksFacts").inner_text()
    assert opened.page.title() == "slow · lanescope"
    assert opened.requests == [opened.page.url.split("#")[0]]
    assert opened.errors == []


def test_the_panel_tells_who_and_why(opened: Opened) -> None:
    assert (
        opened.page.locator("#rankSentence").inner_text().startswith("Rank 2 computes 1.49 times")
    )
    first = opened.page.locator("#blamed button").first.inner_text()
    assert first.startswith("Rank 2, last in 6 collectives: its work took longer; gemm takes 1.49")
    assert opened.page.locator("#longest button").count() == 6
    assert opened.page.locator("#heatLegend li").count() == 10


def test_the_heat_map_has_the_colours_of_the_ratios(opened: Opened) -> None:
    colour = """([x, y]) => {
      const canvas = document.getElementById("heat"), box = canvas.getBoundingClientRect();
      const ratio = canvas.width / box.width;
      const place = [(x - box.left) * ratio, (y - box.top) * ratio];
      const [r, g, b] = canvas.getContext("2d").getImageData(...place, 1, 1).data;
      return "#" + [r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("");
    }"""
    colours = opened.scene("scene.model.job.colours[scene.theme.name]")
    found = [opened.page.evaluate(colour, list(cell_at(opened, rank, 3))) for rank in range(4)]
    assert found == [colours[4], colours[4], colours[8], colours[4]]


def test_a_cell_tells_what_it_is_and_leads_to_its_step_and_rank(opened: Opened) -> None:
    opened.page.mouse.move(*cell_at(opened, 2, 3))
    told = "rank 2, step 3: 1.49 of the median of its peers"
    assert opened.page.locator("#heatCell").inner_text() == told
    assert opened.tip()["name"] == told
    opened.page.mouse.click(*cell_at(opened, 2, 3))
    t0, t1 = seen(opened)
    assert 3 * STEP - STEP / 10 < t0 < 3 * STEP
    assert 4 * STEP < t1 < 4 * STEP + STEP / 10
    assert opened.page.locator("#state").inner_text() == ""


def test_a_rank_without_lanes_says_how_to_see_it(opened: Opened) -> None:
    opened.page.mouse.click(*cell_at(opened, 3, 1))
    assert opened.page.locator("#state").inner_text() == (
        "Rank 3 has no lanes in this page; --rank 3 shows them."
    )
    assert STEP - STEP / 10 < seen(opened)[0] < STEP


def test_the_heat_map_is_reached_by_keys(opened: Opened) -> None:
    opened.page.locator("#ranksFold").focus()
    opened.page.keyboard.press("Tab")
    assert opened.scene("document.activeElement.id") == "heat"
    opened.page.evaluate("lanescope.scene.heat.cursor = [0, 0]")
    before = seen(opened)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        opened.page.keyboard.press(key)
    assert seen(opened) == before, "the keys move in the map, not in the lanes"
    said = opened.page.locator("#heatCell").inner_text()
    assert said == "rank 2, step 1: 1.49 of the median of its peers"
    opened.page.keyboard.press("Enter")
    assert STEP - STEP / 10 < seen(opened)[0] < STEP


def test_a_late_rank_leads_to_its_arrival_and_what_it_did_meanwhile(opened: Opened) -> None:
    opened.page.locator("#blamed button").first.click()
    opened.page.locator("#selection .tag.meeting").wait_for()
    opened.page.wait_for_function("lanescope.scene.meanwhile")
    assert opened.scene("scene.selection.trace.rankNumber") == 2
    assert opened.scene("[scene.selection.text, scene.selection.start]") == ["reduce", 6_001_000]
    assert opened.scene("[scene.meanwhile.start, scene.meanwhile.end]") == [0, 6_001_000]
    told = opened.page.locator("#meanwhile").inner_text()
    assert told.startswith("all_reduce 0 of world: rank 2 came 1.980 ms later than the median of")
    assert "since its step began: ran longer +1.980 ms" in told
    assert opened.page.locator("#blamed button").first.get_attribute("aria-pressed") == "true"
    opened.page.keyboard.press("Escape")
    assert opened.scene("scene.meanwhile") is None


def test_arrivals_at_a_collective_are_joined(opened: Opened) -> None:
    opened.page.locator("#longest button").first.click()
    opened.page.locator("#selection .tag.meeting").wait_for()
    assert opened.scene("scene.meeting.map((bar) => bar.trace.rankNumber)") == [2, 1, 0]
    links = opened.page.locator("#selection .tag.meeting + .links button")
    assert links.all_inner_texts() == [
        "rank 2\nlast of those here",
        "rank 1\n1.980 ms earlier",
        "rank 0\n2.000 ms earlier",
    ]
    links.nth(2).click()
    opened.page.wait_for_function("lanescope.scene.selection.trace.rankNumber === 0")
    opened.page.wait_for_function("lanescope.scene.meeting?.length === 3")


def test_the_panel_folds(opened: Opened) -> None:
    fold = opened.page.locator("#ranksFold")
    tall = opened.scene("scene.view.height")
    fold.click()
    assert fold.get_attribute("aria-expanded") == "false"
    assert not opened.page.locator("#heat").is_visible()
    assert opened.scene("scene.view.height") > tall
    fold.click()
    assert opened.page.locator("#heat").is_visible()


def test_matches_of_a_rank_are_found_and_say_so(opened: Opened) -> None:
    opened.page.get_by_role("searchbox").fill("rank:2 dur>1ns")
    opened.page.locator("#found .links button").first.wait_for()
    told = opened.page.locator("#found .links .what").all_inner_texts()
    assert told and all(" · rank 2 " in line for line in told)
    opened.page.keyboard.press("Enter")
    assert opened.until("scene.selection?.trace.rankNumber ?? null") == 2


def test_on_a_phone_the_panel_begins_folded(job_page: Opened, browser: Any) -> None:
    phone = {"viewport": {"width": 390, "height": 844}}
    opened = Opened(browser, job_page.page.url.partition("#")[0], **phone)
    assert not opened.page.locator("#ranksBody").is_visible()
    assert opened.page.locator("#lanes").bounding_box()["height"] > 400
    opened.page.locator("#ranksFold").click()
    assert opened.page.locator("#ranksBody").is_visible()
    opened.close()


def test_functions_and_legend_speak_of_all_ranks(opened: Opened) -> None:
    counts = opened.page.locator("#functions tbody td:nth-child(2)").all_inner_texts()
    assert counts == ["18", "18"]
    opened.page.locator("#colour").select_option("wait")
    figures = opened.page.locator("#legend li").first.locator(".figure")
    assert figures.count() == 1
    opened.page.locator("#colour").select_option("function")


def test_the_server_sends_the_same_panel(browser: Any, job: Path) -> None:
    server = lanescope.serve(job)
    try:
        opened = Opened(browser, server.url)
        assert opened.page.locator("#facts").inner_text().startswith("4 of 4 ranks")
        opened.page.locator("#blamed button").first.click()
        opened.page.locator("#selection .tag.meeting").wait_for()
        assert opened.scene("scene.meeting.length") == 4
        assert opened.errors == []
        opened.close()
    finally:
        server.stop()


def test_names_of_a_job_are_text(browser: Any, tmp_path: Path) -> None:
    wait = {"name": HOSTILE, "last": 7, "decided": False, "ranks": 2, "margin_ns": 1}
    wait |= {
        "waited_ns": 5,
        "start_ns": 0,
        "end_ns": 900,
        "window_ns": None,
        "late_ns": 1,
        "since": "",
    }
    wait |= {"causes": [], "arrival": None}
    about = {"name": HOSTILE, "shown": [7], "told": [HOSTILE], "errors": [[0]], "ranks": [7]}
    about |= {"world": 2, "axes": [0], "sentence": HOSTILE, "clock": HOSTILE, "notes": [HOSTILE]}
    about |= {"limits": [100], "colours": {"light": ["#ffffff"] * 2, "dark": ["#000000"] * 2}}
    about |= {"steps": [0], "windows": [[[0, 900]]], "heat": "ZA=="}
    about |= {"blame": [{"line": HOSTILE, "waited_ns": 5, "wait": wait}], "longest": [wait]}
    trace = small()
    file = tmp_path / "page.html"
    with file.open("wb") as stream:
        write_page([trace], stream, job=JobPanel(about, [trace.tasks["token"]]))
    assert HOSTILE.encode() not in file.read_bytes()
    opened = Opened(browser, file.as_uri())
    opened.page.locator("#longest button").click()
    opened.page.locator("#meanwhile").wait_for()
    assert opened.page.locator("#rankSentence").inner_text() == HOSTILE
    assert opened.page.locator("#ranks script, #notes script, #title script").count() == 0
    assert "1 rank of the job has no trace" in opened.page.locator("#ranksFacts").inner_text()
    assert opened.errors == []
    opened.close()


def test_a_page_of_traces_has_no_panel(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [small(), small("other")]))
    assert not opened.page.locator("#ranks").is_visible()
    assert opened.scene("scene.layout.rows[0].type") == "title"
    opened.close()
