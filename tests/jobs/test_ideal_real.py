"""The published straggler study: its own answers, from our replay of its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from tests.formats.streams.measures import DATA, expected

from lanescope.formats import import_paths
from lanescope.jobs.ideal import Ideal, ideal, ideal_of_peers
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.replays import Explained
from lanescope.trace import save

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")
PAIRED = {
    "forward-recv + forward-send": "forward-pp-comm",
    "backward-recv + backward-send": "backward-pp-comm",
}
"""What the study calls the two sides of a transfer."""


@dataclass(frozen=True)
class Case:
    """A job, our answer and the study's."""

    job: Job
    ours: Ideal
    theirs: dict[str, Any]


@pytest.fixture(scope="module", params=["AR", "ST"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp(request.param)
    for trace in import_paths([DATA / f"straggler/trace-{request.param}.parquet"]):
        save(trace, folder / f"{trace.meta.name}.lanes")
    job = open_job(folder)
    return Case(job, ideal(job), expected(f"straggler-{request.param}")["bytedance"])


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-3)


def test_slowdown(case: Case) -> None:
    assert case.ours.slowdown == near(case.theirs["S"]["value"])
    assert case.ours.launch_slowdown == near(case.theirs["launch_slowdown"]["value"])


def test_step_times(case: Case) -> None:
    steps = case.ours.steps
    times = {
        "recorded": sum(step.recorded_ns for step in steps),
        "without_launch_delay": sum(step.replayed_ns for step in steps),
        "ideal": sum(step.ideal_ns for step in steps),
    }
    assert {name: ns / len(steps) / 1e9 for name, ns in times.items()} == near(
        case.theirs["mean_step_s"]
    )


def test_slowdown_by_function(case: Case) -> None:
    ours = {PAIRED.get(one.name, one.name): one.slowdown for one in case.ours.functions}
    assert ours == near(case.theirs["S_t"]["by_optype"])


def test_slowdown_by_pipeline_role_and_rank(case: Case) -> None:
    ours, theirs = case.ours, case.theirs
    pipelines = {str(one.number): one.slowdown for one in ours.pipelines}
    assert pipelines == near(theirs["S_by_dp_rank"]["values"])
    roles = {str(one.number): one.slowdown for one in ours.roles}
    assert roles == near(theirs["S_by_stage"]["values"])
    ranks = {f"dp {one.pipeline}, stage {one.role}": one.slowdown for one in ours.ranks}
    assert ranks == near(theirs["S_w"]["values"])


def test_shares_that_worst_ranks_and_last_stage_explain(case: Case) -> None:
    """The shares are small differences of step times, so they are compared absolutely."""
    for name, ours in (("M_W", case.ours.worst_ranks), ("M_S", case.ours.last_role)):
        assert isinstance(ours, Explained)
        theirs = case.theirs[name]
        assert ours.without_ns / 1e9 == near(theirs["trem"])
        assert ours.only_ns / 1e9 == near(theirs["tadd"])
        assert ours.removed == pytest.approx(theirs["rem"], abs=2e-3)
        assert ours.added == pytest.approx(theirs["add"], abs=2e-3)


def test_the_cause_is_the_studys(case: Case) -> None:
    if case.ours.slowdown > 1.5:
        assert (case.ours.cause, case.ours.blamed) == ("ranks", (0,))
        assert case.ours.ranks[0].name == "trace-AR-dp0-stage0"
        assert ideal_of_peers(case.job).blamed == (0,)
    else:
        assert (case.ours.cause, case.ours.blamed) == ("role", (6, 7))
        assert case.ours.roles[0].number == 3
        # Both ranks of the last stage are equally slow: beside each other neither is.
        assert ideal_of_peers(case.job).cause == "none"
