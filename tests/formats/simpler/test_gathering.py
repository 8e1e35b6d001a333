"""Folders of ranks and of runs: one trace of all, what is missing in them, and host logs alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import (
    DEPS,
    HOST,
    IDENTITY,
    PMU,
    RECORDS,
    SCOPES,
    host_log,
    hosted_today,
    lines,
    rows,
    today,
)

from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace
from lanescope.trace import Trace


def put(place: Path, content: Any) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content if isinstance(content, str) else json.dumps(content))
    return place


def ranks(job: Path, *numbers: int) -> Path:
    """A job of two ranks, of which the named ones left records."""
    for number in (0, 1):
        folder = job / f"rank{number}" / "d0"
        own = {"chip_rank": number, "group_index": number, "host_pid": 41 + number}
        put(folder / "dispatch_identity.json", {**IDENTITY, **own})
        put(job / f"host.{41 + number}.log", host_log(41 + number, first=10_000 + 5000 * number))
        if number in numbers:
            put(folder / RECORDS, hosted_today())
    return job


def test_two_ranks_lie_on_the_hosts_clock(tmp_path: Path) -> None:
    trace = import_trace(ranks(tmp_path / "job", 0, 1))
    assert trace.meta.name == "job"
    # The device works for 400 ns in a span of 1000: 600 ns of slack. Zero is at 1 ± 65 cycles of
    # the counter, since 5 to 330 were recorded.
    assert rows(trace, "runs", "rank", "epoch", "clock", "slack_ns") == [
        (0, 9, "containment", 600),
        (1, 9, "containment", 600),
    ]
    starts = trace.runs["start_ns"].tolist()
    assert starts[1] - starts[0] == 5000
    assert trace.meta.host_clock is not None and trace.meta.host_clock.status == "contained"


def test_a_rank_without_records_is_named(tmp_path: Path) -> None:
    trace = import_trace(ranks(tmp_path / "job", 0))
    assert len(trace.runs) == 1
    notes = " ".join(trace.meta.notes)
    assert "Rank 1 has a folder, but no records file: it holds only dispatch_identity.json" in notes
    assert "Of dispatch 6:0, ranks are missing: 1." in notes


def test_a_log_that_cannot_be_of_the_run_places_nothing(tmp_path: Path) -> None:
    job = ranks(tmp_path / "job", 0, 1)
    put(job / "host.42.log", host_log(42).replace("dur=400", "dur=100"))
    trace = import_trace(job)
    assert rows(trace, "runs", "clock", "slack_ns") == [("containment", 600), ("unknown", None)]
    assert any("could not be placed on the host's clock" in note for note in trace.meta.notes)


def test_ranks_of_two_dispatches_with_one_number_are_refused(tmp_path: Path) -> None:
    job = ranks(tmp_path / "job", 0, 1)
    put(job / "rank1/d0/dispatch_identity.json", {**IDENTITY, "chip_rank": 1})
    with pytest.raises(InputError, match="'group_index' 0 of dispatch 6:0"):
        import_trace(job)


def test_the_graph_of_another_pass_is_used(tmp_path: Path) -> None:
    """A capture in two passes leaves deps.json in d0 and the records in d1."""
    for number in (0, 1):
        put(tmp_path / f"job/rank{number}/d0/deps.json", DEPS)
        put(tmp_path / f"job/rank{number}/d1/{RECORDS}", today())
    trace = import_trace(tmp_path / "job")
    assert len(trace.edges) == 4
    assert "The task graph is that of d0, which has no records of its own." in trace.meta.notes


def test_ranks_and_runs_together(tmp_path: Path) -> None:
    for number in (0, 1):
        put(tmp_path / f"job/rank{number}/d0/{RECORDS}", today())
    trace = import_trace(tmp_path / "job")
    assert rows(trace, "runs", "rank", "epoch") == [(0, 0), (0, 5), (1, 0), (1, 5)]
    assert len(trace.select(rank=1, run=5).tasks) == 2


def collected(folder: Path, verdicts: dict[int, str]) -> Path:
    """The folder with a file per run in it; a run's epoch is how many thousand cycles in it began.

    Every run has a task 4 on core 1.
    """
    for epoch, verdict in verdicts.items():
        content = hosted_today()
        content["metadata"]["collection"] = {"run_epoch": epoch, "verdict": verdict}
        for row in (*content["aicore_tasks"], *content["scheduler_tasks"]["records"]):
            row[-1] = epoch
            for place in (3, 4) if len(row) == 7 else (2, 3):
                row[place] += 1000 * epoch
        del content["scheduler_records"], content["aicpu_lifecycle_records"]
        put(folder / f"swimlane-2/records_e{epoch}.json", content)
    return folder


def test_collected_runs_share_one_counter(tmp_path: Path) -> None:
    verdicts = {3: "published", 4: "partial_cut_unknown"}
    trace = import_trace(collected(tmp_path, verdicts))
    assert rows(trace, "runs", "epoch", "completeness") == list(verdicts.items())
    starts = trace.runs["start_ns"].tolist()
    assert starts[1] - starts[0] == 1000
    assert any(entry.unknown for entry in trace.meta.ledger)


def test_counters_beside_collected_runs_are_joined_to_their_own_run(tmp_path: Path) -> None:
    """There are no records of run 8; the scopes, which name no run, are with the first one."""
    folder = collected(tmp_path, {3: "published", 4: "published"}) / "swimlane-2"
    counted = [f"0,1,0x4,0,1,{epoch},5,2,{epoch}" for epoch in (3, 4, 8)]
    head = PMU.splitlines()[0]
    put(folder / "pmu.csv", "\n".join([f"{head},run_epoch", *counted]) + "\n")
    put(folder / "scope_stats.jsonl", lines(*SCOPES))
    put(folder / "host_phase_records.jsonl", lines(HOST))
    trace = import_trace(tmp_path)
    found = rows(trace, "counters", "run", "name", "value", "token")
    assert [(run, value) for run, name, value, token in found if name == "pmu_total_cycles"] == [
        (0, 3.0),
        (1, 4.0),
    ]
    assert all(token is not None for _, name, _, token in found if name == "pmu_total_cycles")
    assert {run for run, name, *_ in found if name == "tensormap"} == {0}
    assert rows(trace, "phases", "run", "kind").count((0, "args")) == 1
    assert (1, "args") not in rows(trace, "phases", "run", "kind")
    [account] = [entry for entry in trace.meta.ledger if entry.kind == "pmu"]
    assert (account.total, account.delivered, account.dropped, account.unmatched) == (3, 2, 1, 0)


def test_apart_they_are_a_trace_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = ranks(tmp_path / "job", 0, 1)
    assert main(["import", str(job), "--per-rank", "-o", str(tmp_path / "out")]) == 0
    assert "rank0-d0.lanes" in capsys.readouterr().out
    assert len(import_paths([job], per_rank=True)) == 3


def log_alone(tmp_path: Path) -> Trace:
    put(tmp_path / "logs/host.41.log", host_log())
    return import_trace(tmp_path / "logs")


def test_a_log_alone_is_a_trace_on_the_hosts_clock(tmp_path: Path) -> None:
    trace = log_alone(tmp_path)
    assert rows(trace, "phases", "lane", "kind", "start_ns", "end_ns") == [
        ("device", "chip.run.runner_run.device_wall", 500, 900),
        ("host", "chip.run.runner_run", 500, 1500),
        ("host", "chip.run", 0, 3000),
    ]
    assert rows(trace, "runs", "epoch", "start_ns", "end_ns") == [(9, 0, 3000)]
    assert trace.meta.host_clock is not None and trace.meta.host_clock.host_ns == 9500


@pytest.mark.parametrize(
    ("name", "text"),
    [("build.log", "gcc -c a.c\n"), ("numbers.json", "[1, 2, 3]"), ("notes.txt", "hello\n")],
)
def test_what_nobody_knows_is_called_so(tmp_path: Path, name: str, text: str) -> None:
    path = put(tmp_path / name, text)
    with pytest.raises(InputError, match="is not a file lanescope knows; it reads runs of the"):
        import_trace(path)


def test_a_log_without_a_span_says_what_is_missing(tmp_path: Path) -> None:
    path = put(tmp_path / "host.7.log", "[mono_ns=5][T0x1][INFO] main: hello\n")
    with pytest.raises(InputError, match="is a host's log without any span"):
        import_trace(path)


def test_spans_are_found_in_a_file_of_any_name(tmp_path: Path) -> None:
    trace = import_trace(put(tmp_path / "out.txt", host_log()))
    assert len(trace.phases) == 3


def test_a_records_file_beside_its_log_is_placed(tmp_path: Path) -> None:
    put(tmp_path / "run" / RECORDS, hosted_today())
    put(tmp_path / "run/host_clock_alignment.41.log", host_log())
    trace = import_trace(tmp_path / "run")
    clock = trace.meta.host_clock
    assert clock is not None and (clock.status, clock.slack_ns) == ("contained", 600)
    assert any("may lie up to 600 ns later than drawn" in note for note in trace.meta.notes)
    start = import_trace(tmp_path / "run", format="simpler", options={"clock": "start-cycle"})
    assert start.meta.host_clock is not None and start.meta.host_clock.error_ns == 0
