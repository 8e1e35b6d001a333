"""A job beside itself with ideal lengths: answers that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.made_job.plan import JobPlan
from benchmarks.make_job import make_job
from tests.formats.straggler.files import Key, StudyJob, usual

from lanescope.formats import import_paths
from lanescope.jobs.ideal import Ideal, RanksSlowdown, ideal, ideal_of_peers
from lanescope.jobs.ideal_section import ideal_sections
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.job_tasks import job_tasks
from lanescope.jobs.replay_graph import job_graph
from lanescope.render.plain import render_sections
from lanescope.trace import MISSING32, Meta, Table, Trace, Words, save

STEP = 1_000
MS = 1_000_000


def rank(
    number: int,
    work: Sequence[int],
    *,
    total: int,
    delay: int = 0,
    edge_kind: str | None = "explicit",
) -> Trace:
    """A rank with a compute stream and a stream for an all-reduce, which all ranks end at `total`.

    Args:
        number: Its rank.
        work: By step: how long it computes.
        total: When a step ends.
        delay: Time between the end of the computation and the start of the all-reduce.
        edge_kind: Kind of the edge from the computation to the all-reduce; None for no edge.
    """
    words = Words()
    steps = len(work)
    begin = np.arange(steps) * STEP
    compute_end = begin + np.array(work)
    start = np.concatenate([begin, compute_end + delay])
    end = np.concatenate([compute_end, begin + total])
    pred = np.arange(steps if edge_kind else 0)
    tables = {
        "tasks": {
            "task": np.arange(2 * steps),
            "kind": np.full(2 * steps, words.code("run"), np.int32),
            "core": np.repeat([0, 1], steps).astype(np.int32),
            "token": np.tile(np.arange(steps), 2),
            "func": np.repeat([0, 1], steps).astype(np.int32),
            "start_ns": start,
            "end_ns": end,
        },
        "functions": {
            "func": np.arange(2, dtype=np.int32),
            "name": words.codes(["matmul", "reduce"]),
            "work": words.codes(["compute", "communication"]),
        },
        "cores": {
            "core": np.arange(2, dtype=np.int32),
            "name": words.codes(["stream 1", "stream 2"]),
            "lane": words.codes(["stream", "stream"]),
        },
        "steps": {
            "step": np.arange(steps),
            "name": words.codes([f"step {n}" for n in range(steps)]),
            "start_ns": begin,
            "end_ns": begin + STEP,
        },
        "edges": {
            "pred": pred,
            "succ": pred + steps,
            "kind": np.full(len(pred), words.code(edge_kind or ""), np.int32),
        },
        "collectives": {
            "group": np.full(steps, words.code("all"), np.int32),
            "sequence": np.arange(steps),
            "matched": np.full(steps, words.code("source"), np.int32),
            "kind": np.full(steps, words.code("all_reduce"), np.int32),
            "task": np.arange(steps) + steps,
            "core": np.ones(steps, np.int32),
            "start_ns": start[steps:],
            "end_ns": end[steps:],
        },
    }
    built = {name: Table.build(name, columns) for name, columns in tables.items()}
    meta = Meta(name=f"rank{number}", tool="test", origin="imported", rank=number, world=2)
    return Trace(meta=meta, words=words.freeze(), **built)


def job_of(folder: Path, *traces: Trace) -> Job:
    for trace in traces:
        save(trace, folder / f"{trace.meta.name}.lanes")
    return open_job(folder)


def study_job(folder: Path, job: StudyJob, length: Any = usual) -> Job:
    for trace in import_paths([job.write(folder, "X", length)]):
        save(trace, folder / f"{trace.meta.name}.lanes")
    return open_job(folder)


def test_two_ranks_one_of_which_computes_longer(tmp_path: Path) -> None:
    """Step: 300 against 100 ns of computing, then 20 ns of transfer. The mean of both is 200."""
    job = job_of(tmp_path, rank(0, [300, 300], total=320), rank(1, [100, 100], total=320))
    found = ideal(job)
    assert [step.to_dict() for step in found.steps] == [
        {"step": step, "recorded_ns": 320, "replayed_ns": 320, "ideal_ns": 220} for step in (0, 1)
    ]
    assert found.slowdown == 320 / 220
    assert found.launch_slowdown == 1.0
    assert [(one.rank, one.slowdown) for one in found.ranks] == [(0, 320 / 220), (1, 1.0)]
    assert {one.name: one.slowdown for one in found.functions} == {
        "matmul": 320 / 220,
        "reduce": 1.0,
    }
    assert (found.cause, found.blamed) == ("ranks", (0,))
    assert (found.slowest_role, found.last_role) == (None, None)
    assert found.worst_ranks is not None
    assert found.worst_ranks.to_dict() == {
        "ranks": [0],
        "without_ns": 220.0,
        "only_ns": 320.0,
        "removed": 1.0,
        "added": 1.0,
    }


def test_the_part_that_is_slowest_stands_first(tmp_path: Path) -> None:
    found = ideal(job_of(tmp_path, rank(0, [100], total=320), rank(1, [300], total=320)))
    assert found.pipelines == (RanksSlowdown(1, (1,), 320 / 220), RanksSlowdown(0, (0,), 1.0))
    assert found.roles == (RanksSlowdown(0, (0, 1), 320 / 220),)
    assert [one.rank for one in found.ranks] == [1, 0]
    assert [one.name for one in found.functions] == ["matmul", "reduce"]


def test_peers_are_the_measure_of_their_like(tmp_path: Path) -> None:
    """Three ranks do the same; the median of 300, 100 and 100 is 100."""
    traces = [rank(n, [work], total=320) for n, work in enumerate((300, 100, 100))]
    found = ideal_of_peers(job_of(tmp_path, *traces))
    assert (found.against, found.slowdown) == ("peers", 320 / 120)
    assert [(one.rank, one.slowdown) for one in found.ranks] == [
        (0, 320 / 120),
        (1, 1.0),
        (2, 1.0),
    ]


def test_what_passes_before_a_launch_counts_apart(tmp_path: Path) -> None:
    """The all-reduce starts 50 ns after the computation, though nothing holds it back."""
    traces = [rank(n, [100], total=170, delay=50) for n in (0, 1)]
    found = ideal(job_of(tmp_path, *traces))
    assert found.steps[0].recorded_ns == 170
    assert found.steps[0].replayed_ns == 120
    assert found.launch_slowdown == 170 / 120
    assert (found.slowdown, found.cause, found.blamed) == (1.0, "none", ())


@pytest.mark.parametrize("kind", [None, "event"])
def test_delays_stay_where_the_order_is_not_recorded(kind: str | None, tmp_path: Path) -> None:
    works = (300, 100)
    traces = [rank(n, [w], total=370, delay=50, edge_kind=kind) for n, w in enumerate(works)]
    found = ideal(job_of(tmp_path, *traces))
    assert found.steps[0].replayed_ns == found.steps[0].recorded_ns == 370
    assert any("so every task keeps the time" in note for note in found.notes)
    known = kind is not None
    # With an edge the all-reduce follows the computation, without one it follows nothing.
    assert found.steps[0].ideal_ns == (270 if known else 370)


def message(number: int, start: int, end: int) -> Trace:
    """Rank 0 sends to rank 1 in this time; an all-reduce from 70 to 80 ms joins their clocks."""
    words = Words()
    starts, ends = [start, 70 * MS], [end, 80 * MS]
    tables = {
        "tasks": {
            "task": [0, 1],
            "kind": words.codes(["run", "run"]),
            "core": np.zeros(2, np.int32),
            "func": np.zeros(2, np.int32),
            "start_ns": starts,
            "end_ns": ends,
        },
        "cores": {"core": np.zeros(1, np.int32), "lane": words.codes(["stream"])},
        "collectives": {
            "group": words.codes(["pair", "all"]),
            "sequence": [0, 0],
            "matched": words.codes(["source", "source"]),
            "kind": words.codes(["recv" if number else "send", "all_reduce"]),
            "source": np.array([0, MISSING32], np.int32),
            "target": np.array([1, MISSING32], np.int32),
            "task": [0, 1],
            "start_ns": starts,
            "end_ns": ends,
        },
    }
    meta = Meta(name=f"rank{number}", tool="test", origin="imported", rank=number)
    built = {name: Table.build(name, columns) for name, columns in tables.items()}
    return Trace(meta=meta, words=words.freeze(), **built)


def test_a_sender_may_leave_before_the_receiver_comes(tmp_path: Path) -> None:
    traces = message(0, 0, 10 * MS), message(1, 50 * MS, 60 * MS)
    tasks = job_tasks(job_of(tmp_path, *traces))
    graph = job_graph(tasks)
    assert tasks.parts.sends.tolist() == [True, False, False, False]
    assert graph.length.tolist() == [10 * MS, 10 * MS, 10 * MS, 10 * MS]
    assert graph.ends(graph.length).tolist() == tasks.end.tolist()


JOBS = (
    StudyJob(),
    StudyJob(dp=1, pp=2),
    StudyJob(dp=3, pp=1),
    StudyJob(pp=4, batches=8),
    StudyJob(vpp=2),
    StudyJob(pp=4, vpp=2, batches=8),
    StudyJob(dp=1, pp=4, vpp=3),
    StudyJob(pp=4, vpp=2, overlapped=True),
    StudyJob(overlapped=True, tp=4),
    StudyJob(pp=3, batches=1),
)


@pytest.mark.parametrize("sizes", JOBS, ids=repr)
def test_a_job_without_launch_delays_is_replayed_as_recorded(
    sizes: StudyJob, tmp_path: Path
) -> None:
    tasks = job_tasks(study_job(tmp_path, sizes))
    graph = job_graph(tasks)
    assert graph.ends(graph.length).tolist() == tasks.end.tolist()
    assert tasks.ordered and not tasks.notes and not graph.contradicted


@pytest.mark.parametrize("sizes", JOBS, ids=repr)
def test_roles_are_stages_and_pipelines_are_data_parallel_ranks(
    sizes: StudyJob, tmp_path: Path
) -> None:
    found = ideal(study_job(tmp_path, sizes))
    cells = {(one.name, one.role, one.pipeline) for one in found.ranks}
    assert cells == {
        (f"trace-X-dp{dp}-stage{stage}", stage, dp)
        for dp in range(sizes.dp)
        for stage in range(sizes.pp)
    }


def test_a_slow_stage_is_no_slow_rank(tmp_path: Path) -> None:
    def length(step: int, key: Key) -> int:
        slow = key[1] == 2 and key[2].endswith("-compute")
        return usual(step, key) * (2 if slow else 1)

    found = ideal(study_job(tmp_path, StudyJob(dp=2, pp=3, batches=8), length))
    assert (found.cause, found.blamed) == ("role", (4, 5))
    assert found.last_role == found.slowest_role


def test_steps_that_differ_from_rank_to_rank_by_chance_have_no_cause(tmp_path: Path) -> None:
    def length(step: int, key: Key) -> int:
        slow = key[2].endswith("-compute") and (step + key[0] + key[3]) % 4 == 0
        return usual(step, key) * (4 if slow else 1)

    sizes = StudyJob(dp=4, pp=2, batches=8, steps=(1, 2, 3, 4))
    found = ideal(study_job(tmp_path, sizes, length))
    assert found.slowdown > 1.03
    assert (found.cause, found.blamed) == ("spread", ())


def slow_rank(folder: Path) -> Ideal:
    return ideal(job_of(folder, rank(0, [300, 300], total=320), rank(1, [100, 100], total=320)))


def test_sections_say_who_is_slow(tmp_path: Path) -> None:
    text = render_sections(ideal_sections(slow_rank(tmp_path)))
    assert (
        text
        == """\
