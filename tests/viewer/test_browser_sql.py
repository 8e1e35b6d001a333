"""The SQL box in a real Chromium: a ready question, one's own, a chart, highlights, errors."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from tests.viewer.browser import Opened, chromium
from tests.viewer.traces import HOSTILE, small

from lanescope.viewer import make_server


@pytest.fixture(scope="module")
def opened() -> Iterator[Opened]:
    server = make_server([small()])
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    with chromium() as browser:
        opened = Opened(browser, server.url)
        yield opened
        opened.close()
    server.stop()


def asked(opened: Opened, sql: str) -> str:
    """Types a question and presses Ctrl+Enter; what the page says then."""
    box = opened.page.get_by_role("textbox", name="SQL question")
    box.fill(sql)
    box.press("Control+Enter")
    opened.page.wait_for_function(
        "() => !['', 'asking …'].includes(document.getElementById('sqlState').textContent)"
    )
    return str(opened.page.locator("#sqlState").inner_text())


def cells(opened: Opened) -> list[list[str]]:
    return opened.page.evaluate(
        "[...document.querySelectorAll('#sqlAnswer tbody tr')].map((row) => "
        "[...row.cells].map((cell) => cell.textContent))"
    )


def test_a_ready_question_is_answered_and_sorted(opened: Opened) -> None:
    page = opened.page
    page.get_by_role("button", name="SQL").press("Enter")
    page.get_by_role("combobox", name="Ready questions").select_option(index=1)
    text = page.get_by_role("textbox", name="SQL question").input_value()
    assert text.startswith("SELECT f.name, count(*)")
    assert asked(opened, text) == "3 rows"
    trace = small()
    length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    names = (HOSTILE, "GEMM & co", "softmax")
    expected = {
        name: (trace.tasks["func"] == k, length[trace.tasks["func"] == k].sum() / 1e6)
        for k, name in enumerate(names)
    }
    assert {row[0]: (int(row[1]), float(row[2])) for row in cells(opened)} == {
        name: (int(mask.sum()), total) for name, (mask, total) in expected.items()
    }
    page.get_by_role("button", name="name", exact=True).click()
    assert [row[0] for row in cells(opened)] == sorted(names, key=str.lower)
    page.get_by_role("button", name="Bar chart").click()
    assert page.locator("#sqlAnswer meter").count() == 3
    assert page.locator("#sqlAnswer .what").first.inner_text() in names
    assert opened.errors == []


def test_an_answer_lights_up_its_bars(opened: Opened) -> None:
    sql = "SELECT core, start_ns FROM tasks WHERE core = 2 AND start_ns < 2500"
    assert asked(opened, sql) == "3 rows"
    button = opened.page.get_by_role("button", name="Highlight 3")
    button.click()
    opened.page.wait_for_function("() => lanescope.scene.sqlLit")
    bright = (
        "scene.model.traces[0].tiles[0].tracks.filter((t) => t.kind === 'tasks').flatMap((t) => "
        "[...t.start].filter((_, i) => t.paint[i] !== 255 && scene.model.match[0](t)(i))"
        ".map((start) => [scene.model.traces[0].header.lanes[t.lane].core, start]))"
    )
    trace = small()
    rows = (trace.tasks["core"] == 2) & (trace.tasks["start_ns"] < 2500)
    expected = [[2, start] for start in trace.tasks["start_ns"][rows].tolist()]
    assert sorted(opened.scene(bright)) == expected
    colours = "new Set(scene.model.traces[0].tiles[0].tracks.filter((t) => t.kind === 'tasks' && "
    other = "scene.model.traces[0].header.lanes[t.lane].core === 0).flatMap((t) => [...t.paint]))"
    assert opened.scene(f"{colours}{other}.size") == 1
    button.click()
    opened.page.wait_for_function("() => !lanescope.scene.sqlLit")
    assert opened.scene(f"{colours}{other}.size") == 3


def test_an_error_is_a_sentence_and_text(opened: Opened) -> None:
    text = asked(opened, f'SELECT * FROM "{HOSTILE}"')
    assert "does not exist" in text
    assert HOSTILE in text
    assert cells(opened) == []
    assert asked(opened, "SELECT * FROM read_csv('/etc/passwd')").startswith("Permission Error")
    assert asked(opened, f"SELECT '{HOSTILE}' AS \"{HOSTILE}\"") == "1 row"
    assert cells(opened) == [[HOSTILE]]
    assert opened.errors == []


def test_keys_typed_into_the_question_move_nothing(opened: Opened) -> None:
    before: Any = opened.scene("[scene.view.t0, scene.view.t1]")
    opened.page.get_by_role("textbox", name="SQL question").press_sequentially("wasd 0 c p")
    assert opened.scene("[scene.view.t0, scene.view.t1]") == before
