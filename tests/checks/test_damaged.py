"""Files that an import refuses: each is named, and everything else is still checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.capture.runs import graph, recorded
from tests.checks.folders import RECORDS, bad, deps, only, put, records

import lanescope
from lanescope.checks.check import check
from lanescope.cli import main

ROOT = Path(__file__).parents[2]


def test_a_damaged_graph_does_not_hide_the_records(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", records=records(2), deps='{"edges": [')
    found = only(folder)
    assert (found.producer, found.kind) == ("file deps.json", "unreadable")
    assert "ends too early" in found.sentence
    assert sum(a.delivered for a in check(folder).runs[0].accounts) == 18


def test_a_cut_records_file_does_not_hide_the_rest(tmp_path: Path) -> None:
    text = json.dumps(records(3))
    for size in (0, 1, 300, len(text) // 2, len(text) - 1):
        folder = put(tmp_path / str(size), records=text[:size], deps=deps((1, 2)))
        found = only(folder)
        assert (found.producer, found.kind) == (f"file {RECORDS}", "unreadable")


def test_a_damaged_part_of_a_file_is_left_out_and_named(tmp_path: Path) -> None:
    file = records(3)
    file["scheduler_records"]["streams"][1]["records"][0]["start_cycles"] = "soon"
    folder = put(tmp_path / "run", records=file)
    [part] = bad(check(folder))
    assert (part.producer, part.kind) == (f"file {RECORDS}", "unreadable")
    assert part.sentence.startswith(f"'scheduler_records' of {RECORDS} cannot be read: ")
    assert sum(a.delivered for a in check(folder).runs[0].accounts) == 18


def test_damaged_rows_are_counted_and_not_refused(tmp_path: Path) -> None:
    file = records(2)
    file["aicore_tasks"][0][3:5] = [900, 800]
    file["aicore_tasks"].append([1, 1 << 32, 1, 5000, 5001, 1, 5])
    found = {one.kind: one for one in bad(check(put(tmp_path / "run", records=file)))}
    assert found["backward"].count == 1
    assert found["duplicated"].count == 3
    assert "core 0 token 0" in found["backward"].sentence


def test_times_out_of_order_are_told(tmp_path: Path) -> None:
    file = records(2)
    file["scheduler_tasks"]["records"][0][2:4] = [1050, 1060]
    found = only(put(tmp_path / "run", records=file))
    assert (found.producer, found.kind, found.count) == ("core 0", "disordered", 1)


def test_a_jump_in_the_tokens_is_not_nothing_lost(tmp_path: Path) -> None:
    file = records(2)
    del file["aicore_tasks"][1], file["scheduler_tasks"]["records"][1]
    found = only(put(tmp_path / "run", records=file))
    assert (found.kind, found.count) == ("unknown", 1)
    assert "core 0 after token 0" in found.sentence


def test_a_folder_without_any_file_and_a_path_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert only(tmp_path).sentence == "There is no file here that lanescope knows."
    assert main(["check", str(tmp_path / "nothing")]) == 1
    assert "no such file or directory" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["check"])
    assert stopped.value.code == 2


def test_a_stored_trace_and_one_whose_table_is_damaged(tmp_path: Path) -> None:
    stored = tmp_path / "run.lanes"
    lanescope.save(lanescope.import_trace(ROOT / "examples" / "small_run"), stored)
    assert check(stored).nothing_lost
    (stored / "phases.parquet").write_bytes(b"no table")
    found = only(stored)
    assert (found.producer, found.kind) == ("file phases.parquet", "unreadable")
    assert sum(a.delivered for a in check(stored).runs[0].accounts) == 244


def test_another_tools_trace_keeps_no_account(tmp_path: Path) -> None:
    event = {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "a"}
    put(tmp_path, trace={"traceEvents": [event]})
    assert (only(tmp_path).kind, only(tmp_path).producer) == ("unknown", "all")


def test_json_has_every_finding_and_account(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, lossy = put(tmp_path / "a", records=records(2)), put(tmp_path / "b", deps=deps((1, 2)))
    assert main(["check", str(whole), str(lossy), "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert first["nothing_lost"] and not second["nothing_lost"]
    assert first["runs"][0]["accounts"][0]["producer"] == "core 0"
    assert second["runs"][0]["findings"][0]["kind"] == "missing"


def test_what_a_run_left_behind_is_checked_where_it_lies(tmp_path: Path) -> None:
    kept = tmp_path / "run.capture"
    recorded(kept, graph(tasks=40), chip_swimlane=4)
    assert check(kept).nothing_lost
    assert check(tmp_path).runs[0].place == "run.capture"
    (kept / "region").unlink()
    (kept / "spool").write_bytes((kept / "spool").read_bytes()[:-200])
    found = bad(check(kept))
    assert {one.producer for one in found} >= {"capture"}
    assert any("the spool" in one.sentence for one in found)
