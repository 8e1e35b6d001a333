"""An index knows every trace below a folder: read once, or named with the reason why not."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.made import fleet_of, stored

from lanescope.errors import InputError, OutputError, UsageError
from lanescope.fleet import indexing, measuring, parts
from lanescope.fleet.indexing import index_fleet
from lanescope.fleet.parts import FleetFolder
from lanescope.workers.mapping import map_over

ROOT = Path(__file__).parents[2]


def rows(fleet: Path) -> dict[str, dict[str, Any]]:
    return {Path(row["trace"]).name: row for row in FleetFolder(fleet).traces().to_pylist()}


def makespans(fleet: Path) -> dict[str, float]:
    measures = FleetFolder(fleet).measures().to_pylist()
    found = [(Path(m["trace"]).name, m["value"]) for m in measures if m["name"] == "makespan"]
    assert len(found) == len(dict(found)), "a trace has a measure twice"
    return dict(found)


def test_every_trace_becomes_a_row_and_its_measures(tmp_path: Path) -> None:
    fleet_of(tmp_path / "runs" / "a", [1000, 2000])
    stored(tmp_path / "runs" / "b.lanes", 3000, rank=3, world=8, host="n1", name="fan")
    indexed = index_fleet(tmp_path / "runs", tmp_path / "fleet", labels={"commit": "abc"})
    assert indexed.text() == f"3 of 3 traces in {tmp_path / 'fleet'} (3 read, 0 unchanged)\n"
    assert makespans(tmp_path / "fleet") == {"t00.lanes": 1000, "t01.lanes": 2000, "b.lanes": 3000}
    row = rows(tmp_path / "fleet")["b.lanes"]
    assert row.pop("fingerprint") and row.pop("bytes") > 0 and row.pop("date")
    assert row == {
        "trace": str(tmp_path / "runs" / "b.lanes"),
        "root": str(tmp_path / "runs"),
        "kind": "trace",
        "job": "",
        "status": "in",
        "why": "",
        "name": "fan",
        "workload": "fan",
        "origin": "simulated",
        "chip": "a2a3",
        "tool": "tests",
        "commit": "abc",
        "host": "n1",
        "date_from": "stored",
        "rank": 3,
        "world": 8,
        "run": "",
        "labels": [("commit", "abc")],
    }


def test_the_measures_are_those_of_a_diff_and_counts(tmp_path: Path) -> None:
    stored(tmp_path / "a.lanes", 1000)
    index_fleet(tmp_path, tmp_path / "fleet")
    measures = FleetFolder(tmp_path / "fleet").measures().to_pylist()
    by_name = {(m["group"], m["name"]): (m["value"], m["unit"], m["runs"]) for m in measures}
    assert by_name["function", "A"] == (100, "ns", 1)
    assert by_name["run", "tasks"] == (2, "count", None)
    assert by_name["run", "records lost"] == (0, "count", None)


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000, 2000, 3000]), tmp_path / "fleet"
    index_fleet(runs, fleet)
    stored(runs / "t01.lanes", 2500)
    stored(runs / "new.lanes", 5000)
    (runs / "t02.lanes").rename(tmp_path / "t02.lanes")
    read: list[str] = []

    def watched(root: str, trace: str) -> Any:
        read.append(trace)
        return measuring.measure(root, trace)

    monkeypatch.setattr(indexing, "measure", watched)
    indexed = index_fleet(runs, fleet)
    assert sorted(Path(path).name for path in read) == ["new.lanes", "t01.lanes"]
    assert (indexed.read, indexed.unchanged, indexed.gone) == (2, 1, 1)
    assert makespans(fleet) == {"t00.lanes": 1000, "t01.lanes": 2500, "new.lanes": 5000}


def test_an_unchanged_fleet_is_not_written(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000]), tmp_path / "fleet"
    index_fleet(runs, fleet)
    before = (fleet / "index").stat().st_ino
    assert index_fleet(runs, fleet).unchanged == 1
    assert (fleet / "index").stat().st_ino == before


def test_two_folders_share_an_index_and_neither_makes_the_other_go(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    index_fleet(fleet_of(tmp_path / "a", [1000]), fleet, labels={"commit": "a"})
    index_fleet(fleet_of(tmp_path / "b", [2000]), fleet, labels={"commit": "b"})
    assert sorted(FleetFolder(fleet).traces()["commit"].to_pylist()) == ["a", "b"]


def test_new_labels_are_a_change(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000]), tmp_path / "fleet"
    index_fleet(runs, fleet, labels={"commit": "a"})
    assert index_fleet(runs, fleet, labels={"commit": "b", "date": "2026-01-02"}).read == 1
    (row,) = rows(fleet).values()
    assert (row["commit"], str(row["date"])) == ("b", "2026-01-02 00:00:00")
    assert row["date_from"] == "label"
    assert index_fleet(runs, fleet).unchanged == 1


def test_a_label_that_is_no_date_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found date=yesterday"):
        index_fleet(tmp_path, tmp_path / "fleet", labels={"date": "yesterday"})


def test_damaged_traces_are_a_ledger_and_are_tried_again(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000, 2000]), tmp_path / "fleet"
    tasks = runs / "t01.lanes" / "tasks.parquet"
    whole = tasks.read_bytes()
    tasks.write_bytes(whole[:100])
    (runs / "empty.lanes").mkdir()
    indexed = index_fleet(runs, fleet)
    assert indexed.text().splitlines() == [
        f"1 of 3 traces in {fleet} (1 read, 0 unchanged), 2 failed:",
        f"  {runs}/empty.lanes: is no lanescope trace (it has no meta.json)",
        f"  {tasks}: is damaged (it has 100 bytes, {len(whole):,} were written); "
        "import the source again, or take a copy",
    ]
    assert {name: row["status"] for name, row in rows(fleet).items()} == {
        "t00.lanes": "in",
        "t01.lanes": "failed",
        "empty.lanes": "failed",
    }
    tasks.write_bytes(whole)
    (runs / "empty.lanes").rmdir()
    assert index_fleet(runs, fleet).failures == ()
    assert makespans(fleet) == {"t00.lanes": 1000, "t01.lanes": 2000}


def test_a_folder_that_cannot_be_listed_is_in_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = fleet_of(tmp_path / "runs" / "open", [1000]).parent
    (runs / "shut").mkdir()
    real = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    (failure,) = index_fleet(runs, tmp_path / "fleet").failures
    assert failure.why == f"{runs}/shut: cannot be listed (Permission denied)"


def test_a_link_that_leads_back_ends(tmp_path: Path) -> None:
    runs = fleet_of(tmp_path / "runs", [1000])
    (runs / "again").symlink_to(runs)
    assert index_fleet(runs, tmp_path / "fleet").found == 1


def test_what_was_read_before_an_interrupt_is_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000, 2000, 3000]), tmp_path / "fleet"

    def interrupted(*args: Any, **more: Any) -> Iterator[Any]:
        answers = map_over(*args, **more)
        yield next(answers)
        yield next(answers)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(indexing, "map_over", interrupted)
        index_fleet(runs, fleet)
    assert len(makespans(fleet)) == 2
    indexed = index_fleet(runs, fleet)
    assert (indexed.read, indexed.unchanged) == (1, 2)


def test_a_killed_index_leaves_what_it_had_written(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000 + n for n in range(40)]), tmp_path / "fleet"
    program = f"""
        import time
        from lanescope.fleet import indexing, measuring
        real = indexing.FleetFolder.add
        def slow(self, *tables):
            real(self, *tables)
            time.sleep(0.3)
        indexing.FleetFolder.add = slow
        indexing._PART_TRACES = 3
        indexing.index_fleet({str(runs)!r}, {str(fleet)!r}, workers=0)
    """
    driver = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)])
    while not (fleet / "parts" / "000002").exists():
        assert driver.poll() is None
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    kept = makespans(fleet)
    assert 6 <= len(kept) < 40
    indexed = index_fleet(runs, fleet)
    assert (indexed.unchanged, indexed.good) == (len(kept), 40)
    assert len(makespans(fleet)) == 40


def test_a_part_that_outlives_the_index_it_is_in_does_not_count_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000, 2000]), tmp_path / "fleet"
    with monkeypatch.context() as patch:
        patch.setattr(parts.shutil, "rmtree", lambda *args, **more: None)
        index_fleet(runs, fleet)
    assert (fleet / "parts" / "000001").is_dir()
    assert makespans(fleet) == {"t00.lanes": 1000, "t01.lanes": 2000}


def test_a_full_disk_is_one_sentence_and_the_index_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000, 2000]), tmp_path / "fleet"
    index_fleet(runs, fleet)
    stored(runs / "more.lanes", 3000)

    def full(*args: Any, **more: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parts.pq, "write_table", full)
    with pytest.raises(OutputError, match=r"could not be written \(No space left on device\)"):
        index_fleet(runs, fleet)
    assert makespans(fleet) == {"t00.lanes": 1000, "t01.lanes": 2000}


def test_two_indexers_do_not_write_at_the_same_time(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000]), tmp_path / "fleet"
    with (
        FleetFolder(fleet).writing(),
        pytest.raises(OutputError, match="is being written by another"),
    ):
        index_fleet(runs, fleet)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    runs = fleet_of(tmp_path / "runs", [1000])
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "letter.txt").touch()
    with pytest.raises(OutputError, match="exists and is no index of a fleet"):
        index_fleet(runs, tmp_path / "fleet")


def test_no_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder; name the folder that stored traces"):
        index_fleet(tmp_path / "nowhere", tmp_path / "fleet")
    assert not (tmp_path / "fleet").exists()


def test_a_trace_that_kills_its_workers_is_named(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000 + n for n in range(8)]), tmp_path / "fleet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexing, "measure", deadly)
        indexed = index_fleet(runs, fleet, workers=2)
    (failure,) = indexed.failures
    assert failure.why == f"{runs}/t03.lanes: ended its worker twice"
    assert len(makespans(fleet)) == 7


def deadly(root: str, trace: str) -> Any:
    if trace.endswith("t03.lanes"):
        os.kill(os.getpid(), signal.SIGKILL)
    return measuring.measure(root, trace)
