"""Selecting an area in a real browser: by mouse and keys, its figures, CSV, link, served or not."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task
from tests.viewer.areas import plain_tasks, plain_waits
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, large, small

from lanescope.trace import Trace
from lanescope.viewer import book as book_module
from lanescope.viewer import make_server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def small_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    address = page_file(tmp_path_factory.mktemp("area"), [small()])
    opened = Opened(browser, address, permissions=["clipboard-read", "clipboard-write"])
    yield opened
    opened.close()


@pytest.fixture
def opened(small_page: Opened) -> Opened:
    small_page.page.evaluate("document.activeElement?.blur?.()")
    for _ in range(3):
        small_page.page.keyboard.press("Escape")
    small_page.page.keyboard.press("0")
    return small_page


def drag(opened: Opened, start: tuple[int, float], end: tuple[int, float], key: str = "") -> None:
    """Drag from a lane and moment to another."""
    places = [opened.place(*start), opened.place(*end)]
    mouse, keyboard = opened.page.mouse, opened.page.keyboard
    if key:
        keyboard.down(key)
    mouse.move(*places[0])
    mouse.down()
    mouse.move(*places[1], steps=4)
    mouse.up()
    if key:
        keyboard.up(key)


def rows(opened: Opened, view: str) -> list[list[str]]:
    opened.page.get_by_label("Figures of the area by").select_option(view)
    return [
        line.locator("td").all_inner_texts() for line in opened.page.locator("#area tbody tr").all()
    ]


def area_of(opened: Opened) -> tuple[int, int, list[str]]:
    t0, t1, lanes = opened.scene("[scene.area.t0, scene.area.t1, [...scene.area.lanes]]")
    return t0, t1, lanes


def copied(opened: Opened, view: str) -> list[list[str]]:
    rows(opened, view)
    opened.page.get_by_role("button", name="Copy CSV").click()
    opened.page.locator("#state", has_text="copied").wait_for()
    text = opened.page.evaluate("navigator.clipboard.readText()")
    return list(csv.reader(io.StringIO(text)))


def test_a_drag_with_ctrl_selects_time_and_lanes(opened: Opened) -> None:
    """Lanes 1, 3 and 5 are cores 0 to 2, with their pipes between them."""
    drag(opened, (1, 1050), (5, 4200), "Control")
    t0, t1, lanes = area_of(opened)
    assert (t0, t1) == (pytest.approx(1050, abs=10), pytest.approx(4200, abs=10))
    assert lanes == ["0:1", "0:2", "0:3", "0:4", "0:5"]
    wanted = plain_tasks(small(), (t0, t1), {0, 1, 2})
    found = {line[0]: line for line in copied(opened, "function")[1:] if line[-1] == "task"}
    assert set(found) == {HOSTILE, "GEMM & co", "softmax"}
    for name, one in wanted.items():
        count, total, share, mean, *others = found[name][1:-1]
        assert [int(value) for value in (count, total, *others)] == [
            *(one[key] for key in ("count", "inside_ns", "p50_ns", "p99_ns", "max_ns"))
        ]
        assert float(mean) == pytest.approx(one["whole_ns"] / one["count"])
        assert float(share) == pytest.approx(
            one["inside_ns"] / sum(other["inside_ns"] for other in wanted.values())
        )
    assert opened.page.locator("#areaLength").inner_text() == (
        f"area {(t1 - t0) / 1000:.3f} µs × 5 lanes"
    )
    over = sum(one["over"] for one in wanted.values())
    assert re.search(rf"\b{over} bars reach over", opened.page.locator("#area").inner_text())
    assert opened.errors == []


def test_lanes_kinds_waits_and_the_pivot_are_of_the_area(opened: Opened) -> None:
    drag(opened, (1, 1050), (5, 4200), "Control")
    t0, t1, _ = area_of(opened)
    wanted = plain_tasks(small(), (t0, t1), {0, 1, 2})
    inside = sum(one["inside_ns"] for one in wanted.values())
    lanes = {tuple(line[::4]): line for line in copied(opened, "lane")[1:]}
    assert sum(int(line[2]) for line in lanes.values() if line[-1] == "task") == inside
    for core in range(3):
        alone = plain_tasks(small(), (t0, t1), {core}).values()
        busy = sum(one["inside_ns"] for one in alone)
        line = next(one for one in lanes.values() if one[0] == f"aic {core}" and one[-1] == "task")
        assert (int(line[2]), float(line[3])) == (busy, pytest.approx(busy / (t1 - t0)))
    kinds = {(line[0], line[-1]): int(line[2]) for line in copied(opened, "kind")[1:]}
    assert kinds["aic", "task"] == inside
    pivot = copied(opened, "pivot")
    assert pivot[0] == ["function", "aic ns", "pipe ns"]
    told = {line[0]: line[1] for line in pivot[1:]}
    assert {name: int(told[name]) for name in wanted} == {
        name: one["inside_ns"] for name, one in wanted.items()
    }
    waits = {line[0]: int(line[1]) for line in copied(opened, "waits")[1:]}
    assert waits["running"] == inside
    expected = plain_waits(small(), (t0, t1), {0, 1, 2})
    labels = dict(
        opened.scene("scene.model.traces[0].header.reasons.map((r) => [r.what, r.label])")
    )
    for what, ns in expected.items():
        assert waits[labels[what]] == pytest.approx(ns, abs=1)
    assert sum(waits.values()) == pytest.approx(3 * (t1 - t0), abs=2)


def test_titles_sort_by_mouse_and_by_key(opened: Opened) -> None:
    drag(opened, (1, 1050), (5, 4200), "Control")
    rows(opened, "function")
    table = opened.page.get_by_role("table", name="Area: functions")
    head = table.get_by_role("columnheader", name="count")
    assert head.get_attribute("aria-sort") == "none"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    counts = [int(line[1]) for line in rows_now(opened)]
    assert counts == sorted(counts, reverse=True)
    head.get_by_role("button").focus()
    opened.page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [int(line[1]) for line in rows_now(opened)] == sorted(counts)
    table.get_by_role("columnheader", name="function").get_by_role("button").click()
    names = [line[0] for line in rows_now(opened)]
    assert names == sorted(names, key=str.lower)


def rows_now(opened: Opened) -> list[list[str]]:
    lines = opened.page.locator("#area tbody tr").all()
    return [line.locator("td").all_inner_texts() for line in lines]


def test_keys_alone_make_and_change_an_area(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()
    page.keyboard.press("r")
    t0, t1, lanes = area_of(opened)
    view = opened.scene("[scene.view.t0, scene.view.t1].map(Math.round)")
    assert [t0, t1] == view
    assert lanes == [f"0:{k}" for k in range(9)]
    for keys in ("Alt+ArrowLeft", "Alt+ArrowUp", "Alt+Shift+ArrowRight", "Alt+Shift+ArrowDown"):
        page.keyboard.press(keys)
    step = 0.02 * (view[1] - view[0])
    now = area_of(opened)
    assert now[:2] == (pytest.approx(t0 + step, abs=1), pytest.approx(t1 - step, abs=1))
    assert now[2] == [f"0:{k}" for k in range(1, 8)]
    assert page.get_by_role("heading", name="Area").is_visible()
    page.keyboard.press("Escape")
    assert opened.scene("scene.area") is None
    assert not page.locator("#areaBox").is_visible()
    assert page.locator("#areaLength").inner_text() == ""


def test_the_button_and_the_axis_select_too(opened: Opened) -> None:
    page = opened.page
    page.get_by_role("button", name="Area", exact=True).first.click()
    drag(opened, (1, 2000), (1, 3000))
    assert area_of(opened)[2] == ["0:1"]
    page.get_by_role("button", name="Area", exact=True).first.click()
    view = opened.scene("[scene.view.t0, scene.view.t1]")
    drag(opened, (1, 3000), (1, 3000.5))
    box = page.locator("#axis").bounding_box()
    x = [opened.scene(f"xOf(scene.view, {time})") for time in (2000, 5000)]
    page.mouse.move(box["x"] + x[0], box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + x[1], box["y"] + 12, steps=3)
    page.mouse.up()
    t0, t1, lanes = area_of(opened)
    assert (t0, t1) == (pytest.approx(2000, abs=10), pytest.approx(5000, abs=10))
    assert len(lanes) == 9
    assert opened.scene("[scene.view.t0, scene.view.t1]") == view


def test_a_link_restores_the_area(opened: Opened) -> None:
    drag(opened, (3, 1500), (7, 2500), "Control")
    area = area_of(opened)
    opened.page.wait_for_url(re.compile(f"&a={area[0]}_{area[1]}_"))
    again = Opened(opened.context.browser, opened.page.url)
    assert area_of(again) == area
    assert again.page.locator("#area table").is_visible()
    again.close()
    for broken in ("a=5_1_0%3A1", "a=1_5_9%3A1", "a=x_y_z", "a=1_5_0%3A99999999-999999999", "a="):
        again = Opened(opened.context.browser, opened.page.url.partition("#")[0] + "#" + broken)
        assert again.scene("scene.area") is None
        assert again.errors == []
        again.close()


def test_a_formula_in_a_name_stays_text(browser: Any, tmp_path: Path) -> None:
    names = ['=HYPERLINK("http://x")', "+1", "-2", "@SUM(A1)", "plain, with comma", HOSTILE]
    tasks = [task(0, None, None, 100 * k, 100 * k + 50, None, task=k, func=k) for k in range(6)]
    functions = [{"func": k, "name": name} for k, name in enumerate(names)]
    opened = Opened(
        browser,
        page_file(tmp_path, [make_trace(tasks=tasks, functions=functions)]),
        permissions=["clipboard-read", "clipboard-write"],
    )
    opened.page.keyboard.press("r")
    opened.page.get_by_role("button", name="Copy CSV").click()
    opened.page.locator("#state", has_text="copied").wait_for()
    text = opened.page.evaluate("navigator.clipboard.readText()")
    firsts = [line.rsplit(",", 8)[0] for line in text.splitlines()[1:]]
    assert sorted(firsts) == sorted(
        ['"\'=HYPERLINK(""http://x"")"', "'+1", "'-2", "'@SUM(A1)", '"plain, with comma"', HOSTILE]
    )
    assert opened.page.locator("#area script").count() == 0
    assert opened.errors == []
    opened.close()


def figures(opened: Opened, trace: Trace) -> Any:
    """What the page shows of an area in the middle of the run."""
    end = int(trace.tasks["end_ns"].max())
    opened.page.evaluate(f"lanescope.show({end // 5}, {end // 2})")
    opened.page.keyboard.press("r")
    opened.page.locator("#area table").wait_for()
    return {
        view: rows(opened, view) for view in ("function", "lane", "kind", "pivot", "waits")
    }, area_of(opened)


def test_a_served_trace_tells_the_same(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = large(12_000, cores=6)
    opened = Opened(browser, page_file(tmp_path, [trace]))
    whole = figures(opened, trace)
    opened.close()
    monkeypatch.setattr(book_module, "TILE_ROWS", 1000)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 2000)
    server = make_server([trace])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        opened = Opened(browser, server.url)
        assert opened.scene("scene.model.traces[0].overview !== null")
        assert figures(opened, trace) == whole
        assert any(address.endswith("/area") for address in opened.requests)
        opened.close()
    finally:
        server.stop()
    assert len(whole[0]["function"]) == 8
    wanted = plain_tasks(trace, whole[1][:2], set(range(6)))
    told = {line[0]: line[1] for line in whole[0]["function"]}
    assert told == {name: f"{one['count']:,}" for name, one in wanted.items()}
