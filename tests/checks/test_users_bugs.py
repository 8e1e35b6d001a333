"""The losses that users filed, each as a hand-made folder: found, counted, with its cause."""

from __future__ import annotations

from pathlib import Path

from tests.checks.folders import (
    RECORDS,
    RING1,
    bad,
    deps,
    identity,
    old_records,
    only,
    put,
    records,
    stream,
)
from tests.formats.simpler.logs import run_lines
from tests.formats.simpler.runs import phase

from lanescope.checks.check import check
from lanescope.cli import main


def test_a_whole_run_is_whole_at_every_level(tmp_path: Path) -> None:
    for level in (1, 2, 3, 4):
        folder = put(tmp_path / f"level{level}", records=records(level))
        checked = check(folder)
        assert checked.all_findings == ()
        assert checked.nothing_lost
        assert main(["check", str(folder)]) == 0


def test_no_records_after_a_clean_run_and_what_the_device_proves(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", deps=deps((1, 2)), identity=identity(size=1))
    put(folder, name_map_x={"callable_id_to_name": {"0": "QK"}})
    text = "run_id=7 dispatch_id=1 run_epoch=5 slot_id=0 generation=1"
    lines = run_lines((1000, 900_000), 123_400, text)
    (folder / "host.41.log").write_text("".join(f"{line}\n" for line in lines))
    found = only(folder)
    assert (found.kind, found.count, found.producer) == ("missing", 1, "file of records")
    assert "There is no records file; the folder holds" in found.sentence
    assert "writes no records file when it collected nothing" in found.cause
    assert "The device itself did work" in found.cause
    assert "device_wall of 123.40 µs (pid 41, inv 1)" in found.cause
    assert main(["check", str(folder)]) == 1


def test_no_records_and_no_log_does_not_claim_that_the_device_worked(tmp_path: Path) -> None:
    found = only(put(tmp_path / "run", deps=deps((1, 2))))
    assert "No host log is there to say whether the device worked" in found.cause


def test_an_empty_records_file_says_the_level_and_the_verdict(tmp_path: Path) -> None:
    file = records(3, rows=0, collection={"verdict": "published", "run_epoch": 5})
    found = only(put(tmp_path / "run", records=file))
    assert found.sentence == "Level 3 was asked for, and there are 0 task records."
    assert found.cause == "The collector's verdict is published."


def test_one_missing_scheduler_row_keeps_every_task(tmp_path: Path) -> None:
    file = records(3)
    del file["scheduler_tasks"]["records"][4]  # core 1, token 1
    folder = put(tmp_path / "run", records=file)
    found = only(folder)
    assert (found.producer, found.kind, found.count) == ("scheduler 1", "missing", 1)
    assert found.sentence.startswith(
        "1 task has a core row and no scheduler row, of 9: core 1 token 1 task r1t4. "
        "Every task is kept."
    )
    assert "Not the core: its row is there." in found.cause
    assert "Later rows of the same cores are there" in found.cause
    assert "A lost buffer is ruled out" in found.cause
    assert "The schedulers' own accounts report no loss." in found.cause
    account = {(a.producer, a.records): a for a in check(folder).runs[0].accounts}
    assert account["core 1", "controller_task"].missing == 1
    assert account["core 1", "core_task"].is_whole


def test_a_scheduler_row_without_core_row_means_the_core_did_not_commit(tmp_path: Path) -> None:
    file = records(2)
    del file["aicore_tasks"][8]  # core 2, token 2
    found = only(put(tmp_path / "run", records=file))
    assert (found.producer, found.kind, found.count) == ("core 2", "missing", 1)
    assert "core 2 token 2" in found.sentence
    assert "The core's record was never committed" in found.cause
    assert "No row follows on the core" in found.cause


def test_693_zero_starts_are_slots_that_were_never_committed(tmp_path: Path) -> None:
    file = records(2, rows=400)
    zero = [row for row in file["aicore_tasks"] if row[2] < 231]
    for row in zero:
        row[3] = row[4] = row[5] = 0
    assert len(zero) == 693
    folder = put(tmp_path / "run", records=file)
    found = only(folder)
    assert (found.producer, found.kind, found.count) == ("3 cores", "zero", 693)
    assert "core 0: 231, core 1: 231, core 2: 231" in found.sentence
    assert "first core 0 token 0 task r1t0" in found.sentence
    assert "reserved and never committed" in found.cause
    assert "For 693 of them the scheduler has dispatch and finish" in found.cause
    assert "A lost buffer is ruled out: the core's buffer holds 1,024 rows" in found.cause
    assert [a.zero for a in check(folder).runs[0].accounts if a.records == "core_task"] == [231] * 3


def test_a_core_with_more_rows_than_a_buffer_may_lose_one_at_a_rotation(tmp_path: Path) -> None:
    file = records(1, rows=1100, cores=1)
    file["aicore_tasks"][7][3] = 0
    found = only(put(tmp_path / "run", records=file))
    assert "A core has 1,100 rows, and the core's buffer holds 1,024: it rotated" in found.cause
    assert "A whole lost buffer is ruled out: no core lost 1,024 rows." in found.cause


def test_a_thread_that_serves_working_cores_and_has_no_stream_is_lost(tmp_path: Path) -> None:
    file = records(3)
    del file["scheduler_records"]["streams"][1]
    found = only(put(tmp_path / "run", records=file))
    assert (found.producer, found.kind) == ("scheduler 1", "missing")
    assert found.sentence == "Scheduler 1 serves core 1 and has no phase."
    assert "It was not idle: its cores ran 3 tasks." in found.cause


def test_a_thread_whose_cores_ran_nothing_is_idle(tmp_path: Path) -> None:
    file = records(3, cores=2)
    file["metadata"].update(num_cores=3, core_types=["aic", "aiv", "aiv"], core_to_thread=[0, 1, 2])
    checked = check(put(tmp_path / "run", records=file))
    [found] = checked.all_findings
    assert checked.nothing_lost
    assert (found.producer, found.kind) == ("scheduler 2", "harmless")
    assert "It was idle" in found.cause


def test_renumbered_threads_are_told_by_their_dispatches(tmp_path: Path) -> None:
    """A list by place that is shorter than its cores need: thread 1 was left out."""
    file = old_records()
    file["metadata"]["core_to_thread"] = [0, 2, 1]
    file["aicpu_scheduler_phases"] = [
        [phase("dispatch", 80, 95, loop_iter=1, tasks_processed=1)],
        [phase("dispatch", 235, 245, loop_iter=1, tasks_processed=1)],
    ]
    found = {(one.producer, one.kind): one for one in bad(check(put(tmp_path, records=file)))}
    silent, renumbered = found["scheduler 2", "missing"], found["scheduler 1", "contradiction"]
    assert "The file has 2 lists of phases, by place" in silent.sentence
    assert "The stream called scheduler 1 is scheduler 2: 100.0%" in renumbered.sentence
    assert "renumbered by their place" in renumbered.cause


def test_level_4_asked_and_the_orchestrator_lane_empty(tmp_path: Path) -> None:
    file = records(4)
    del file["aicpu_orchestrator_phases"]
    found = only(put(tmp_path / "run", records=file))
    assert (found.producer, found.kind) == ("orchestrator", "missing")
    assert found.sentence.startswith("Level 4 was asked for, but the orchestrator lane is empty")
    assert "9 task rows are there, so tasks did run" in found.cause


def test_level_3_asked_and_no_scheduler_row_at_all_is_one_finding(tmp_path: Path) -> None:
    file = records(3)
    file["scheduler_tasks"]["records"] = []
    found = only(put(tmp_path / "run", records=file))
    assert found.sentence.startswith("Level 3 was asked for, but the scheduler rows are empty")


def test_a_graph_of_another_run_gives_no_arrow(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2), deps=deps((1, 2), (2, 3)))
    found = only(folder)
    assert (found.producer, found.kind, found.count) == ("graph", "contradiction", 2)
    assert found.sentence.startswith("2 edges found, 0 drawn: no edge names any of the 9 tasks")
    assert "another run's or another program's" in found.cause


