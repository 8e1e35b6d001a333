"""Slices on tracks: total and own time by name."""

from __future__ import annotations

from tests.analyze.hand import make_trace

from lanescope.analyze.tracks.slices import SliceName, slices
from lanescope.reports import build_report
from lanescope.trace import Trace


def nested() -> Trace:
    """One track: outer lies around inner, and inner around another inner."""
    rows = [(0, 0, 100), (1, 20, 60), (1, 30, 40), (0, 200, 210)]
    return make_trace(
        tasks=[
            {"task": k, "token": k, "core": 3, "kind": "run", "func": func, **times(start, end)}
            for k, (func, start, end) in enumerate(rows)
        ],
        functions=[{"func": 0, "name": "outer"}, {"func": 1, "name": "inner"}],
        cores=[{"core": 3, "name": "loop", "kind": "app", "lane": "track"}],
    )


def times(start: int, end: int) -> dict[str, int]:
    return {"start_ns": start, "end_ns": end}


def test_own_time_is_without_the_slices_inside() -> None:
    assert slices(nested()) == (
        SliceName("outer", 2, 110, 70, 55.0, 10, 100, 70 / 110),
        SliceName("inner", 2, 50, 40, 25.0, 10, 40, 40 / 110),
    )


def test_a_report_speaks_of_tracks_and_slices_and_gives_no_reasons() -> None:
    report = build_report(nested())
    text = report.text()
    assert [section.title for section in report.sections()] == [
        "Capture", "Losses", "Time", "Slices",
    ]  # fmt: skip
    assert "tracks          1 of 1 ran something" in text or "tracks  1 of 1 ran" in text
    assert "4 slices" in text
    assert "core" not in text.replace("score", "")
    assert "level" not in text


def test_nothing_ran() -> None:
    assert slices(make_trace()) == ()
