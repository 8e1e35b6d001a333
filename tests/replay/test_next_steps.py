"""What to do next about a run: which changes are named, in which order, and when none is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.analyze.hand import make_trace, task

import lanescope
from lanescope.facade.advice import next_section
from lanescope.native.replay import Costs, ReadyReplay, ReplayOutput
from lanescope.render.plain import render_sections
from lanescope.replay import next_steps as steps_module
from lanescope.replay.changes import Change
from lanescope.replay.nearest import nearest_replica
from lanescope.replay.next_steps import next_steps
from lanescope.replay.paying import _best, _is_safe
from lanescope.replay.ranking import rank_changes
from lanescope.replay.what_if import ChangePrediction, sure_gain, unchanged_run, what_if
from lanescope.trace.meta import RecordingFacts


def change(name: str, effort: str) -> Change:
    return Change(name, lambda replica: replica, effort, ("--option", name))


def found(makespan: float, high: float | None = None) -> ChangePrediction:
    """A prediction of a run that took 100 ns."""
    part = makespan / 100 - 1
    high = part / 2 if high is None else high
    return ChangePrediction("x", makespan, 0.0, 0.0, part, 2 * part, high, 1, True)


def test_the_best_of_every_effort_comes_before_a_second_one() -> None:
    changes = [
        *(change("A x0.9", "function"), change("B x0.9", "function")),
        *(change("aic cores +1 (2)", "cores"), change("submit cost x0.9", "controllers")),
    ]
    steps = _best(list(zip(changes, map(found, (90, 91, 95, 97)), strict=True)))
    assert [step.what for step in steps] == [
        *("A 10 % faster", "aic cores +1 (2)", "submit cost 10 % less"),
    ]
    assert steps[0].command == ("what-if", "TRACE", "--option", "A x0.9")
    assert (steps[0].change, steps[0].foreseen) == (pytest.approx(-0.1), True)
    two = _best(list(zip(changes[:2], map(found, (90, 91)), strict=True)))
    assert [step.what for step in two] == ["A 10 % faster", "B 10 % faster"]


def test_half_a_percent_is_worth_a_line() -> None:
    half = replace(found(99.5), change=-0.005)
    assert len(_best([(change("A x0.9", "function"), half)])) == 1


@pytest.mark.parametrize("prediction", [found(99.6), found(103)])
def test_small_gains_and_losses_are_not_named(prediction: ChangePrediction) -> None:
    assert _best([(change("A x0.9", "function"), prediction)]) == ()


def test_edges_that_carry_data_stay() -> None:
    assert not _is_safe(change("without QK:SF", "edges"))
    assert _is_safe(change("without implied edges", "edges"))
    assert _is_safe(change("A x0.9", "function"))


def test_the_steps_of_the_demo_are_what_what_if_says() -> None:
    trace = lanescope.run("paged_attention")
    steps = next_steps(trace).steps
    assert 1 <= len(steps) <= 3
    assert [step.change for step in steps] == sorted(step.change for step in steps)
    first = steps[0]
    assert first.command[:3] == ("what-if", "TRACE", "--scale")
    name, _, factor = first.command[3].partition("=")
    asked = lanescope.what_if(trace, scale={name: float(factor)}).predictions[0]
    assert asked.change == pytest.approx(first.change)


def count_replays(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that gets an entry with every replay from now on."""
    replays: list[str] = []
    run = ReadyReplay.run

    def counting(ready: ReadyReplay, costs: Costs) -> ReplayOutput:
        replays.append("replay")
        return run(ready, costs)

    monkeypatch.setattr(ReadyReplay, "run", counting)
    return replays


def test_the_demo_takes_few_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, replays = lanescope.run("paged_attention"), count_replays(monkeypatch)
    nearest_replica(trace)
    search = len(replays)
    next_steps(trace)
    variants, changes, paying = 11, 13, 4
    # The search comes to some costs several times and replays them once: 513 tries, one look.
    assert search <= 478
    # Variants, each change that pays on all of them, and the others until one replay is no gain.
    assert len(replays) - 2 * search <= variants + paying * variants + changes - paying


def test_what_surely_pays_is_foreseen_as_what_if_foresees_it() -> None:
    replica = nearest_replica(lanescope.run("paged_attention"))
    changes, unchanged = rank_changes(replica), unchanged_run(replica)
    every = what_if(replica, changes).predictions
    sure = [sure_gain(change, unchanged, None) for change in changes]
    assert sure == [one if one.high_change < 0 else None for one in every]
    assert None in sure and any(sure)


def test_a_long_run_is_not_replayed_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "MOST_RUNS", 1)
    trace = make_trace(tasks=[task(0, 0, 1, 2, 3, 4, task=n) for n in range(2)])
    assert next_steps(trace).reason == "With 2 runs of tasks that takes a while: ask for it."
    monkeypatch.setattr(steps_module, "MOST_RUNS", 2)
    assert not next_steps(trace).reason.startswith("With 2 runs")


def test_what_cannot_be_replayed_says_why() -> None:
    trace = make_trace({"level": 1}, tasks=[task(0, None, 1, 2, 3, None, task=1)])
    assert next_steps(trace).reason.startswith("A replay needs dispatch and finish of tasks")


def test_nothing_is_foreseen_where_the_recording_is_not_the_program() -> None:
    trace = make_trace(
        {"level": 2, "recording": RecordingFacts(threads=9, processors=2)},
        cores=[{"core": 0, "kind": "aic"}],
        tasks=[task(0, 0, 1, 2, 3, 4, task=1)],
        edges=[{"pred": 1, "succ": 2}],
    )
    steps = lanescope.next_steps(trace)
    assert steps.steps == () and steps.reason.startswith("First what stands at the top")


def test_commands_of_odd_names_can_be_pasted() -> None:
    steps = next_steps(lanescope.run("paged_attention"))
    text = render_sections([next_section(steps, "a b;rm.lanes")], width=200)
    assert "lanescope what-if 'a b;rm.lanes' --" in text
