"""What `lanescope collect` asks its program for, and what of it never came."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.cli.options import asking
from lanescope.device.call_config import CallConfig
from lanescope.errors import UsageError
from lanescope.trace import LedgerEntry
from lanescope.trace.meta import RecordingFacts

NOTHING = dict.fromkeys(
    ("pmu", "chip", "deps", "rotate", "dump_tensors", "dump_limit", "dump_total")
)


def asked(**given: Any) -> argparse.Namespace:
    usual = {
        **NOTHING,
        "chip_swimlane": "4",
        "core_swimlane": False,
        "on_full": "block",
        "buffer_records": 0,
        "buffers": 0,
    }
    return argparse.Namespace(**{**usual, **given})


TRACE = Path("a.lanes")


def test_without_options_only_tasks_and_phases_are_asked_for() -> None:
    assert asking.call_of(asked(), TRACE) == CallConfig(chip_swimlane=4)
    assert asking.plan_of(asked(), "a") is None
    assert asking.chip_name(asked()) == ""


def test_every_option_arrives_in_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call = asking.call_of(
        asked(
            chip_swimlane="2",
            core_swimlane=True,
            on_full="drop",
            buffer_records=64,
            buffers=3,
            pmu="",
            deps=Path("deps.json"),
            dump_tensors="add",
            dump_limit=100,
            dump_total=200,
        ),
        TRACE,
    )
    assert call == CallConfig(
        chip_swimlane=2,
        core_swimlane=True,
        on_full="drop",
        buffer_records=64,
        buffers=3,
        pmu=True,
        deps=f"{tmp_path}/deps.json",
        dump_tensors=True,
        dump_select="add",
        dump_limit=100,
        dump_total=200,
        tensors=f"{tmp_path}/a.tensors",
    )


def test_a_chip_names_the_events_and_the_clocks() -> None:
    args = asked(pmu="memory", chip="a2a3")
    call = asking.call_of(args, TRACE)
    assert (call.pmu, call.pmu_group, len(call.pmu_events)) == (True, 4, 8)
    assert len(set(call.pmu_events)) > 4
    plan = asking.plan_of(args, "mine")
    assert plan is not None
    facts = plan.meta.recording
    assert (plan.meta.name, plan.meta.origin, facts is not None) == ("mine", "measured", True)
    assert facts is not None
    assert facts.pmu_events == (4,)
    assert len(facts.pmu_counters) == 8
    assert set(facts.core_hz) == {"aic", "aiv"}
    assert asking.chip_name(args) == "a2a3"
    usual = asking.call_of(asked(pmu="", chip="a2a3"), TRACE)
    assert usual.pmu_group == 2


def test_a_chip_without_counters_asked_for_has_clocks_alone() -> None:
    plan = asking.plan_of(asked(chip="a2a3"), "mine")
    assert plan is not None
    assert plan.meta.recording == RecordingFacts(
        core_hz=plan.meta.recording.core_hz if plan.meta.recording else {}
    )
    call = asking.call_of(asked(chip="a2a3"), TRACE)
    assert (call.pmu, call.pmu_group, call.pmu_events) == (False, 0, ())


def test_a_chip_without_trace_engines_has_nothing_inside_cores() -> None:
    with pytest.raises(UsageError, match="a2a3 has no trace engine that lanescope can read"):
        asking.plan_of(asked(chip="a2a3", core_swimlane=True), "mine")
    assert asking.plan_of(asked(chip="a5", core_swimlane=True), "mine") is not None


def test_what_has_no_effect_is_refused() -> None:
    with pytest.raises(UsageError) as found:
        asking.call_of(asked(deps=Path("a"), rotate=(1.0, None)), TRACE)
    assert str(found.value) == (
        "--deps is read when the program has ended; leave --rotate out with it"
    )
    with pytest.raises(UsageError) as found:
        asking.call_of(asked(pmu="pipe"), TRACE)
    assert str(found.value) == (
        "--pmu=pipe names a group of events of a chip; name it with --chip, or leave out the group"
    )
    assert asking.call_of(asked(rotate=(1.0, None)), TRACE).deps == ""


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"pmu": ""}, "--pmu"),
        ({"core_swimlane": True}, "--core-swimlane"),
        ({"chip": "a5"}, "--chip"),
        ({"deps": Path("a")}, "--deps"),
        ({"buffer_records": 1}, "--buffer-records"),
        ({"buffers": 1}, "--buffers"),
        ({"dump_tensors": ""}, "--dump-tensors"),
        ({"dump_limit": 0}, "--dump-limit"),
        ({"dump_total": 0, "dump_tensors": None}, "--dump-total"),
    ],
)
def test_a_program_that_runs_elsewhere_cannot_be_asked(given: dict[str, Any], option: str) -> None:
    asking.refuse_beside(asked(), "--connect")
    with pytest.raises(UsageError) as found:
        asking.refuse_beside(asked(**given), "--connect")
    assert str(found.value) == (
        f"{option} asks a program that is started here; leave it out of --connect"
    )


def test_what_was_asked_for_and_never_came_is_said() -> None:
    said = {
        "pmu": "--pmu was asked for, but the program recorded nothing of it",
        "burst": "--core-swimlane was asked for, but the program recorded nothing of it",
        "tensor": "--dump-tensors was asked for, but the program recorded nothing of it",
    }
    every = CallConfig(pmu=True, core_swimlane=True, dump_tensors=True, tensors="a")
    none = make_trace().meta
    assert asking.unanswered(none, every) == list(said.values())
    assert asking.unanswered(none, CallConfig()) == []
    for kind in said:
        came = make_trace({"ledger": (LedgerEntry("x", kind, 1, 0, 1),)}).meta
        assert asking.unanswered(came, every) == [said[one] for one in said if one != kind]
        empty = make_trace({"ledger": (LedgerEntry("x", kind, 0, 0),)}).meta
        assert asking.unanswered(empty, every) == list(said.values())
