"""Finding in a real browser: every sort of bar, the list, going round, the same from the server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task
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
    opened = Opened(browser, page_file(tmp_path_factory.mktemp("find"), [small()]))
    yield opened
    assert opened.errors == []
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


def typed(opened: Opened, text: str, says: str) -> list[str]:
    """Types a search; the list below it once the count is there."""
    opened.page.keyboard.press("/")
    opened.page.locator("#search").fill(text)
    opened.page.locator("#matches").get_by_text(says, exact=True).wait_for()
    return opened.page.locator("#found .links button").all_inner_texts()


def starts_of(trace: Trace, function: int) -> list[int]:
    tasks = trace.tasks
    return sorted(tasks["start_ns"][tasks["func"] == function].tolist())


def test_the_list_has_every_match_with_its_time(opened: Opened) -> None:
    told = typed(opened, "gemm", "12 found")
    assert [line.split("\n")[0].split(" · ")[0] for line in told] == ["GEMM & co"] * 12
    shown = [float(line.split("\n")[1].split()[0]) * 1000 for line in told]
    assert shown == pytest.approx(starts_of(small(), 1))
    assert opened.page.locator(".pager").inner_text().startswith("1 to 12 of 12")


@pytest.mark.parametrize(
    ("text", "says", "first"),
    [
        ("resolve", "20 found", "resolve · scheduler 0"),
        ("matmul", "32 found", "matmul · aic 0 cube"),
        ("cube core:2", "8 found", "matmul · aic 2 cube"),
        ("blocked", "4 found", "blocked: no free buffer · aic 0"),
        ("complete|resolve", "40 found", "complete · scheduler 0"),
        ("/^re.*e$/", "20 found", "resolve · scheduler 0"),
        ("ready", "1 found", "ready aic"),
        ("wait:data>500ns core:aic*", "31 found", None),
        ("alert", "12 found", f"{HOSTILE} · aic 0"),
    ],
)
def test_everything_that_is_drawn_is_found(
    opened: Opened, text: str, says: str, first: str | None
) -> None:
    if text.startswith("wait"):
        waits = book_module.Book(small()).waits["wait_data"]
        says = f"{int((waits >= 500).sum())} found"
    told = typed(opened, text, says)
    assert first is None or told[0].split("\n")[0] == first
    assert opened.page.locator("#found script").count() == 0


def test_a_run_is_found_by_the_number_that_it_is_shown_with(browser: Any, tmp_path: Path) -> None:
    tasks = [task(0, k, k, k, k + 5, k + 6, task=k, run=k // 30, func=0) for k in range(0, 90, 10)]
    runs = [{"run": number, "epoch": 7 + number} for number in range(3)]
    trace = make_trace(tasks=tasks, runs=runs, functions=[{"func": 0, "name": "QK"}])
    opened = Opened(browser, page_file(tmp_path, [trace]))
    told = typed(opened, "run:8", "3 found")
    assert [line.split("\n")[1] for line in told] == ["30 ns", "40 ns", "50 ns"]
    assert typed(opened, "run:1", "0 found") == []
    opened.close()


def test_a_wrong_pattern_is_said_and_nothing_is_thrown(opened: Opened) -> None:
    typed(opened, "/(gemm/", "/(gemm/: a ( has no )")
    assert opened.page.locator("#foundBox").is_hidden()
    assert opened.errors == []


def dim(opened: Opened, kind: str, lane: int) -> list[bool]:
    return opened.scene(
        "[...scene.model.traces[0].tiles[0].byLane.get("
        f"{lane}).find((t) => t.kind === '{kind}').paint].map((paint) => paint === 69)"
    )


def test_what_is_inside_a_match_stays_bright(opened: Opened) -> None:
    """Core 1 is lane 3 and its pipe lane 4; tasks 1, 4 and 7 of it are GEMMs."""
    typed(opened, "gemm core:1", "3 found")
    wanted = [k % 3 != 1 for k in range(8)]
    assert dim(opened, "tasks", 3) == wanted
    assert dim(opened, "marks", 4) == wanted
    assert all(dim(opened, "marks", 2))
    typed(opened, "complete", "20 found")
    assert not any(
        opened.scene(
            "scene.model.traces[0].tiles[0].byLane.get(0).flatMap((t) => "
            "[...t.paint]).map((paint) => paint === 69)"
        )
    )


def test_enter_goes_through_all_kinds_and_round(opened: Opened) -> None:
    typed(opened, "matmul|blocked core:aic*", "36 found")
    seen = []
    for _ in range(37):
        before = opened.scene("scene.found.at")
        opened.page.keyboard.press("Enter")
        opened.until(f"scene.found.at !== {'null' if before is None else before}")
        seen.append(opened.scene("[scene.found.bar.kind, scene.found.bar.start]"))
    assert {kind for kind, _ in seen} == {"marks", "stalls"}
    assert [start for _, start in seen[:36]] == sorted(start for _, start in seen[:36])
    assert seen[36] == seen[0]
    opened.page.keyboard.press("Shift+Enter")
    opened.until("scene.found.at === 35")


def test_the_list_is_walked_and_chosen_from_by_keys(opened: Opened) -> None:
    typed(opened, "resolve", "20 found")
    opened.page.locator("#found .links button").first.focus()
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("Enter")
    opened.until("scene.selection?.start === 650")
    assert opened.scene("scene.selection.kind") == "phases"
    current = opened.page.locator("#found [aria-current=true]")
    assert current.inner_text().split("\n") == ["resolve · scheduler 0", "650 ns"]


def test_a_search_by_key_leaves_no_tooltip_behind(opened: Opened) -> None:
    opened.page.mouse.move(*opened.place(3, 1200))
    opened.page.locator("#tip").wait_for(state="visible")
    opened.page.evaluate("lanescope.show(1000, 2000)")
    opened.page.mouse.move(*opened.place(3, 1250))
    opened.page.locator("#tip").wait_for(state="visible")
    typed(opened, "softmax", "8 found")
    opened.page.keyboard.press("Enter")
    opened.until("scene.selection?.start === 2000")
    assert opened.page.locator("#tip").is_hidden()
    assert opened.page.locator("#cursor").inner_text() == ""


def test_escape_leaves_no_footer_behind(opened: Opened) -> None:
    opened.page.mouse.click(*opened.place(3, 1200))
    opened.page.locator("#state", has_text="1 predecessor").wait_for()
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("#state").inner_text() == ""
    opened.page.mouse.click(*opened.place(0, 100))
    assert opened.page.locator("#state").inner_text() == "complete"


def test_recorded_pipes_are_shown_and_named(browser: Any, tmp_path: Path) -> None:
    """Of 60 cores each has a pipe; at the default height every one of them is named."""
    opened = Opened(browser, page_file(tmp_path, [small(cores=60)]))
    assert opened.scene("scene.options.laneHeight") == 13
    pipes = opened.scene("scene.layout.rows.filter((r) => r.about?.kind === 'pipe').length")
    assert pipes == 60
    named = opened.page.evaluate(
        """() => {
          const { canvas } = lanescope.scene, context = canvas.getContext("2d"), texts = [];
          const own = context.fillText;
          context.fillText = function (...all) { texts.push(all[0]); own.apply(this, all); };
          lanescope.drawNow();
          context.fillText = own;
          return texts;
        }"""
    )
    rows = opened.scene(
        "scene.layout.rows.filter((r) => r.about?.kind === 'pipe' && "
        "r.y + r.height < scene.view.height).length"
    )
    assert rows > 10
    assert named.count("cube") >= rows
    opened.close()


@contextmanager
def served(trace: Trace) -> Iterator[Any]:
    server = make_server([trace])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def rich() -> Trace:
    """Many tasks, and the phases, marks and stalls of a small trace."""
    some, many = small(cores=8), large(1200, cores=8)
    tasks = some.tasks.__class__.build(
        "tasks", {name: many.tasks[name] for name in many.tasks.columns}
    )
    return replace(some, tasks=tasks)


QUERIES = [
    *("gemm|softmax", "dur<71", "/s.*x/ dur>30us", "core:3", "task:77", "blocked", "dur>0"),
    *("nothing at all", "cube|resolve dur<60"),
]


def test_the_server_finds_what_the_page_finds(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = rich()
    found: dict[str, list[Any]] = {}
    whole = Opened(browser, page_file(tmp_path, [trace]))
    monkeypatch.setattr(book_module, "TILE_ROWS", 300)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 1000)
    with served(trace) as server:
        tiled = Opened(browser, server.url)
        assert tiled.scene("scene.model.traces[0].overview !== null")
        for opened in (whole, tiled):
            told = []
            for query in QUERIES:
                opened.page.evaluate("document.getElementById('matches').textContent = ''")
                opened.page.locator("#search").fill(query)
                opened.page.locator("#matches", has_text="found").wait_for()
                opened.until(f"scene.search === {json.dumps(query)}")
                opened.page.press("#search", "Shift+Enter")
                if opened.scene("scene.found.counts[0]"):
                    opened.until(
                        "scene.found.bar && scene.selection?.start === scene.found.bar.start"
                    )
                told.append(
                    [
                        opened.page.locator("#matches").inner_text(),
                        opened.page.locator("#found .links button").all_inner_texts(),
                        opened.scene("[scene.found.at, scene.found.bar?.start ?? null]"),
                    ]
                )
                for _ in range(3):
                    opened.page.keyboard.press("Escape")
            found[opened.page.url.split(":")[0]] = told
            assert opened.errors == []
            opened.close()
    assert found["http"] == found["file"]
    assert [one[0] for one in found["file"]].count("0 found") == 1
