"""What was captured, in numbers."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace, phase, task

from lanescope.analyze.analysis import Answers
from lanescope.analyze.recording.captured import (
    CAPTURE,
    Capture,
    CoreTally,
    Tally,
    capture,
    capture_section,
    headline,
)
from lanescope.analyze.recording.losses import Losses, losses
from lanescope.analyze.recording.whose import Whose
from lanescope.trace.flags import LEVEL_DOCS
from lanescope.trace.meta import Source
from lanescope.trace.schema import TaskFlag
from lanescope.trace.vocabulary import CORES, Vocabulary

EMPTY = capture(make_trace())


def test_everything_is_counted_once() -> None:
    trace = make_trace(
        {"level": 4, "flags": 0b1000001, "chip": "a2a3", "notes": ("A note.",)},
        cores=[{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}],
        tasks=[
            task(0, 0, 1, 2, 3, 4, task=10, flags=int(TaskFlag.MIX)),
            task(1, 0, 1, 2, 3, 4, task=10, flags=int(TaskFlag.MIX)),
            task(5, 0, 1, 2, 3, 4, task=11, blocks=2),
            task(5, 0, None, None, None, 4, task=12, blocks=1),
            {"kind": "alloc", "task": 20},
            {"kind": "alloc", "task": 21},
            {"kind": "outside", "task": 22},
        ],
        phases=[phase("dispatch", 0, 1), phase("submit", 0, 1, lane="orchestrator")],
        edges=[{"pred": 10, "succ": 11}, {"pred": 10, "succ": 11}, {"pred": 20, "succ": 10}],
        marks=[{"core": 0}],
        counters=[{"value": 1.0}, {"value": 2.0}],
    )
    assert capture(trace) == Capture(
        name="hand",
        origin="simulated",
        tool="tests",
        chip="a2a3",
        clock_hz=None,
        base_cycles=None,
        level=4,
        level_doc=LEVEL_DOCS[4],
        features=("chip_swimlane_core_timing", "pmu"),
        sources=(),
        cores=(CoreTally("aic", 1, 1), CoreTally("aiv", 1, 1), CoreTally("(unknown)", 1, 1)),
        runs=3,
        tasks=2,
        nodes=(Tally("alloc", 2), Tally("outside", 1)),
        mix_tasks=1,
        spmd_tasks=1,
        phases=(Tally("scheduler", 1), Tally("orchestrator", 1)),
        edges=3,
        edge_pairs=2,
        marks=1,
        counters=2,
        notes=("A note.",),
        whose=Whose.of(trace.meta),
    )


def test_an_empty_trace_is_all_zero() -> None:
    empty = capture(make_trace())
    assert (empty.runs, empty.tasks, empty.core_count, empty.edge_pairs) == (0, 0, 0, 0)
    assert (empty.cores, empty.nodes, empty.phases) == ((), (), ())


def test_a_level_from_the_future_has_no_meaning_here() -> None:
    assert capture(make_trace({"level": 9})).level_doc == "not a level lanescope knows"


def facts(words: Vocabulary = CORES, **changes: Any) -> dict[str, str]:
    """The facts of an empty capture with these fields, less those that every capture has."""
    shown = capture_section(replace(EMPTY, **changes), words).facts
    return {name: text for name, text in shown if name not in ("name", "origin", "level")}


def test_what_is_not_there_has_no_fact() -> None:
    assert facts() == {"tasks": "none ran"}
    assert capture_section(EMPTY).facts[:3] == (
        ("name", "hand"),
        ("origin", "simulated, written by tests"),
        ("level", f"0: {LEVEL_DOCS[0]}"),
    )


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"chip": "a2a3", "clock_hz": 50_000_000}, ("chip", "a2a3, clock 50 MHz")),
        ({"clock_hz": 1_980_123_000}, ("chip", "clock 1,980.123 MHz")),
        ({"features": ("chip_swimlane_", "pmu", "edges")}, ("also recorded", "pmu, edges")),
        ({"cores": (CoreTally("aic", 2, 1), CoreTally("aiv", 1200, 0))},
         ("cores", "1 of 1,202 ran something (aic 1 of 2, aiv 0 of 1,200)")),
        ({"runs": 1, "tasks": 1}, ("tasks", "1 run of 1 task")),
        ({"runs": 5, "tasks": None, "mix_tasks": 2, "spmd_tasks": 1},
         ("tasks", "5 runs, 2 MIX, 1 SPMD")),
        ({"nodes": (Tally("alloc", 2), Tally("dummy", 1))}, ("not on a core", "alloc 2, dummy 1")),
        ({"phases": (Tally("scheduler", 3),)}, ("phases", "scheduler 3")),
        ({"edges": 3, "edge_pairs": 2}, ("edges", "2 pairs in 3 rows")),
        ({"edges": 1, "edge_pairs": None}, ("edges", "1 row")),
        ({"marks": 1}, ("marks", "1")),
        ({"counters": 1}, ("counter values", "1")),
    ],
)  # fmt: skip
def test_what_is_there_is_said(changes: dict[str, Any], fact: tuple[str, str]) -> None:
    assert {"tasks": "none ran", **dict([fact])} == facts(**changes)


def test_eight_sources_are_named_the_ends_of_their_paths() -> None:
    long = "x" * 100 + "/end.json"
    sources = (Source(long, "simpler", 1), *(Source(f"p{n}", "chrome", n) for n in range(9)))
    shown = [text for name, text in capture_section(replace(EMPTY, sources=sources)).facts
             if name in ("source", "")]  # fmt: skip
    assert shown == [
        f"…{long[-59:]} (simpler, 1 byte)",
        *(f"p{n} (chrome, {n} byte{'' if n == 1 else 's'})" for n in range(7)),
        "and 2 more sources",
    ]
    assert "" not in dict(capture_section(replace(EMPTY, sources=sources[:8])).facts)


def test_lanes_that_are_no_cores_have_no_level_and_no_kinds() -> None:
    words = Vocabulary("streams", "stream", "kernel", "kernel")
    changed = replace(
        EMPTY,
        cores=(CoreTally("stream", 2, 1),),
        runs=5,
        phases=(Tally("host", 3), Tally("other", 4)),
    )
    assert capture_section(changed, words, "5 kernels").facts[2:] == (
        ("streams", "1 of 2 ran something"),
        ("ran", "5 kernels"),
        ("host rows", "7"),
    )


@pytest.mark.parametrize(
    ("changes", "length_ns", "line"),
    [
        ({}, None, "hand (simulated): 0 tasks on 0 cores, level 0"),
        ({"chip": "a2a3", "runs": 1, "cores": (CoreTally("aic", 1, 1),)}, 1500,
         "hand on a2a3 (simulated): 1 task on 1 core in 1.50 µs, level 0"),
        ({"runs": 2, "cores": (CoreTally("aic", 1, 1), CoreTally("aiv", 1200, 1)), "level": 4}, 5,
         "hand (simulated): 2 tasks on 1,201 cores (1 aic, 1,200 aiv) in 5 ns, level 4"),
    ],
)  # fmt: skip
def test_the_headline(changes: dict[str, Any], length_ns: int | None, line: str) -> None:
    assert headline(replace(EMPTY, **changes), CORES, "", length_ns) == line


def test_the_headline_of_streams_says_what_ran() -> None:
    words = Vocabulary("streams", "stream", "kernel", "kernel")
    assert headline(EMPTY, words, "3 kernels", 5) == "hand (simulated): 3 kernels in 5 ns"


def brief(capture: Capture, losses: Losses, **more: Any) -> tuple[str, ...]:
    makespan = SimpleNamespace(window=None)
    answers = Answers({"capture": capture, "losses": losses, "makespan": makespan, **more})
    assert CAPTURE.brief is not None
    (section,) = CAPTURE.brief(capture, answers)
    return section.lines


def test_the_short_page_has_two_notes_and_says_where_the_rest_is() -> None:
    whole = losses(make_trace({"ledger": (entry("a", 5, 5),)}))
    noted = replace(EMPTY, notes=("n" * 181, "b", "c", "d"), marks=1)
    assert brief(noted, whole, counters=SimpleNamespace(rows=(1,)), inside=None) == (
        "Nothing lost: all 5 records delivered.",
        "Also recorded: hardware counters (--section counters), what happened inside tasks "
        "(--section inside).",
        f"{'n' * 179}…",
        "b",
        "and 2 more notes",
    )
    none = SimpleNamespace(rows=())
    assert brief(EMPTY, losses(make_trace()), counters=none, inside=None) == ()
    assert brief(replace(EMPTY, marks=1), losses(make_trace())) == ()


def test_notes_stand_last() -> None:
    (section,) = CAPTURE.closing(replace(EMPTY, notes=("a", "b")), Answers({}))
    assert (section.title, section.lines) == ("Notes", ("a", "b"))
    assert CAPTURE.closing(EMPTY, Answers({})) == []
