"""The page in a real browser: the right task under the pointer, search, arrows, keys, requests."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, large, small

from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.cores.waiting import REASONS
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.trace import Trace
from lanescope.viewer import book as book_module
from lanescope.viewer import make_server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def small_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    address = page_file(tmp_path_factory.mktemp("small"), [small()])
    opened = Opened(browser, address)
    yield opened
    opened.close()


@pytest.fixture
def opened(small_page: Opened) -> Opened:
    """The small page as it is when it has just been opened."""
    small_page.page.evaluate("document.activeElement?.blur?.()")
    for _ in range(3):
        small_page.page.keyboard.press("Escape")
    small_page.page.keyboard.press("0")
    small_page.page.mouse.move(640, 20)
    return small_page


def point_at(opened: Opened, lane: int, time_ns: float) -> dict[str, str]:
    opened.page.mouse.move(*opened.place(lane, time_ns))
    opened.page.locator("#tip").wait_for(state="visible")
    return opened.tip()


def test_ten_random_places_show_the_right_task(browser: Any, tmp_path: Path) -> None:
    trace = large(200_000)
    opened = Opened(browser, page_file(tmp_path, [trace]))
    rng = np.random.default_rng(11)
    tasks = trace.tasks
    for row in rng.integers(0, len(tasks), 10).tolist():
        start, end = int(tasks["start_ns"][row]), int(tasks["end_ns"][row])
        opened.page.evaluate(f"lanescope.show({start} - 400000, {end} + 400000)")
        found = point_at(opened, int(tasks["core"][row]), start + 0.3 * (end - start))
        assert found["task"] == str(tasks["task"][row])
        assert found["core"] == f"aiv {tasks['core'][row]}"
        assert found["token"] == str(tasks["token"][row])
        assert found["name"] == f"kernel_{tasks['func'][row]}"
    assert opened.errors == []
    opened.close()


def test_at_full_width_the_pointer_finds_the_bar_at_its_moment(
    browser: Any, tmp_path: Path
) -> None:
    trace = large(100_000)
    opened = Opened(browser, page_file(tmp_path, [trace]))
    x, y = opened.place(5, float(trace.tasks["end_ns"].max()) / 3)
    opened.page.mouse.move(x, y)
    moment, task = opened.page.evaluate("[lanescope.scene.hover.start, lanescope.scene.hover.row]")
    box = opened.page.locator("#lanes").bounding_box()
    view = opened.scene("scene.view")
    share = (x - box["x"] - view["left"]) / (view["width"] - view["left"])
    time = view["t0"] + share * (view["t1"] - view["t0"])
    pixel = (view["t1"] - view["t0"]) / (view["width"] - view["left"])
    assert trace.tasks["core"][task] == 5
    assert moment - 2 * pixel <= time <= trace.tasks["end_ns"][task] + 2 * pixel
    opened.close()


def test_hover_tells_everything_known(opened: Opened) -> None:
    found = point_at(opened, 3, 1100 + 100)
    assert found == {
        "name": "GEMM & co",
        "duration": "410 ns",
        "against median": "+0.0 %",
        "core": "aic 1",
        "task": str((1 << 60) + 9),
        "token": "1",
        "dispatch": "1.04 µs",
        "receive": "1.07 µs",
        "start": "1.1 µs",
        "end": "1.51 µs",
        "finish": "1.59 µs",
        "waited: data": "530 ns",
        "waited: switch": "60 ns",
        "flag": "mix",
    }


def test_a_hostile_name_is_shown_as_text(opened: Opened) -> None:
    assert point_at(opened, 1, 100)["name"] == HOSTILE
    assert opened.page.locator("#functions td").first.inner_text() == HOSTILE
    assert opened.page.locator("#functions script, #tip script").count() == 0


def test_a_click_selects_and_draws_arrows(opened: Opened) -> None:
    assert colour_share(opened, "before") == 0
    assert colour_share(opened, "after") == 0
    opened.page.mouse.click(*opened.place(3, 1200))
    opened.page.locator("#selection .tag.after").wait_for()
    assert opened.scene("scene.neighbours.before.bars.map((s) => s.task)") == [str((1 << 60) + 1)]
    assert opened.scene("scene.neighbours.after.bars.map((s) => s.task)") == [str((1 << 60) + 17)]
    opened.page.mouse.move(640, 20)
    assert colour_share(opened, "before") > 0
    assert colour_share(opened, "after") > 0
    opened.page.locator("#selection .links button").first.click()
    opened.page.locator("#state", has_text="0 predecessors").wait_for()
    assert opened.scene("scene.selection.row") == 1


def colour_share(opened: Opened, name: str) -> float:
    """Share of the canvas, without the names of the lanes, that has a colour of the theme."""
    return opened.page.evaluate(
        """(name) => {
          lanescope.drawNow();
          const { canvas, theme, view } = lanescope.scene;
          const left = Math.round(view.left * view.ratio);
          const hex = theme[name];
          const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
          const picture = canvas.getContext("2d");
          const { data } = picture.getImageData(left, 0, canvas.width - left, canvas.height);
          let found = 0;
          const away = (i, value) => Math.abs(data[i] - value);
          for (let i = 0; i < data.length; i += 4)
            if (away(i, r) + away(i + 1, g) + away(i + 2, b) < 12) found++;
          return found / (data.length / 4);
        }""",
        name,
    )


def test_stalls_and_the_critical_path_are_drawn(opened: Opened) -> None:
    assert colour_share(opened, "blocked") > 0
    assert colour_share(opened, "critical") > 0
    assert "8 records lost" in opened.page.locator("#warning").inner_text()


def test_time_without_records_is_drawn_and_named(opened: Opened) -> None:
    """Core 0 has losses, so nothing is known of it behind its last task."""
    lost = opened.scene("scene.theme.paints[54]")
    assert paint_share(opened, lost) > 0
    x, y = opened.place(1, 7600)
    opened.page.mouse.move(x, y - 5)
    opened.page.locator("#tip").wait_for(state="visible")
    assert opened.tip()["name"] == "records of this time were lost"
    assert "records of this time were lost" in opened.page.locator("#legend").inner_text()


def paint_share(opened: Opened, colour: str) -> float:
    opened.page.evaluate("(colour) => { lanescope.scene.theme.tried = colour; }", colour)
    return colour_share(opened, "tried")


def test_what_was_waited_is_drawn_between_the_tasks(opened: Opened) -> None:
    """Before task 2 of core 0 nothing runs from 400 to 1000; it waits for data there."""
    data = opened.scene("scene.theme.paints[80]")
    assert paint_share(opened, data) == 0
    opened.page.select_option("#colour", "wait")
    opened.page.locator("#legend.figures li").first.wait_for()
    gaps = "scene.model.traces[0].tiles[0].tracks.filter((t) => t.kind === 'gaps')"
    start, end = opened.scene(f"((t) => [t.start[1], t.end[1]])({gaps}.find((t) => t.lane === 3))")
    assert (start, end) == (510, 1100)
    assert paint_share(opened, data) > 0
    opened.page.select_option("#colour", "function")
    assert opened.scene(f"{gaps}.length") == 0


def test_the_minimap_moves_the_window(opened: Opened) -> None:
    opened.page.evaluate("lanescope.show(1000, 2000)")
    box = opened.page.locator("#minimap").bounding_box()
    left = opened.scene("scene.view.left")
    width = opened.scene("scene.view.width") - left
    opened.page.mouse.click(box["x"] + left + 0.75 * width, box["y"] + 20)
    t0, t1 = opened.scene("[scene.view.t0, scene.view.t1]")
    whole = opened.scene("[scene.model.start, scene.model.end]")
    assert t1 - t0 == pytest.approx(1000)
    assert (t0 + t1) / 2 == pytest.approx(whole[0] + 0.75 * (whole[1] - whole[0]), rel=0.02)


def test_tab_reaches_everything(opened: Opened) -> None:
    opened.page.evaluate("document.activeElement?.blur?.()")
    seen = []
    for _ in range(70):
        opened.page.keyboard.press("Tab")
        seen.append(
            opened.page.evaluate("document.activeElement.id || document.activeElement.title")
        )
    wanted = ["search", "colour", "theme", "png", "panel", "helpButton", "lanes", "softmax"]
    assert [name for name in wanted if name not in seen] == []


def test_search_counts_dims_and_walks(opened: Opened) -> None:
    page = opened.page
    page.keyboard.press("/")
    page.keyboard.type("gemm core:aic dur>415ns")
    page.locator("#matches", has_text="6 found").wait_for()
    rows = []
    for count in range(3):
        page.keyboard.press("Enter")
        page.locator("#state", has_text="GEMM").wait_for()
        rows.append(wait_for_row(opened, rows))
        assert len(rows) == count + 1
    assert rows == [17, 25, 20]
    page.keyboard.press("Escape")
    page.locator("#matches", has_not_text="found").wait_for(state="attached")
    assert page.locator("#search").input_value() == ""


def wait_for_row(opened: Opened, seen: list[int]) -> int:
    """The selected row once it is another one than the last."""
    for _ in range(100):
        row = opened.scene("scene.selection?.row ?? -1")
        if row >= 0 and row != (seen[-1] if seen else -1):
            return int(row)
        opened.page.wait_for_timeout(20)
    raise AssertionError("the selection did not move")


def test_a_task_is_found_by_its_id(opened: Opened) -> None:
    opened.page.fill("#search", f"task:{(1 << 60) + 12}")
    opened.page.press("#search", "Enter")
    assert wait_for_row(opened, []) == 12
    assert opened.page.locator("#matches").inner_text() == "2 found"  # the task and its mark


def test_the_function_table_filters(opened: Opened) -> None:
    opened.page.locator("#functions button", has_text="softmax").click()
    opened.page.locator("#matches", has_text="8 found").wait_for()
    assert opened.page.locator("#search").input_value() == "=softmax"
    assert opened.page.locator("#histogram rect").count() > 0
    spread = opened.page.locator("#spread").inner_text()
    assert spread == "min 400 ns, median 410 ns, p99 430 ns, max 430 ns"


def test_a_counter_tells_its_value(opened: Opened) -> None:
    y = opened.scene("scene.layout.rows.find((r) => r.type === 'series').y - scene.view.top + 15")
    box = opened.page.locator("#lanes").bounding_box()
    opened.page.mouse.move(box["x"] + opened.scene("xOf(scene.view, 3010)"), box["y"] + y)
    opened.page.locator("#tip").wait_for(state="visible")
    assert opened.tip() == {"name": "ready aic", "value": "3", "since": "3 µs"}


def test_keys_zoom_pan_and_scroll(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()

    def window() -> tuple[float, float]:
        view = opened.scene("scene.view")
        return view["t0"], view["t1"]

    whole = window()
    page.keyboard.press("w")
    page.keyboard.press("w")
    near = window()
    assert near[1] - near[0] == pytest.approx(0.36 * (whole[1] - whole[0]))
    page.keyboard.press("d")
    assert window()[0] > near[0]
    page.keyboard.press("ArrowLeft")
    assert window() == pytest.approx(near)
    page.keyboard.press("s")
    assert window()[1] - window()[0] > near[1] - near[0]
    page.keyboard.press("0")
    assert window() == pytest.approx(whole)


def test_the_keyboard_alone_selects_and_moves(opened: Opened) -> None:
    page = opened.page
    page.locator("#lanes").focus()
    page.keyboard.press("Enter")
    first = wait_for_row(opened, [])
    page.keyboard.press("Shift+ArrowRight")
    second = wait_for_row(opened, [first])
    assert second == first + 1
    page.keyboard.press("Shift+ArrowLeft")
    assert wait_for_row(opened, [second]) == first
    page.keyboard.press("Escape")
    assert opened.scene("scene.selection") is None


def test_help_opens_and_closes(opened: Opened) -> None:
    opened.page.keyboard.press("?")
    assert opened.page.locator("#help").is_visible()
    opened.page.keyboard.press("Escape")
    assert not opened.page.locator("#help").is_visible()


@pytest.mark.parametrize("mode", ["wait", "deviation"])
def test_other_colourings_repaint_and_explain_themselves(opened: Opened, mode: str) -> None:
    before = opened.page.screenshot()
    opened.page.select_option("#colour", mode)
    opened.page.locator("#legend li").first.wait_for()
    assert opened.page.screenshot() != before
    assert opened.page.locator("#legend li").count() >= 5
    opened.page.select_option("#colour", "function")


def test_the_legend_of_waits_is_the_verdict(opened: Opened) -> None:
    chip = verdict(small()).chip
    assert chip is not None
    wanted = [[one.label, f"{100 * (one.share or 0):.1f} %"] for one in chip.shares if one.ns]
    assert len(wanted) > 4
    opened.page.select_option("#colour", "wait")
    opened.page.locator("#legend.figures li").first.wait_for()
    items = opened.page.locator("#legend li").all()
    told = [item.locator("span:not(.swatch)").all_inner_texts() for item in items]
    assert [texts for texts in told if len(texts) == 2] == wanted
    opened.page.select_option("#colour", "function")


def test_the_page_and_the_verdict_know_the_same_reasons() -> None:
    theme = (Path(__file__).parents[2] / "viewer" / "theme.js").read_text()
    (listed,) = re.findall(r"export const REASONS = \[(.*?)\n\];", theme, re.DOTALL)
    of_streams = [what for what in IDLE_LABELS if what not in REASONS]
    assert re.findall(r'"(\w+)"', listed) == [*REASONS, *of_streams]
    paints = [
        re.findall(r'"#\w+"', part)
        for part in re.findall(r"  (?:light|dark): \[\n.*?\n  \]", theme, re.DOTALL)
    ]
    assert [len(one) for one in paints] == [len(REASONS) + len(of_streams) + 1] * 2


def test_a_link_restores_range_selection_and_search(opened: Opened) -> None:
    page = opened.page
    page.fill("#search", "softmax")
    page.mouse.click(*opened.place(3, 1200))
    wait_for_row(opened, [])
    page.evaluate("lanescope.show(1000, 3000)")
    page.wait_for_url(re.compile(r"#t=1000_3000&s=[^&]+&q=softmax$"))
    address = page.url
    again = Opened(opened.context.browser, address)
    assert again.scene("[scene.view.t0, scene.view.t1]") == [1000, 3000]
    assert again.scene("scene.selection.row") == 9
    assert again.page.locator("#search").input_value() == "softmax"
    again.close()


def test_a_sampled_counter_has_a_lane(browser: Any, tmp_path: Path) -> None:
    samples = [
        {"name": "buffers in use", "core": 0, "value": float(k % 4), "time_ns": 100 * k}
        for k in range(20)
    ]
    tasks = [task(0, 0, 0, 0, 1900, 1900, func=0)]
    trace = make_trace(tasks=tasks, counters=samples, cores=[{"core": 0, "kind": "aic"}])
    opened = Opened(browser, page_file(tmp_path, [trace]))
    y = opened.scene("scene.layout.rows.find((r) => r.type === 'series').y - scene.view.top + 15")
    box = opened.page.locator("#lanes").bounding_box()
    opened.page.mouse.move(box["x"] + opened.scene("xOf(scene.view, 710)"), box["y"] + y)
    opened.page.locator("#tip").wait_for(state="visible")
    assert opened.tip() == {"name": "buffers in use core 0", "value": "3", "since": "700 ns"}
    opened.close()


def test_the_picture_is_a_png(opened: Opened) -> None:
    with opened.page.expect_download() as waiting:
        opened.page.click("#png")
    download = waiting.value
    assert download.suggested_filename == "small.png"
    assert Path(download.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_theme_follows_the_system_and_the_switch(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [small()]), color_scheme="dark")
    assert opened.scene("scene.theme.name") == "dark"
    opened.page.click("#theme")
    assert opened.scene("scene.theme.name") == "light"
    back = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == "rgb(255, 255, 255)"
    opened.close()


def test_two_traces_share_one_axis(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [small("one"), small("two", length=500)]))
    titles = opened.scene("scene.layout.rows.filter((r) => r.type === 'title').map((r) => r.name)")
    assert titles == ["A  ·  one  ·  7.870 µs", "B  ·  two  ·  7.970 µs"]
    for trace, length in ((0, "410 ns"), (1, "510 ns")):
        opened.page.mouse.move(*opened.place(3, 1200, trace))
        opened.page.locator("#tip").wait_for(state="visible")
        assert opened.tip()["duration"] == length
    cells = opened.page.locator("#functions tbody tr").first.locator("td").all_inner_texts()
    assert cells[1:] == ["4.98 µs", "6.18 µs", "+24.1 %"]
    opened.close()


def test_at_125_percent_nothing_is_cut_off(browser: Any, tmp_path: Path) -> None:
    size = {"width": 1024, "height": 640}
    opened = Opened(
        browser, page_file(tmp_path, [small()]), viewport=size, device_scale_factor=1.25
    )
    width = opened.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 1024
    for name in ("#search", "#colour", "#theme", "#png", "#panel", "#helpButton"):
        box = opened.page.locator(name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1024
    assert opened.scene("[scene.canvas.width / scene.view.width]")[0] == pytest.approx(1.25, 0.01)
    opened.close()


def test_the_page_asks_for_nothing(opened: Opened) -> None:
    assert len(opened.requests) == 1
    assert opened.requests[0].startswith("file://")
    assert opened.errors == []


def test_a_large_page_opens(browser: Any, tmp_path: Path) -> None:
    """The speed is measured by benchmarks/viewer.py; here it must only work."""
    opened = Opened(browser, page_file(tmp_path, [large(300_000)]))
    tracks = "scene.model.traces[0].tiles[0].tracks.filter((t) => t.kind === 'tasks')"
    assert opened.scene(f"{tracks}.length") == 72
    assert opened.errors == []
    opened.close()


def served(trace: Trace) -> Any:
    server = make_server([trace])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def test_a_very_large_trace_offers_no_wait_reasons(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book_module, "_EXPLAINED_TASKS", 8)
    opened = Opened(browser, page_file(tmp_path, [small()]) + "#c=wait")
    assert opened.page.locator("#colour option[value=wait]").is_disabled()
    opened.page.keyboard.press("c")
    assert opened.scene("scene.model.mode") == "deviation"
    assert "--since and --until" in opened.page.locator("#notes").inner_text()
    assert opened.errors == []
    opened.close()


def test_a_tiled_trace_is_shown_from_the_server(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book_module, "TILE_ROWS", 2000)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 4000)
    trace = large(40_000, cores=8)
    server = served(trace)
    try:
        opened = Opened(browser, server.url)
        assert opened.scene("scene.model.traces[0].tiles.filter((t) => t.tracks).length") == 0
        tasks = trace.tasks
        for row in (123, 17_000, 39_000):
            start, end = int(tasks["start_ns"][row]), int(tasks["end_ns"][row])
            opened.page.evaluate(f"lanescope.show({start} - 300000, {end} + 300000)")
            opened.page.wait_for_selector("#lanes[aria-busy=false]")
            found = point_at(opened, int(tasks["core"][row]), (start + end) / 2)
            assert (found["task"], found["token"]) == (
                str(tasks["task"][row]),
                str(tasks["token"][row]),
            )
        opened.page.fill("#search", f"task:{tasks['task'][20_000]}")
        opened.page.press("#search", "Enter")
        assert wait_for_row(opened, []) == 20_000
        assert all(address.startswith(server.url.partition("?")[0]) for address in opened.requests)
        assert opened.errors == []
        opened.close()
    finally:
        server.shutdown()
        server.server_close()
