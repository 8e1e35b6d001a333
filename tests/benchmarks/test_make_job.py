"""The made jobs: what truth.json says is what the traces show once the clocks are known."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.made_job.plan import JobPlan
from benchmarks.make_job import make_job

from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.idle import idle
from lanescope.trace import Trace, load

SMALL = {"ranks": 16, "stages": 2, "tasks": 400, "steps": 4}


def made(folder: Path, **changes: Any) -> tuple[dict[str, Any], dict[int, Trace]]:
    plan = JobPlan(**(SMALL | changes))
    told = make_job(plan, folder)
    traces = {one.meta.rank: one for one in map(load, sorted(folder.glob("*.lanes")))}
    return told, {rank: trace for rank, trace in traces.items() if rank is not None}


def in_true_time(told: dict[str, Any], rank: int, local: np.ndarray) -> np.ndarray:
    knots = next(one for one in told["clock"]["ranks"] if one["rank"] == rank)
    return np.interp(local, knots["local_ns"], knots["true_ns"])


def arrivals(told: dict[str, Any], traces: dict[int, Trace]) -> dict[tuple[str, int], dict]:
    """(group, sequence) → rank → kind, true start and true end."""
    found: dict[tuple[str, int], dict] = defaultdict(dict)
    for rank, trace in traces.items():
        table = trace.collectives
        start, end = (in_true_time(told, rank, table[name]) for name in ("start_ns", "end_ns"))
        for k in range(len(table)):
            key = trace.word(table["group"][k]), int(table["sequence"][k])
            found[key][rank] = trace.word(table["kind"][k]), start[k], end[k]
    return found


@pytest.mark.parametrize("groups", ["world", "stages", "frozen", "sharded", "islands"])
def test_the_traces_show_the_waits_that_the_truth_tells(tmp_path: Path, groups: str) -> None:
    told, traces = made(tmp_path / "a.job", groups=groups)
    found = arrivals(told, traces)
    waited = np.zeros(16)
    for one in told["collectives"]:
        rows = found[one["group"], one["sequence"]]
        assert {kind for kind, _, _ in rows.values()} == {one["kind"]}
        last = max(rows, key=lambda rank: rows[rank][1])
        assert last == one["last"] or one["margin_ns"] < 5
        for rank, (kind, start, _) in rows.items():
            waited[rank] += rows[last][1] - start if kind != "broadcast" else 0
    kinds = {*told["wait_ns"]} - {"broadcast", "send", "recv"}
    stated = np.sum([told["wait_ns"][kind] for kind in kinds], axis=0)
    assert np.allclose(waited, stated, atol=2000)
    assert stated.max() > 1e6


def test_ends_lie_together_in_true_time_and_far_apart_by_the_ranks_clocks(tmp_path: Path) -> None:
    told, traces = made(tmp_path / "a.job")
    symmetric = [
        [end for _, _, end in rows.values()]
        for rows in arrivals(told, traces).values()
        if {kind for kind, _, _ in rows.values()} <= {"all_reduce", "all_gather"}
    ]
    spread = np.array([max(ends) - min(ends) for ends in symmetric])
    assert 500 < np.median(spread) < 6000
    assert spread.max() < 120_000
    epochs = [trace.meta.epoch_ns or 0 for trace in traces.values()]
    assert max(epochs) - min(epochs) > 1e6


def test_receivers_end_after_their_senders_start(tmp_path: Path) -> None:
    told, traces = made(tmp_path / "a.job", p2p="eager")
    pairs = [
        {kind: (start, end) for kind, start, end in rows.values()}
        for (group, _), rows in arrivals(told, traces).items()
        if group.startswith("p2p")
    ]
    assert len(pairs) == 4 * 2 * 4 * 8  # steps × ways × microbatches × pairs
    assert all(one["recv"][1] >= one["send"][0] + 10_000 for one in pairs)
    early = [one["send"][1] < one["recv"][1] - 100_000 for one in pairs]
    assert np.mean(early) > 0.8, "an eager sender leaves before its receiver has everything"


def test_the_same_seed_makes_the_same_job_and_another_seed_another(tmp_path: Path) -> None:
    one, same, other = (
        made(tmp_path / name, seed=seed)[1] for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    for rank in one:
        assert np.array_equal(one[rank].tasks["start_ns"], same[rank].tasks["start_ns"])
        assert not np.array_equal(one[rank].tasks["start_ns"], other[rank].tasks["start_ns"])


def test_a_straggler_runs_longer_from_its_step_on(tmp_path: Path) -> None:
    told, _ = made(tmp_path / "a.job", straggler=3, straggler_from=2)
    compute = np.array(told["compute_ns"])
    assert compute[3] / np.median(compute) == pytest.approx(1.15, abs=0.01)
    assert told["trouble"]["cause"] == "ran longer"
    last = told["times_last"]
    assert int(np.argmax(last[:8])) == 3
    assert int(np.argmax(last[8:])) == 3, "the rank that waits for it in the other stage is 11"


def test_a_late_host_shows_as_late_launches_and_not_as_work(tmp_path: Path) -> None:
    told, traces = made(tmp_path / "a.job", late_host=1, kernel_us=50.0)
    late = {}
    for rank in (0, 8):
        answer = idle(stream_basis(traces[rank])).devices[0]
        late[rank] = answer.ns("host_busy") / answer.window_ns
    assert late[8] > 0.08 > late[0]
    assert told["trouble"] == {
        "straggler": None,
        "cause": "launched late",
        "late_ranks": [*range(8, 16)],
        "slow_stage": None,
        "heavy_ranks": [],
    }
    compute = np.array(told["compute_ns"])
    assert compute[8:].mean() / compute[:8].mean() == pytest.approx(1, abs=0.02)


def test_missing_ranks_have_no_trace(tmp_path: Path) -> None:
    told, traces = made(tmp_path / "a.job", missing=0.25)
    assert len(told["missing"]) == 4
    assert {*traces} == {*range(16)} - {*told["missing"]}
    assert all(trace.meta.world == 16 for trace in traces.values())


def test_counted_numbers_are_shifted_where_windows_differ(tmp_path: Path) -> None:
    counted = made(tmp_path / "a.job", windows=3, numbering="group")
    given = made(tmp_path / "b.job", windows=3)
    shifts = set()
    for rank, trace in given[1].items():
        theirs = counted[1][rank].collectives
        names = [trace.word(code) for code in trace.collectives["group"]]
        row = names.index(f"dp {rank // 8}")
        shifts.add(int(trace.collectives["sequence"][row] - theirs["sequence"][row]))
        assert counted[1][rank].word(theirs["matched"][row]) == "group"
    assert len(shifts) > 1


def test_a_clock_of_microseconds_shows_microseconds(tmp_path: Path) -> None:
    _, traces = made(tmp_path / "a.job", resolution_ns=1000, epoch="none")
    assert all(not (trace.tasks["end_ns"] % 1000).any() for trace in traces.values())
    assert all(trace.meta.epoch_ns is None for trace in traces.values())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ranks": 10, "stages": 4}, "10 ranks are no multiple of 4 stages"),
        ({"groups": "none"}, "groups is one of world, stages, frozen, sharded, islands, not none"),
        ({"groups": "sharded", "ranks": 12}, "6 replicas are no multiple of 8 ranks a host"),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        JobPlan(**(SMALL | wrong))
