"""Pages about launches and host ranges: twenty names, five on the short page."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from lanescope.analyze.cores.launched import Launched, LaunchGroup, RangeGroup
from lanescope.analyze.cores.launched_section import LAUNCHED
from lanescope.render.page import Section
from lanescope.render.plain import render_sections

ANSWERS: Any = SimpleNamespace()
EMPTY = Launched(0, 0, 0, 0, 0, None, None, (), ())


def launches(count: int) -> tuple[LaunchGroup, ...]:
    return tuple(LaunchGroup(f"l{n}", 1, 2, 50, 50.0, 50, 0, 100, 0) for n in range(count))


def ranges(count: int) -> tuple[RangeGroup, ...]:
    return tuple(RangeGroup(f"r{n}", 1, 50, 50.0, 50, 0, 0) for n in range(count))


def brief(answer: Launched) -> list[Section]:
    assert LAUNCHED.brief is not None
    return LAUNCHED.brief(answer, ANSWERS)


def test_what_is_not_known_has_no_line() -> None:
    known = replace(EMPTY, launches=1, span_ns=50, covered_ns=50, names=launches(1))
    (section,) = LAUNCHED.sections(known, ANSWERS)
    assert section.facts == (("launches", "1 in 50 ns"),)
    (section,) = LAUNCHED.sections(replace(EMPTY, ranges=ranges(1)), ANSWERS)
    assert (section.title, section.notes) == ("Host ranges", ())
    assert LAUNCHED.sections(EMPTY, ANSWERS) == brief(EMPTY) == []


def test_times_between_launches_and_to_their_start_are_said() -> None:
    known = replace(
        EMPTY, launches=1200, span_ns=900, covered_ns=300, gaps=2, longest_gap_ns=400, delay_ns=7.5
    )
    (section,) = LAUNCHED.sections(replace(known, names=launches(1)), ANSWERS)
    assert section.facts == (
        ("launches", "1,200 in 900 ns"),
        ("between them", "600 ns in 2 gaps, the longest 400 ns"),
        ("from handle to start", "7.5 ns in the middle"),
    )


def test_twenty_names_are_shown_and_the_others_counted() -> None:
    many = replace(EMPTY, names=launches(22), ranges=ranges(23), host_error_ns=0)
    first, second = LAUNCHED.sections(many, ANSWERS)
    assert first.columns[0].cells == tuple(f"l{n}" for n in range(20))
    assert first.notes[1:] == ("2 more names in --json.",)
    assert second.columns[0].cells == tuple(f"r{n}" for n in range(20))
    assert second.notes == ("Times of the host are exact to 0 ns.", "3 more names in --json.")
    (whole,) = LAUNCHED.sections(replace(EMPTY, names=launches(20)), ANSWERS)
    assert len(whole.notes) == 1


SHORT = """\
Launches, by time
  launch  count  total ns  median ns  gap ns  busy
  ------  -----  --------  ---------  ------  ----
  l0          1        50       50.0       0  0.0%
  l1          1        50       50.0       0  0.0%
  l2          1        50       50.0       0  0.0%
  l3          1        50       50.0       0  0.0%
  l4          1        50       50.0       0  0.0%
"""


def test_five_names_are_on_the_short_page() -> None:
    assert render_sections(brief(replace(EMPTY, names=launches(5)))) == SHORT
    assert brief(replace(EMPTY, names=launches(7)))[0].notes == ("2 more names.",)
