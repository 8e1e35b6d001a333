"""A file of the straggler study becomes a trace per worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.straggler.files import UNIT_NS, Key, StudyJob, usual, write_rows

from lanescope.formats import import_paths, import_trace
from lanescope.trace import Trace

TWO_STAGES = StudyJob(dp=2, pp=2, batches=2, tp=2)


def even(step: int, key: Key) -> int:
    """Forward 4, backward 8, everything else 1."""
    return {"forward-compute": 4, "backward-compute": 8}.get(key[2], 1)


def imported(path: Path) -> dict[str, Trace]:
    return {trace.meta.name: trace for trace in import_paths([path])}


@pytest.fixture
def traces(tmp_path: Path) -> dict[str, Trace]:
    return imported(TWO_STAGES.write(tmp_path, "X", even))


def names(trace: Trace, tasks: list[int]) -> list[str]:
    """Functions of tasks with their number among the tasks of it, such as `forward-send 1`."""
    all_names = [trace.functions.text("name")[func] for func in trace.tasks["func"].tolist()]
    return [f"{all_names[task]} {all_names[:task].count(all_names[task])}" for task in tasks]


def test_every_worker_is_a_rank_of_the_job(traces: dict[str, Trace]) -> None:
    facts = {
        name: (trace.meta.rank, trace.meta.world, trace.meta.run) for name, trace in traces.items()
    }
    assert facts == {
        "trace-X-dp0-stage0": (0, 8, "X"),
        "trace-X-dp1-stage0": (2, 8, "X"),
        "trace-X-dp0-stage1": (4, 8, "X"),
        "trace-X-dp1-stage1": (6, 8, "X"),
    }


def test_streams_are_lanes_and_types_of_operation_are_functions(traces: dict[str, Trace]) -> None:
    trace = traces["trace-X-dp1-stage1"]
    lanes = [trace.cores.text("name")[core] for core in trace.tasks["core"].tolist()]
    functions = [trace.functions.text("name")[func] for func in trace.tasks["func"].tolist()]
    assert set(zip(lanes, functions, strict=True)) == {
        ("compute", "forward-compute"),
        ("compute", "backward-compute"),
        ("forward receive", "forward-recv"),
        ("backward send", "backward-send"),
        ("data parallel", "params-all-gather"),
        ("data parallel", "grads-reduce-scatter"),
        ("optimizer", "gc"),
        ("optimizer", "layernorm-grads-all-reduce"),
        ("optimizer", "embedding-grads-all-reduce"),
        ("optimizer", "optimizer-clip-main-grad"),
        ("optimizer", "optimizer"),
    }
    assert set(trace.cores.text("lane")) == {"stream"}
    work = dict(zip(trace.functions.text("name"), trace.functions.text("work"), strict=True))
    assert {name for name, kind in work.items() if kind == "compute"} == {
        "forward-compute",
        "backward-compute",
        "gc",
        "optimizer",
    }


def test_steps_lie_one_after_the_other(traces: dict[str, Trace]) -> None:
    for trace in traces.values():
        steps = trace.steps
        assert steps["step"].tolist() == [3, 7]
        length = int(steps["end_ns"][0])
        assert steps["start_ns"].tolist() == [0, length + 100_000_000]
        assert steps["end_ns"][1] == 2 * length + 100_000_000
        assert trace.tasks["end_ns"].max() <= steps["end_ns"][1]
    assert any(int(trace.tasks["end_ns"].max()) == steps["end_ns"][1] for trace in traces.values())
    assert int(steps["end_ns"][0]) % UNIT_NS == 0


def test_edges_are_what_an_operation_waits_for_on_other_streams(traces: dict[str, Trace]) -> None:
    trace = traces["trace-X-dp0-stage0"]
    step = trace.tasks["start_ns"] < int(trace.steps["start_ns"][1])
    half = step[trace.edges["pred"]]
    pairs = zip(
        names(trace, trace.edges["pred"][half].tolist()),
        names(trace, trace.edges["succ"][half].tolist()),
        strict=True,
    )
    assert set(pairs) == {
        ("params-all-gather 0", "forward-compute 0"),
        ("forward-compute 0", "forward-send 0"),
        ("forward-compute 1", "forward-send 1"),
        ("forward-compute 0", "backward-recv 0"),
        ("backward-recv 0", "backward-compute 0"),
        ("backward-compute 0", "backward-recv 1"),
        ("backward-recv 1", "backward-compute 1"),
        ("backward-compute 1", "gc 0"),
        ("gc 0", "layernorm-grads-all-reduce 0"),
        ("layernorm-grads-all-reduce 0", "embedding-grads-all-reduce 0"),
        ("embedding-grads-all-reduce 0", "grads-reduce-scatter 0"),
        ("grads-reduce-scatter 0", "optimizer-clip-main-grad 0"),
        ("optimizer-clip-main-grad 0", "optimizer 0"),
    }


def test_both_sides_of_a_transfer_have_the_same_group_and_number(traces: dict[str, Trace]) -> None:
    def transfers(name: str, kind: str) -> list[tuple[object, ...]]:
        table = traces[name].collectives.to_dict()
        columns = ("group", "sequence", "matched", "peers", "size", "source", "target", "kind")
        rows = zip(*(table[column] for column in columns), strict=True)
        return sorted(row[:-1] for row in rows if row[-1] == kind)

    sends = transfers("trace-X-dp1-stage0", "send")
    assert sends == transfers("trace-X-dp1-stage1", "recv")
    assert sends[0] == ("forward, dp 1: stage 0 to 1", 0, "source", "2,6", 2, 2, 6)
    assert [row[1] for row in sends] == [0, 1, 2, 3]
    assert len(transfers("trace-X-dp0-stage0", "recv")) == 4


def test_groups_of_ranks_are_named_with_their_members(traces: dict[str, Trace]) -> None:
    found = {}
    for trace in traces.values():
        table = trace.collectives.to_dict()
        for group, peers, kind in zip(table["group"], table["peers"], table["kind"], strict=True):
            found.setdefault(group, set()).add((peers, kind))
    assert {group: rows for group, rows in found.items() if "to" not in group.split()} == {
        "data parallel, stage 0": {("0,2", "all_gather"), ("0,2", "reduce_scatter")},
        "data parallel, stage 1": {("4,6", "all_gather"), ("4,6", "reduce_scatter")},
        "embedding, dp 0": {("0,4", "all_reduce")},
        "embedding, dp 1": {("2,6", "all_reduce")},
        "all workers": {("0,2,4,6", "all_reduce")},
    }


def test_notes_say_what_the_file_does_not_have(traces: dict[str, Trace]) -> None:
    assert traces["trace-X-dp0-stage0"].meta.notes == (
        "Every step begins at 0 in the file. The steps lie one after the other here, 100 ms apart; "
        "the time between them is not recorded.",
        "The job has 8 ranks, the file has rows of 4: one for all ranks that share a layer (tensor "
        "parallel).",
        "The 2 steps are a sample: 3 between them have no rows.",
    )


def test_both_files_are_sources(traces: dict[str, Trace]) -> None:
    sources = traces["trace-X-dp0-stage0"].meta.sources
    assert [Path(source.path).name for source in sources] == ["trace-X.parquet", "meta-X.yaml"]


def test_a_file_without_sizes_is_read(tmp_path: Path) -> None:
    path = TWO_STAGES.write(tmp_path, "X", even)
    (tmp_path / "meta-X.yaml").unlink()
    trace = imported(path)["trace-X-dp0-stage0"]
    assert trace.meta.world is None
    assert "There is no meta-X.yaml, so the number of ranks is not known." in trace.meta.notes


def test_jobs_in_one_folder_keep_their_own_sizes(tmp_path: Path) -> None:
    TWO_STAGES.write(tmp_path, "X", even)
    StudyJob(dp=1, pp=2, batches=2).write(tmp_path, "Y", even)
    worlds = {trace.meta.run: trace.meta.world for trace in import_paths([tmp_path])}
    assert worlds == {"X": 8, "Y": 2}


def test_transfers_that_never_were_take_part_in_nothing(tmp_path: Path) -> None:
    """With two parts per stage the file also has a receive of the first part, and the like."""
    traces = imported(StudyJob(dp=1, pp=2, vpp=2, batches=2).write(tmp_path, "X", usual))
    first = traces["trace-X-dp0-stage0"].collectives.to_dict()
    kinds = list(zip(first["group"], first["kind"], strict=True))
    assert kinds.count(("forward, dp 0: stage 0 to 1", "send")) == 2 * 4
    assert kinds.count(("forward, dp 0: stage 1 to 0", "recv")) == 2 * 2
    assert kinds.count(("backward, dp 0: stage 1 to 0", "recv")) == 2 * 4
    assert kinds.count(("backward, dp 0: stage 0 to 1", "send")) == 2 * 2
    functions = traces["trace-X-dp0-stage0"].functions.text("name")
    rows = traces["trace-X-dp0-stage0"].tasks["func"].tolist()
    assert rows.count(functions.index("forward-recv")) == 2 * 4


def test_an_unknown_type_of_operation_is_kept(tmp_path: Path) -> None:
    rows = TWO_STAGES.rows(even)
    rows.append({**rows[0], "optype": "new-thing", "seq_id": 0})
    trace = imported(write_rows(tmp_path / "trace-X.parquet", rows))["trace-X-dp0-stage0"]
    assert "other" in trace.cores.text("name")
    note = "What operations of these types wait for is not known: new-thing."
    assert note in trace.meta.notes


def test_other_parquet_files_are_not_taken(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"step": [1], "rank": [0]}), tmp_path / "trace-X.parquet")
    with pytest.raises(Exception, match="is not a file lanescope knows"):
        import_trace(tmp_path / "trace-X.parquet")