def test_a_missing_submit_is_the_orchestrators_loss(tmp_path: Path) -> None:
    file = records(4)
    del file["aicpu_orchestrator_phases"][0][3]
    found = only(put(tmp_path / "run", records=file))
    assert (found.producer, found.kind, found.count) == ("orchestrator", "missing", 1)
    assert "1 task ran and no submit names them, of 9: r1t3." in found.sentence


def test_a_graph_that_lacks_a_task_that_ran(tmp_path: Path) -> None:
    graph = deps((RING1, RING1 + 1))
    graph["tasks"] = [
        {"task_id": str(RING1 + k), "kernel_ids": [0, -1, -1], "block_num": 1} for k in range(8)
    ]
    found = only(put(tmp_path / "run", records=records(2), deps=graph))
    assert (found.producer, found.kind, found.count) == ("graph", "contradiction", 1)
    assert "1 task ran and the graph does not declare it: r1t8." in found.sentence


def test_a_block_that_no_row_names(tmp_path: Path) -> None:
    graph = deps((RING1, RING1 + 1))
    graph["tasks"] = [
        {"task_id": str(RING1 + k), "kernel_ids": [0, -1, -1], "block_num": 1 + (k == 4)}
        for k in range(9)
    ]
    found = only(put(tmp_path / "run", records=records(2), deps=graph))
    assert (found.producer, found.kind, found.count) == ("cores", "missing", 1)
    assert "task r1t4 has 1 of 2" in found.sentence


