"""what_if and corrected as functions, in the words of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import lanescope
from lanescope.errors import LanescopeError, UsageError
from lanescope.facade.opening import opened
from lanescope.facade.replays import corrected, what_if
from lanescope.trace import Trace

SMALL = Path(__file__).parents[2] / "examples" / "small_run"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return opened(SMALL)


def test_changes_are_made_together_and_named(trace: Trace) -> None:
    answer = what_if(trace, scale={"QK": 0.5}, cores={"aiv": 4}, schedulers=1, dispatch_cost=0)
    (prediction,) = answer.predictions
    assert prediction.name == "QK x0.5, aiv=4, 1 schedulers, dispatch cost 0 ns"
    assert prediction.low_ns <= prediction.makespan_ns <= prediction.high_ns


def test_a_changed_replay_is_stored_with_a_note(trace: Trace, tmp_path: Path) -> None:
    what_if(trace, submit_scale=2, output=tmp_path / "slow.lanes")
    stored = lanescope.load(tmp_path / "slow.lanes")
    assert stored.meta.notes[-1].startswith("A replay (submits x2), not a recording;")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scale": {"QQ": 1}}, r"expected a function of the trace \(QK, .*\), found 'QQ'"),
        ({"scale": {"QK": -1}}, "expected --scale of 0 or more, found -1"),
        ({"dispatch_cost": float("nan")}, "expected --dispatch-cost of 0 or more, found nan"),
        ({"drop_edge": ["QK"]}, "expected --drop-edge A:B or implied, found 'QK'"),
        ({"output": "slow"}, "expected -o NAME.lanes, found slow"),
        ({"buffers": 2}, "expected a trace that tells of its recording buffers"),
    ],
)
def test_what_cannot_be_is_refused(trace: Trace, change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        what_if(trace, **change)  # type: ignore[arg-type]


def test_a_run_that_does_not_know_its_costs_needs_a_file(trace: Trace) -> None:
    with pytest.raises(LanescopeError, match="does not know what recording cost it"):
        corrected(trace)
