"""The verdict as a page: what the paragraph names, what it leaves out, and the two tables."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.cores.odd_cores import LateCore, SlowCore
from lanescope.analyze.cores.off_processor import ThreadsAway
from lanescope.analyze.cores.suspects import Crowded, Suspects
from lanescope.analyze.cores.verdict import KindVerdict, Share, Verdict
from lanescope.analyze.cores.verdict_section import (
    VERDICT,
    Suspicion,
    brief_section,
    shown_answers,
    suspicions,
    verdict_section,
)
from lanescope.analyze.cores.waiting import ALL_LABELS, LABELS
from lanescope.render.plain import render_sections

NONE = Suspects((), (), ())


def kind(name: str, cores: int = 2, **ns: int) -> KindVerdict:
    """Nanoseconds by answer; those that are lost may have gone anywhere."""
    total, lost = sum(ns.values()), ns.get("lost", 0)
    shares = []
    for what in LABELS:
        low = ns.get(what, 0)
        high = low + (0 if what == "lost" else lost)
        parts = (low / total, high / total) if total else (None, None)
        shares.append(Share(what, ALL_LABELS[what], low, high, *parts))
    return KindVerdict(name, cores, total, tuple(shares))


def of(*kinds: KindVerdict) -> Verdict:
    return Verdict(
        window=Span(100, 1100),
        kinds=kinds,
        graph_known=True,
        has_dispatch=True,
        has_submits=True,
        doubtful=0,
    )


CHIP = kind("chip", running=1000, data=600, scheduler=200, switch=20, queued=19, nothing=161)
PAGE = """\
Verdict
  The 2 cores were running 50.0% of 1.00 µs. The rest: waiting on data 30.0%, ready, not dispatched
  (scheduler) 10.0%, no task for this core 8.1%. The path.

  core time                           time ns    chip     aic
  ----------------------------------  -------  ------  ------
  running                               1,000   50.0%   10.0%
  waiting on data                         600   30.0%   90.0%
  ready, not dispatched (scheduler)       200   10.0%    0.0%
  dispatched, not picked up (switch)       20    1.0%    0.0%
  queued on a busy core                    19    0.9%    0.0%
  no task for this core                   161    8.1%    0.0%
  in all                                2,000  100.0%  100.0%
  Shares of cores x window; every column adds up to 100 %.
