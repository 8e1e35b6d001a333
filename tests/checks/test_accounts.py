"""What producers say of themselves: collector, host, logs, counters, scopes, arguments."""

from __future__ import annotations

from pathlib import Path

from tests.checks.folders import RING1, bad, only, put, records
from tests.formats.simpler.logs import run_lines
from tests.formats.simpler.runs import SCOPE, lines

from lanescope.checks.check import check

PMU_HEAD = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,busy,event_type,run_epoch"


def collected(folder: Path, **account: object) -> Path:
    name = folder / "swimlane-0"
    file = records(2, collection={"run_epoch": 5, "session_id": 1, **account})
    return put(name, records_e5=file)


def test_a_collector_that_counted_its_losses(tmp_path: Path) -> None:
    found = only(
        collected(tmp_path, verdict="partial_safe", not_received_buffers=1, unpublished_loss=3)
    )
    assert (found.producer, found.kind, found.count) == ("collector", "dropped", 3)
    assert found.sentence == (
        "The collector's verdict on run 5 is partial_safe: 1 buffer not received, "
        "3 records never published."
    )
    assert "between the device and the file" in found.cause


def test_a_cut_that_is_not_known_is_never_nothing_lost(tmp_path: Path) -> None:
    found = only(collected(tmp_path, verdict="partial_cut_unknown", cut_failed_queues=2))
    assert (found.producer, found.kind, found.count) == ("collector", "unknown", None)
    assert "2 queues not closed" in found.sentence
    assert "could not tell where the records of this run end" in found.cause


def test_a_published_run_with_a_loss_contradicts_itself(tmp_path: Path) -> None:
    found = only(collected(tmp_path, verdict="published", not_received_buffers=2))
    assert (found.producer, found.kind) == ("collector", "contradiction")


def test_a_file_of_another_run_than_it_says(tmp_path: Path) -> None:
    found = only(collected(tmp_path, verdict="published", run_epoch=6))
    assert found.sentence == "The file says that it is of run 6, and its records are of run 5."


def test_the_host_did_not_record_all_its_submits(tmp_path: Path) -> None:
    file = records(2)
    file["metadata"] |= {
        "host_capture": {
            "status": "partial",
            "expected_records": 4,
            "recorded_records": 1,
            "pool_records": 1,
            "dropped_records": 3,
            "error": None,
        }
    }
    submit = {"submit_idx": 0, "task_id": RING1, "start_host_ns": 5, "end_host_ns": 6}
    file["host_orchestrator_phases"] = [[submit]]
    found = only(put(tmp_path / "run", records=file))
    assert (found.producer, found.kind, found.count) == ("host orchestrator", "missing", 3)
    assert "1 of 4 expected records were recorded" in found.sentence
    assert "The host's pool of 1 records was full or cut." in found.cause


def test_a_host_log_with_drops_and_damaged_lines(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2))
    text = "\n".join(
        [
            *run_lines((1000, 900_000), 123_400),
            "[HOSTLOG_DROPS] v=1 pid=41 new=2 total=2",
            "[STRACE] v=1 pid=x tid=1 inv=1 hid=1 depth=0 name=a ts=1 dur=1",
        ]
    )
    (folder / "host.41.log").write_text(f"{text}\n")
    found = only(folder)
    assert (found.producer, found.kind, found.count) == ("host log host.41.log", "dropped", 3)
    assert "Line 5: 'pid' of a [STRACE] record is 'x'" in found.cause


def test_counters_of_tasks_nobody_ran_and_tasks_without_counters(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2, rows=1))
    rows = [f"0,0,{hex(RING1)},0,0,100,5,2,5", f"0,1,{hex(RING1 + 77)},0,1,100,5,2,5"]
    (folder / "pmu.csv").write_text("\n".join([PMU_HEAD, *rows]) + "\n")
    stranger, without = bad(check(folder))
    assert (stranger.producer, stranger.kind, stranger.count) == ("pmu", "unmatched", 1)
    assert "core 1 task r1t77" in stranger.sentence
    assert (without.kind, without.count) == ("missing", 2)


def test_counters_alone_are_not_nothing_lost(tmp_path: Path) -> None:
    (tmp_path / "pmu.csv").write_text(f"{PMU_HEAD}\n0,0,0x1,0,0,100,5,2,5\n")
    found = only(tmp_path)
    assert (found.producer, found.kind) == ("pmu", "unknown")


def test_scope_counts_that_are_not_known(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2))
    head = {"total": 1, "dropped": 0, "task_window_max": [4], "counts_unknown": True}
    (folder / "scope_stats.jsonl").write_text(lines(head, SCOPE))
    found = only(folder)
    assert (found.producer, found.kind) == ("scopes", "unknown")
    assert "how many there should be is not known" in found.sentence


def test_arguments_that_were_dropped(tmp_path: Path) -> None:
    row = {"task_id": hex(RING1), "func_id": [0], "role": "input", "dtype": "INT8", "numel": 4}
    dump = {"bin_format": {}, "args": [row], "dropped_records": 6}
    found = only(put(tmp_path / "run", records=records(2), args_dump=dump))
    assert (found.producer, found.kind, found.count) == ("arguments", "dropped", 6)
    assert "6 dropped by the device" in found.cause.lower()
