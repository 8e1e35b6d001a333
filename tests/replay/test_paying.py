"""Steps that would pay, and the sentences where none can be told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.analyze.hand import make_trace

from lanescope.analyze.next_step import NextStep, NextSteps
from lanescope.errors import LanescopeError
from lanescope.replay import paying
from lanescope.replay.changes import Change
from lanescope.replay.paying import _sentence, _words, paying_steps
from lanescope.replay.what_if import ChangePrediction

NO_STEP = "No usual change is sure to shorten this run by 0.5 % or more."


def change(name: str, effort: str = "cores") -> Change:
    return Change(name, lambda replica: replica, effort, ("--option", name))


def steps(
    monkeypatch: pytest.MonkeyPatch, gains: dict[str, float | None], honesty: float = 0.0
) -> NextSteps:
    """The steps of a run whose usual changes make so much of its length, less 1."""

    def gain(one: Change, *_: object) -> ChangePrediction | None:
        part = gains[one.name]
        if part is None:
            return None
        return ChangePrediction(one.name, 1 + part, 0, 0, part, part - 0.25, part + 0.25, 1, True)

    known = {
        "nearest_replica": lambda trace: None,
        "unchanged_run": lambda replica: SimpleNamespace(honesty=honesty),
        "crowding_of": lambda replica: None,
        "rank_changes": lambda replica: [
            *(change(name) for name in gains),
            change("without A:B", "edges"),
        ],
        "sure_gain": gain,
    }
    for name, value in known.items():
        monkeypatch.setattr(paying, name, value)
    return paying_steps(make_trace())


def test_a_gain_is_a_step_with_its_interval_and_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = steps(monkeypatch, {"aic cores +1 (2)": -0.5, "aiv cores +1 (2)": None})
    assert found == NextSteps(
        (
            NextStep(
                what="aic cores +1 (2)",
                change=-0.5,
                low_change=-0.75,
                high_change=-0.25,
                foreseen=True,
                command=("what-if", "TRACE", "--option", "aic cores +1 (2)"),
            ),
        )
    )


def test_where_no_change_is_a_sure_gain_that_is_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert steps(monkeypatch, {"a": None, "b": -0.004}) == NextSteps((), NO_STEP)
    assert steps(monkeypatch, {}) == NextSteps((), NO_STEP)


@pytest.mark.parametrize(
    ("honesty", "off"), [(0.1, None), (-0.1, None), (0.125, "+12.5"), (-0.25, "-25.0")]
)
def test_of_a_replay_that_is_far_off_nothing_is_foreseen(
    honesty: float, off: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = f"A replay of this run is {off} % off, more than 10 %, so no gain is foreseen."
    found = steps(monkeypatch, {"a": None}, honesty)
    assert found == NextSteps((), NO_STEP if off is None else far)


def test_a_run_that_cannot_be_replayed_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(trace: Any) -> Any:
        raise LanescopeError("a replay needs more")

    monkeypatch.setattr(paying, "nearest_replica", refused)
    assert paying_steps(cast(Any, None)) == NextSteps((), "A replay needs more.")
    assert (_sentence("x"), _sentence("")) == ("X.", "")


def test_a_change_is_advice() -> None:
    assert _words(change("a xb x0.9", "function")) == "a xb 10 % faster"
    assert _words(change("submit cost x0.9", "controllers")) == "submit cost 10 % less"
    assert _words(change("pre-dispatch 2", "pre-dispatch")) == "pre-dispatch 2"