"""


def test_the_page_has_a_row_per_answer_and_a_column_per_kind() -> None:
    found = of(CHIP, kind("aic", 1, running=100, data=900))
    assert render_sections([verdict_section(found, NONE, "The path.")]) == PAGE
    assert shown_answers(CHIP) == ["running", "data", "scheduler", "switch", "queued", "nothing"]


@pytest.mark.parametrize(
    ("chip", "line"),
    [
        (kind("chip", 1, running=1000), "The 1 core was running 100.0% of 1.00 µs."),
        (
            kind("chip", running=990, data=10),
            "The 2 cores were running 99.0% of 1.00 µs. The rest: waiting on data 1.0%.",
        ),
        (kind("chip", running=9901, data=99), "The 2 cores were running 99.0% of 1.00 µs."),
        (
            kind("chip", running=400, lost=600),
            "The 2 cores were running 40.0% to 100.0% of 1.00 µs. The rest: unknown, records were "
            "lost 60.0%.",
        ),
    ],
    ids=["one core", "at the limit", "below it", "lost"],
)
def test_a_reason_is_named_from_one_percent_on(chip: KindVerdict, line: str) -> None:
    assert verdict_section(of(chip), NONE, "").lines == (line,)


def test_what_lost_time_may_have_been_has_a_column_of_its_own() -> None:
    chip = kind("chip", running=400, lost=600)
    columns = verdict_section(of(chip, kind("aic", running=1, lost=1)), NONE, "").columns
    assert [(column.title, column.cells) for column in columns[2:]] == [
        ("chip", (0.4, 0.6, 1.0)),
        ("at most", (1.0, 0.6, None)),
        ("aic", (0.5, 0.5, 1.0)),
    ]


def test_cores_without_time_have_no_share_in_all() -> None:
    columns = verdict_section(of(CHIP, kind("aic")), NONE, "").columns
    assert columns[-1].cells == (*(None,) * 6, None)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"has_dispatch": False, "graph_known": False, "has_submits": False},
            "Dispatch was not recorded (level 1), so idle time has no reasons.",
        ),
        (
            {"graph_known": False, "has_submits": False},
            "The task graph is not known, so waits for data cannot be told.",
        ),
        (
            {"has_submits": False},
            "Submits were not recorded, so the scheduler's share may be the orchestrator's.",
        ),
        (
            {"doubtful": 1},
            "Of 1 tasks a predecessor's end is not known; the scheduler's share counts them from "
            "their known predecessors on.",
        ),
    ],
)
def test_what_the_trace_cannot_tell_is_said(changes: dict[str, Any], line: str) -> None:
    found = replace(of(kind("chip", running=1000)), **changes)
    start = "The 2 cores were running 100.0% of 1.00 µs. "
    assert verdict_section(found, NONE, "").lines == (start + line,)


def slow(core: int) -> SlowCore:
    return SlowCore(core, f"core {core}", 4, 2.0, 400, 0.4)


def late(core: int) -> LateCore:
    return LateCore(core, f"core {core}", 4, 40.0, 4.0, 120, 0.12)


def test_three_of_the_worst_suspects_of_a_sort_are_named() -> None:
    crowded = [Crowded(func, f"f{func}", 16, 3.0 - func, 0.9) for func in range(4)]
    found = Suspects(
        tuple(slow(core) for core in range(4)),
        tuple(late(core) for core in range(4, 8)),
        tuple(crowded),
        ThreadsAway(waits=1200, longest_ns=80_000, ns=90_000, share=0.25),
    )
    slow_line = (
        "core {} is slow: its runs take 2.00 times as long as those of the same functions on other "
        "cores, 400 ns more in all (40.0% of the window)."
    )
    late_line = (
        "core {} picks up late: after 40.0 ns on average, 4.0 times as long as its like, 120 ns "
        "more in all (12.0% of the window)."
    )
    assert suspicions(found) == [
        *(Suspicion(slow_line.format(core), core=core) for core in range(3)),
        *(Suspicion(late_line.format(core), core=core, is_late=True) for core in range(4, 7)),
        Suspicion(
            "Runs take longer the more cores are busy (f0, f1, f2: up to 3.00 times), as they do "
            "when a shared memory is saturated.",
            func=0,
        ),
        Suspicion(
            "Threads were off the processor in 25.0% of the window (1,200 waits, the longest "
            "80.00 µs): idle cores did not pick up their tasks, or schedulers did nothing although "
            "a task had ended."
        ),
    ]
    assert suspicions(NONE) == []


BRIEF = """\
Verdict
  The 2 cores were running 50.0% of 1.00 µs. The rest: waiting on data 30.0%, queued on a busy core
  15.0%, ready, not dispatched (scheduler) 2.0%.

  time of the cores                   chip    aic
  ---------------------------------  -----  -----
  running                            50.0%  10.0%
  waiting on data                    30.0%   0.0%
  queued on a busy core              15.0%   0.0%
  ready, not dispatched (scheduler)   2.0%  80.0%
  everything else                     3.0%  10.0%
"""


def test_the_short_table_adds_up_what_is_below_two_percent() -> None:
    chip = kind("chip", running=500, data=300, queued=150, scheduler=20, switch=19, nothing=11)
    found = of(chip, kind("aic", running=10, scheduler=80, switch=4, nothing=6))
    section = brief_section(found, NONE)
    assert render_sections([replace(section, notes=())]) == BRIEF


def test_the_short_table_has_running_even_where_nothing_ran_and_no_rest_where_there_is_none() -> (
    None
):
    columns = brief_section(of(kind("chip", data=1000)), NONE).columns
    assert [column.cells for column in columns] == [("running", "waiting on data"), (0.0, 1.0)]


def test_the_short_page_has_four_kinds_and_three_suspects() -> None:
    kinds = [kind(f"k{number}", running=10) for number in range(6)]
    many = Suspects(tuple(slow(core) for core in range(3)), (late(7),), ())
    section = brief_section(of(kind("chip", running=60), *kinds), many)
    titles = ["time of the cores", "chip", "k0", "k1", "k2", "k3"]
    assert [column.title for column in section.columns] == titles
    assert section.lines[0].count("is slow") == 3 and "late" not in section.lines[0]
    assert section.notes == ()


def test_kinds_whose_names_do_not_say_it_are_explained() -> None:
    section = brief_section(of(CHIP, kind("aic", running=1), kind("own", running=1)), NONE)
    (note,) = section.notes
    assert note.startswith("aic: ") and note.endswith(".") and "own" not in note


def test_without_a_verdict_there_is_no_section() -> None:
    answers: Any = SimpleNamespace()
    assert VERDICT.brief is not None
    assert VERDICT.sections(of(), answers) == VERDICT.brief(of(), answers) == []