Slowdown
  a step takes  320.0 ns, mean of 2
  replayed      320.0 ns
  ideal         220.0 ns
  Steps take 1.455 times as long as if every task took what its function takes in the whole job.
  Rank 0 (rank0): with ideal lengths there alone, all of the slowdown goes away.

Slowdown by rank
  rank  name   role  pipeline  slowdown
  ----  -----  ----  --------  --------
     0  rank0     0         0    1.4545
     1  rank1     0         1    1.0000
  The smaller one of two: if only its role, or only its pipeline, is as recorded.

Slowdown by function
  function  slowdown
  --------  --------
  matmul      1.4545
  reduce      1.0000
  If only this function is as recorded.
"""
    )


def test_the_answer_is_plain_values(tmp_path: Path) -> None:
    import json

    assert json.loads(json.dumps(slow_rank(tmp_path).to_dict()))["blamed"] == [0]


@pytest.mark.parametrize("changes", [{}, {"groups": "world"}, {"stages": 4}], ids=repr)
def test_the_job_without_its_straggler_is_foretold(changes: dict[str, Any], tmp_path: Path) -> None:
    """The same job is made twice; the hosts launch, wait for their devices and load batches."""
    sizes = {"ranks": 16, "stages": 2, "tasks": 800, "steps": 6, "seed": 3, **changes}
    make_job(JobPlan(**sizes), tmp_path / "even.job")
    make_job(JobPlan(**sizes, straggler=5, factor=1.5), tmp_path / "slow.job")
    even = ideal_of_peers(open_job(tmp_path / "even.job"))
    slow = ideal_of_peers(open_job(tmp_path / "slow.job"))
    assert (even.cause, slow.cause, slow.blamed) == ("none", "ranks", (5,))
    assert all(step.replayed_ns == step.recorded_ns for step in slow.steps)
    recorded = [sum(step.recorded_ns for step in one.steps) / 6 for one in (even, slow)]
    assert recorded[1] > 1.2 * recorded[0]
    assert slow.worst_ranks is not None
    assert slow.worst_ranks.without_ns == pytest.approx(recorded[0], rel=0.01)
