"""What to do next: where the advice comes from, and its words on a page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.analyze.next_step import NextStep, NextSteps
from lanescope.facade import advice
from lanescope.facade.advice import next_section, steps_of
from lanescope.render.page import Section

REPLAY = NextStep("QK half as long", -0.1, -0.12, 0.081, True, ("what-if", "TRACE", "--rank"))
COPIES = NextStep("hide copies", -0.25, -0.3, 0.0, False, ("report", "TRACE", "--copies"))
STEPS = NextStep("even steps", -0.5, -0.6, 0.0, False, ("report", "TRACE", "--steps", "3"))


def test_each_change_has_its_gain_and_its_command() -> None:
    assert next_section(NextSteps((REPLAY, COPIES)), "my run") == Section(
        title="Next: what would pay",
        facts=(
            ("-10.0% (-12.0 to +8.1)", "QK half as long: lanescope what-if 'my run' --rank"),
            ("at most -25.0%", "hide copies: lanescope report 'my run' --copies"),
        ),
        lines=("More: lanescope report 'my run' --full, lanescope view 'my run'",),
    )


def test_the_command_of_all_changes_is_said_once() -> None:
    assert next_section(NextSteps((COPIES, STEPS)), "run") == Section(
        title="Next: what would pay",
        facts=(
            ("at most -25.0%", "hide copies: --copies"),
            ("at most -50.0%", "even steps: --steps 3"),
        ),
        lines=("Each with lanescope report run, all with --full; lanescope view shows it",),
    )


@pytest.mark.parametrize(("reason", "lines"), [("", ()), ("It is short.", ("It is short.",))])
def test_where_there_is_no_change_the_reason_is_said(reason: str, lines: tuple[str, ...]) -> None:
    more = "More: lanescope report run --full, lanescope view run"
    found = next_section(NextSteps((), reason), "run")
    assert found == Section(title="Next", lines=(*lines, more))


@pytest.mark.parametrize("what", ["processors", "clock"])
def test_a_recording_under_bad_conditions_is_mended_first(what: str) -> None:
    conditions = [SimpleNamespace(what="other"), SimpleNamespace(what=what)]
    report: Any = SimpleNamespace(vocabulary=SimpleNamespace(family="cores"), conditions=conditions)
    assert steps_of(report, make_trace()) == NextSteps(
        (), "First what stands at the top: the figures are not the program's."
    )


def test_of_tracks_nothing_is_foreseen() -> None:
    report: Any = SimpleNamespace(vocabulary=SimpleNamespace(family="tracks"), conditions=[])
    assert steps_of(report, make_trace()) == NextSteps(())


def test_cores_in_order_are_replayed_and_streams_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    cores, streams = "lanescope.replay.next_steps", "lanescope.analyze.streams.next_steps"
    monkeypatch.setattr(f"{cores}.next_steps", lambda trace: ("of cores", trace))
    monkeypatch.setattr(f"{streams}.next_steps", lambda report: ("of streams", report))
    trace, found = make_trace(), []
    for family in ("cores", "streams"):
        conditions = [SimpleNamespace(what="other" if family == "cores" else "clock")]
        report: Any = SimpleNamespace(
            vocabulary=SimpleNamespace(family=family), conditions=conditions
        )
        found.append((steps_of(report, trace), report))
    answers: list[Any] = [answer for answer, _ in found]
    assert answers == [("of cores", trace), ("of streams", found[1][1])]


def test_one_change_with_another_command_says_every_command() -> None:
    facts = next_section(NextSteps((COPIES, REPLAY, STEPS)), "run").facts
    assert [text for _, text in facts] == [
        "hide copies: lanescope report run --copies",
        "QK half as long: lanescope what-if run --rank",
        "even steps: lanescope report run --steps 3",
    ]


def test_the_advice_is_that_of_the_short_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "build_report", lambda trace, *, detail: (trace, detail))
    monkeypatch.setattr(advice, "steps_of", lambda report, trace: (report, trace))
    trace = make_trace()
    found: Any = advice.next_steps(trace)
    assert found == ((trace, False), trace)
