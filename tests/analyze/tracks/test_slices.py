"""Slices on tracks: total and own time by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.analyze.tracks.slices import SLICES, SliceName, slices
from lanescope.render.plain import render_sections
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


PAGE = """\
Slices
  name   slices  total ns  own ns  of own  mean ns  min ns  max ns
  -----  ------  --------  ------  ------  -------  ------  ------
  outer       2       110      70   63.6%     55.0      10     100
  inner       2        50      40   36.4%     25.0      10      40
  Own time is without the slices inside a slice.
"""


@pytest.mark.parametrize(("show", "most"), [(SLICES.sections, 30), (SLICES.brief, 8)])
def test_so_many_names_are_shown_and_the_others_counted(show: Any, most: int) -> None:
    answers: Any = SimpleNamespace()
    assert render_sections(show(slices(nested()), answers)) == PAGE
    names = tuple(SliceName(f"n{k}", 1, 5, 5, 5.0, 5, 5, 0.1) for k in range(most + 2))
    (whole,), (cut,) = show(names[:most], answers), show(names, answers)
    assert whole.columns[0].cells == cut.columns[0].cells == tuple(f"n{k}" for k in range(most))
    assert len(whole.notes) == 1
    assert cut.notes[1:] == ("2 more names in --json.",)
    assert show((), answers) == []


def test_slices_without_length_have_no_share() -> None:
    one = {"task": 0, "token": 0, "core": 3, "kind": "run", "func": 0, **times(5, 5)}
    trace = make_trace(tasks=[one], functions=[{"func": 0, "name": "outer"}])
    assert slices(trace) == (SliceName("outer", 1, 0, 0, 0.0, 0, 0, None),)


def test_nothing_ran() -> None:
    assert slices(make_trace()) == ()
