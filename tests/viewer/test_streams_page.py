"""The page of traces without cores: names of lanes and groups, reasons, words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.streams.made import full, of_streams, ran
from tests.analyze.tracks.test_slices import nested
from tests.viewer.browser import Opened, chromium, page_file

from lanescope.reports.plots import plots
from lanescope.viewer.answers import page_basis
from lanescope.viewer.book import Book
from lanescope.viewer.waits import waits_of


def test_host_threads_stand_above_streams() -> None:
    header = Book(full()).whole_header()
    lanes = [(lane["group"], lane["name"]) for lane in header["lanes"]]
    assert lanes[-1] == ("Critical path", "critical path")
    assert lanes[:-1] == [("Host threads", "t0"), ("Streams", "s0"), ("Streams", "s1")]
    assert header["vocabulary"] == {"lane": "stream", "task": "kernel", "function": "kernel"}
    assert header["ran"] == "2 kernels, 1 copy, 1 fill"


def test_streams_of_several_devices_are_grouped_by_device() -> None:
    two = of_streams([ran(0, "gemm", 0, 1), ran(2, "gemm", 0, 1)])
    groups = [lane["group"] for lane in Book(two).whole_header()["lanes"]]
    assert groups == ["Device 0 streams", "Device 1 streams", "Critical path"]


def test_what_a_stream_waited_for_is_known_by_row() -> None:
    waits = waits_of(page_basis(full()))
    assert {name: column.tolist() for name, column in waits.columns.items()} == {
        "wait_host_unseen": [0, 10, 0, 100],
        "wait_call": [0, 30, 0, 10],
        "wait_launch": [0, 10, 0, 10],
    }
    sums = {one["what"]: one["ns"] for one in waits.reasons if one["ns"]}
    assert sums == {"running": 240, "host_unseen": 110, "call": 40, "launch": 20}


def test_slices_on_tracks_have_no_reasons() -> None:
    assert waits_of(page_basis(nested())).columns == {}


def test_pictures_speak_of_streams_and_have_no_verdict_of_cores() -> None:
    drawn = plots(full())
    assert list(drawn) == ["utilisation.svg", "durations.svg"]
    assert "hand: streams that ran a kernel" in drawn["utilisation.svg"]
    assert "hand: how long kernels took" in drawn["durations.svg"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def test_the_page_opens_and_says_stream(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, page_file(tmp_path, [full()]))
    panel = opened.page.locator("aside").inner_text()
    assert "KERNELS" in panel.upper() and "FUNCTION" not in panel.upper()
    assert "2 kernels, 1 copy, 1 fill" in opened.page.locator("header").inner_text()
    opened.page.mouse.move(*opened.place(1, 150))
    opened.page.locator("#tip").wait_for(state="visible")
    assert opened.tip()["stream"] == "s0"
    opened.page.select_option("#colour", "wait")
    opened.page.locator("#legend.figures li").first.wait_for()
    assert "in the launch call" in opened.page.locator("#legend").inner_text()