def test_a_graph_through_tasks_without_core_is_no_loss(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2), deps=deps((RING1, 99), (99, RING1 + 1)))
    assert check(folder).nothing_lost


def test_graph_in_d0_and_records_in_d1_are_found_together(tmp_path: Path) -> None:
    put(tmp_path / "rank0" / "d0", deps=deps((RING1, RING1 + 1)))
    put(tmp_path / "rank0" / "d1", records=records(2))
    found = only(tmp_path / "rank0")
    assert (found.producer, found.kind) == ("graph", "missing")
    assert "d1 has the records and no dependency file, d0 has the dependency file" in found.sentence


def test_two_name_maps_that_disagree(tmp_path: Path) -> None:
    folder = put(
        tmp_path / "run",
        records=records(2),
        name_map_a={"callable_id_to_name": {"0": "QK", "1": "PV"}},
        name_map_b={"callable_id_to_name": {"0": "QK", "1": "barrier"}},
    )
    found = only(folder)
    assert (found.producer, found.kind, found.count) == ("names", "contradiction", 1)
    assert "function 1 is 'PV' in name_map_a.json and 'barrier' in name_map_b.json" in (
        found.sentence
    )


def test_a_name_map_that_is_damaged_is_told_and_the_next_ones_are_compared(tmp_path: Path) -> None:
    folder = put(
        tmp_path / "run",
        records=records(2),
        name_map_a={"callable_id_to_name": {"0": 5}},
        name_map_b={"callable_id_to_name": {"0": "QK"}},
        name_map_c={"callable_id_to_name": {"0": "barrier"}},
    )
    found = [(one.producer, one.kind) for one in bad(check(folder))]
    assert found == [("file name_map_a.json", "unreadable"), ("names", "contradiction")]


def test_a_stream_that_lost_records_says_so(tmp_path: Path) -> None:
    cases = {
        "dropped": ({"dropped": 4}, "dropped", 4),
        "committed": ({"committed": 5}, "dropped", 2),
        "fewer": ({"committed": 1}, "unknown", None),
        "truncated": ({"truncated": True}, "unknown", None),
    }
    for name, (capture, kind, count) in cases.items():
        file = records(3)
        file["scheduler_records"]["streams"][2] = stream(2, [1020, 1520, 2020], **capture)
        found = only(put(tmp_path / name, records=file))
        assert (name, found.producer, found.kind, found.count) == (
            name,
            "scheduler 2",
            kind,
            count,
        )


def test_the_records_file_alone_can_be_checked(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2))
    assert check(folder / RECORDS).nothing_lost
