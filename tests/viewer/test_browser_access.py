"""What a screen reader is told, and names that try to break the page, in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, phase, task
from tests.viewer.browser import Opened, chromium, page_file
from tests.viewer.traces import HOSTILE, small

from lanescope.trace import Trace

TURNED = "\u202eevil\u202d\u2067"
"""Letters that turn round what follows them."""
NASTY = {
    "markup": f"{HOSTILE}<img src=x onerror=alert(1)>",
    "turned": f"a{TURNED}b",
    "escape": "\x1b[31mred\x07\x00\x7f",
    "long": "n" * 5000,
}
NEED_NAMES = {
    *("button", "textbox", "searchbox", "combobox", "checkbox", "separator", "application"),
    *("table", "columnheader", "img", "image", "dialog", "complementary", "region", "meter"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def tree(opened: Opened) -> list[tuple[str, str, dict[str, Any]]]:
    """Role, name and states of everything that is told."""
    wire = opened.context.new_cdp_session(opened.page)
    nodes = wire.send("Accessibility.getFullAXTree")["nodes"]
    wire.detach()
    return [
        (
            node["role"]["value"],
            node.get("name", {}).get("value", ""),
            {one["name"]: one["value"].get("value") for one in node.get("properties", [])},
        )
        for node in nodes
        if not node.get("ignored")
    ]


def test_everything_that_can_be_used_has_a_name(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [small(), small("other")]))
    keys = opened.page.keyboard
    opened.page.locator("#lanes").focus()
    for key in ("r", "Enter", "x", "m", "n"):
        keys.press(key)
        opened.page.wait_for_timeout(30)
    opened.page.locator("#ownNotes input").nth(1).wait_for()
    keys.press("Enter")
    opened.page.get_by_role("searchbox").fill("GEMM")
    keys.press("Enter")
    opened.page.locator("#outliers button").first.wait_for()
    told = tree(opened)
    assert [(role, name) for role, name, _ in told if role in NEED_NAMES and not name.strip()] == []
    tables = [name for role, name, _ in told if role == "table"]
    for name in ("Verdict", "Critical path", "Area: functions", "Functions", "durations of"):
        assert any(one.lower().startswith(name.lower()) for one in tables), name
    sorted_by = {name: states for role, name, states in told if role == "columnheader"}
    assert {"count", "p99", "share"} <= set(sorted_by)
    statuses = opened.page.get_by_role("status")
    assert any("successor" in text for text in statuses.all_inner_texts())
    assert opened.errors == []
    opened.close()


def nasty() -> Trace:
    """Every name that a page shows is one that must stay text."""
    names = list(NASTY.values())
    tasks, edges, marks = [], [], []
    for core in range(2):
        for k in range(4):
            start = 1000 * k + 100 * core
            times = (start - 50, start - 20, start, start + 800, start + 850)
            ids = {"task": 10 * core + k, "token": k, "func": k}
            tasks.append(task(core, *times, **ids))
            mark = {"core": core, "pipe": names[1], "name": names[k], "task": ids["task"]}
            marks.append({**mark, "start_ns": start + 50, "end_ns": start + 700})
            if core:
                edges.append({"pred": k, "succ": ids["task"]})
    return make_trace(
        meta={"name": NASTY["turned"] + NASTY["markup"], "queues": (NASTY["turned"],)},
        tasks=tasks,
        edges=edges,
        marks=marks,
        phases=[
            phase(name, 900 * k, 900 * k + 600, queue0_start=k) for k, name in enumerate(names)
        ],
        cores=[{"core": c, "name": names[c] + str(c), "kind": "aic"} for c in range(2)],
        functions=[{"func": k, "name": name} for k, name in enumerate(names)],
    )


def test_no_name_breaks_the_page(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [nasty()]))
    page = opened.page
    page.on("dialog", lambda _: opened.errors.append("a script of a name ran"))
    page.locator("#lanes").focus()
    for key in ("r", "Enter", "x", "m", "]"):
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    for text in NASTY.values():
        page.get_by_role("searchbox").fill(f'="{text[:60]}"')
        page.keyboard.press("Enter")
    page.get_by_role("searchbox").fill("evil")
    page.keyboard.press("Enter")
    page.locator("#found .links button").first.wait_for()
    page.mouse.move(*opened.place(1, 400))
    page.locator("#tip").wait_for(state="visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator("header").bounding_box()["height"] < 120
    tip = page.locator("#tip").bounding_box()
    assert tip["x"] >= 0 and tip["x"] + tip["width"] <= 1280 and tip["y"] >= 0
    inside = "aside :is(script, img), header :is(script, img), #tip :is(script, img)"
    assert page.locator(inside).count() == 0
    shown = page.evaluate("document.body.innerText")
    assert "a\ufffdevil\ufffd\ufffdb · scheduler 0" in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown), (
        "no name turns its neighbours round"
    )
    assert opened.errors == [] and len(opened.requests) == 1
    opened.close()
