"""Pins, notes, flags, undo, zooms and measuring in a real browser, by mouse and by keys alone."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, small

from lanescope.viewer import make_server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_file(tmp_path_factory.mktemp("notes"), [small(cores=30)])


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Opened]:
    opened = Opened(browser, address)
    yield opened
    assert opened.errors == []
    opened.close()


def select(opened: Opened, lane: int, time_ns: float) -> None:
    opened.page.mouse.click(*opened.place(lane, time_ns))
    opened.until(f"scene.selection?.lane === {lane}")


def pins(opened: Opened) -> list[str]:
    return opened.page.locator("#pins .what").all_inner_texts()


def test_pinned_lanes_stay_at_the_top_in_the_readers_order(opened: Opened) -> None:
    page = opened.page
    select(opened, 21, 1200 + 1000)
    page.mouse.move(640, 20)
    page.keyboard.press("x")
    select(opened, 2, 60)
    page.get_by_role("button", name="Pin lane").click()
    assert pins(opened) == ["aic 10", "aic 0 cube"]
    page.evaluate("document.getElementById('scroll').scrollTop = 300; lanescope.drawNow()")
    shown = "scene.layout.rows.filter((r) => r.pinned).map((r) => [r.lane, r.y - scene.view.top])"
    core, pipe = opened.scene("scene.layout.rows.slice(0, 2).map((row) => row.height)")
    assert opened.scene(shown) == [[21, 0], [22, core], [2, core + pipe]]
    box = page.locator("#lanes").bounding_box()
    x = box["x"] + opened.scene("xOf(scene.view, 1000 + 1100)")
    page.mouse.move(x, box["y"] + 5)
    page.locator("#tip").wait_for(state="visible")
    assert opened.tip()["core"] == "aic 10"
    page.get_by_role("button", name="Move aic 0 cube up").focus()
    page.keyboard.press("Enter")
    assert pins(opened) == ["aic 0 cube", "aic 10"]
    page.keyboard.press("u")
    assert pins(opened) == ["aic 10", "aic 0 cube"]
    page.get_by_role("button", name="Unpin aic 10").click()
    assert pins(opened) == ["aic 0 cube"]


def test_a_lane_that_is_pinned_is_let_go_by_the_same_key(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()
    page.keyboard.press("x")
    assert "x pins its lane" in page.locator("#state").inner_text()
    page.keyboard.press("Enter")
    opened.until("scene.selection")
    for count in (1, 0):
        page.keyboard.press("x")
        assert len(pins(opened)) == count


def made(opened: Opened) -> list[list[Any]]:
    return opened.scene("scene.made.notes.map((n) => [n.start, n.end, n.text, n.bar?.lane ?? -1])")


def make_all(opened: Opened) -> list[list[Any]]:
    """A pin, a note, a flag and a mark, by keys alone."""
    page = opened.page
    select(opened, 3, 1200)
    page.mouse.move(640, 20)
    page.keyboard.press("x")
    page.keyboard.press("n")
    page.keyboard.type(f"late {HOSTILE}")
    page.keyboard.press("Enter")
    page.keyboard.press("g")
    page.keyboard.type('begin "é&"')
    page.keyboard.press("Enter")
    page.keyboard.press("m")
    return [
        [1100, 1510, f"late {HOSTILE}", 3],
        [1100, None, 'begin "é&"', -1],
        [1100, 1510, "GEMM & co", -1],
    ]


def test_notes_flags_and_marks_are_made_by_keys(opened: Opened) -> None:
    wanted = make_all(opened)
    assert made(opened) == wanted
    rows = opened.page.locator("#ownNotes .made")
    assert rows.nth(0).get_by_role("textbox").input_value() == f"late {HOSTILE}"
    assert rows.nth(2).get_by_role("button").first.inner_text() == "410 ns"
    assert opened.page.locator("#ownNotes script").count() == 0
    tree = opened.page.locator("#madeBox").aria_snapshot()
    assert 'group "Pinned lanes"' in tree
    assert 'textbox "Text of the flag at 1.1 µs"' in tree


def test_an_area_is_marked(opened: Opened) -> None:
    opened.page.evaluate("lanescope.show(1000, 3000)")
    opened.page.locator("#lanes").focus()
    opened.page.keyboard.press("r")
    opened.until("scene.area")
    opened.page.keyboard.press("m")
    assert made(opened) == [[1000, 3000, "area", -1]]


def test_a_link_keeps_what_was_made(opened: Opened, browser: Any) -> None:
    wanted = make_all(opened)
    opened.page.wait_for_timeout(400)  # an earlier link, written while notes were made, has fewer
    opened.page.wait_for_url(re.compile("&n=.*&g="))
    again = Opened(browser, opened.page.url)
    assert made(again) == wanted
    assert pins(again) == ["aic 1"]
    assert again.errors == []
    again.close()


def test_a_link_that_grows_too_long_says_so(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()
    for _ in range(12):
        page.keyboard.press("g")
        page.keyboard.insert_text("x" * 190)
        page.keyboard.press("Enter")
    hint = page.locator("#madeHint").inner_text()
    assert hint.startswith("The link has no room for 12 notes")
    page.wait_for_timeout(400)
    assert "&g=" not in page.url


def test_links_of_earlier_versions_open(browser: Any, address: str) -> None:
    opened = Opened(browser, address + "#t=1000_3000&s=0_3_1100_tasks&q=%3Dsoftmax&c=wait")
    assert opened.scene("[scene.view.t0, scene.view.t1]") == [1000, 3000]
    assert opened.scene("[scene.selection.row, scene.model.mode]") == [9, "wait"]
    assert opened.scene("scene.made") == {"pins": [], "notes": []}
    assert opened.errors == []
    opened.close()


def saved_by(opened: Opened, folder: Path, name: str) -> str:
    with opened.page.expect_download() as waiting:
        opened.page.get_by_role("button", name="Save page with notes").click()
    file = folder / name
    waiting.value.save_as(file)
    assert waiting.value.suggested_filename == "small.html"
    return file.as_uri()


def policy(page: Any) -> str:
    return str(
        page.evaluate("document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
    )


def test_the_saved_page_has_the_notes_and_can_be_saved_again(
    opened: Opened, browser: Any, tmp_path: Path
) -> None:
    wanted = make_all(opened)
    once = Opened(browser, saved_by(opened, tmp_path, "once.html"))
    assert made(once) == wanted
    assert pins(once) == ["aic 1"]
    assert policy(once.page) == policy(opened.page)
    assert once.requests == [once.page.url.split("#")[0]]
    once.page.get_by_role("button", name=re.compile("^Remove the mark")).click()
    twice = Opened(browser, saved_by(once, tmp_path, "twice.html"))
    assert made(twice) == wanted[:2]
    select(twice, 5, 1300)
    assert twice.page.locator("#selection .name").inner_text() == "GEMM & co"
    texts = [(tmp_path / name).read_text() for name in ("once.html", "twice.html")]
    assert [HOSTILE in text for text in texts] == [False, False]
    assert [text.count('id="made"') for text in texts] == [1, 1]
    assert once.errors == twice.errors == []
    once.close()
    twice.close()


def test_a_served_page_says_why_it_cannot_be_saved(browser: Any) -> None:
    with make_server([small()]) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        opened = Opened(browser, server.url)
        button = opened.page.get_by_role("button", name="Save page with notes")
        assert button.is_disabled()
        assert "lanescope view --html" in (button.get_attribute("title") or "")
        opened.close()
        server.shutdown()
        thread.join()


def test_undo_takes_back_step_by_step(opened: Opened) -> None:
    page = opened.page
    select(opened, 3, 1200)
    page.keyboard.press("m")
    page.get_by_role("button", name="aic cores", exact=True).click()
    closed = "[...scene.options.closed]"
    assert opened.scene(closed) == ["0:aic cores"]
    page.locator("#lanes").focus()
    page.keyboard.press("Escape")
    assert opened.scene("scene.selection") is None
    page.keyboard.press("Control+z")
    opened.until("scene.selection?.row === 9")
    page.keyboard.press("u")
    assert opened.scene(closed) == []
    assert len(made(opened)) == 1
    page.keyboard.press("u")
    assert made(opened) == []
    page.get_by_role("button", name="Undo").click()
    opened.until("scene.selection === null")
    page.get_by_role("button", name="Undo").click()
    assert page.locator("#state").inner_text() == "Nothing to undo."


def test_backspace_goes_back_through_the_ranges(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()
    seen = [opened.scene("[scene.view.t0, scene.view.t1]")]
    for key in ("w", "d"):
        page.keyboard.press(key)
        page.wait_for_timeout(450)
        seen.append(opened.scene("[scene.view.t0, scene.view.t1]"))
    for wanted in (seen[1], seen[0]):
        page.keyboard.press("Backspace")
        assert opened.scene("[scene.view.t0, scene.view.t1]") == wanted
        page.wait_for_timeout(650)
    page.keyboard.press("Backspace")
    assert page.locator("#state").inner_text() == "This is the first range."


def near(opened: Opened, lane: int, time_ns: float, pixels: float) -> tuple[float, float]:
    x, y = opened.place(lane, time_ns)
    return x + pixels, y


@pytest.mark.parametrize("how", ["clicks", "drag"])
def test_a_measure_snaps_to_edges(opened: Opened, how: str) -> None:
    """From the end of task 0 of core 0 (400 ns) to the start of task 1 of core 1 (1100 ns)."""
    page = opened.page
    page.keyboard.press("e")
    page.mouse.move(*near(opened, 1, 400, 5))
    page.mouse.down()
    if how == "clicks":
        page.mouse.up()
    page.mouse.move(*near(opened, 3, 1100, -5))
    if how == "clicks":
        page.mouse.down()
    page.mouse.up()
    assert opened.scene("[scene.measure.from.time, scene.measure.to.time]") == [400, 1100]
    assert page.locator("#state").inner_text() == (
        "From end of a bar of aic 0 at 400 ns to start of a bar of aic 1 at 1.1 µs: 700 ns"
    )
    assert opened.scene("scene.selection") is None
    page.keyboard.press("m")
    assert made(opened) == [[400, 1100, "measured", -1]]
    page.keyboard.press("Escape")
    assert opened.scene("scene.measure") is None


def test_keys_alone_measure(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()
    opened.page.evaluate("location.hash = '#s=0_1_0_tasks'")
    opened.until("scene.selection?.lane === 1")
    for key in ("e", "ArrowRight", "Enter", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    assert opened.scene("[scene.measure.from.time, scene.measure.to.time]") == [400, 1100]
    assert page.locator("#state").inner_text().endswith(": 700 ns")
    assert page.get_by_role("button", name="Measure", pressed=True).count() == 1
