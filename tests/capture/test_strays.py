"""Records that belong to nobody are counted, and no sentence says that nothing was lost."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.capture.programs import built, collected

import lanescope
from lanescope.trace import LedgerEntry, load

SOURCE = Path(__file__).with_name("strays.c")
RECORDS = 2000


@pytest.fixture(scope="module")
def strays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(SOURCE, tmp_path_factory.mktemp("program") / "strays")


@pytest.fixture(scope="module")
def careful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(SOURCE, tmp_path_factory.mktemp("debug") / "strays", flags=("-DLS_DEBUG",))


def entries_of(folder: Path) -> dict[tuple[str, str], LedgerEntry]:
    ledger = load(folder / "strays.lanes").meta.ledger
    assert all(entry.closes for entry in ledger)
    return {(entry.lane, entry.kind): entry for entry in ledger if entry.total}


def test_numbers_out_of_range_are_a_line_of_the_ledger(strays: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, strays, "range")
    assert (done.returncode, done.stderr) == (0, "")
    assert "LOST: 6,000 dropped" in done.stdout
    reason = (
        "6000 were made for a number that the region does not have "
        "(2 cores, 1 scheduler, 1 orchestrator)"
    )
    assert entries_of(tmp_path) == {
        ("no lane", "record"): LedgerEntry(
            "no lane", "record", total=6000, delivered=0, dropped=6000, reason=reason
        )
    }
    report = str(lanescope.report(load(tmp_path / "strays.lanes")))
    assert "Records were lost: 6,000 dropped and 0 unmatched of 6,000" in report
    assert "Nothing lost" not in report


def test_a_second_handle_takes_the_lane_over(strays: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, strays, "handles", options=("--chip-swimlane=1",))
    assert done.returncode == 1
    assert "several handles recorded in the lane at once" in done.stderr
    entries = entries_of(tmp_path)
    own, others = entries["core 0", "core_task"], entries["no lane", "core_task"]
    assert (own.delivered, own.dropped, own.unknown) == (RECORDS, 0, True)
    assert (others.total, others.dropped) == (RECORDS, RECORDS)
    assert others.reason == "2000 were made through an older handle of core 0"
    trace = load(tmp_path / "strays.lanes")
    assert sorted(trace.tasks["task"].tolist()) == list(range(RECORDS))


def test_four_threads_on_one_lane_are_not_nothing_lost(strays: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, strays, "threads", options=("--chip-swimlane=1",))
    ledger = load(tmp_path / "strays.lanes").meta.ledger
    together = any(entry.unknown for entry in ledger)
    assert done.returncode == int(together)
    if not together:  # they ran one after the other, and shared nothing
        assert sum(entry.delivered for entry in ledger) == 4 * RECORDS


@pytest.mark.parametrize("level", ["1", "4"])
def test_a_program_without_controllers_loses_nothing(
    strays: Path, tmp_path: Path, level: str
) -> None:
    done = collected(tmp_path, strays, "alone", options=(f"--chip-swimlane={level}",))
    assert (done.returncode, done.stderr) == (0, "")
    assert "LOST" not in done.stdout
    trace = load(tmp_path / "strays.lanes")
    assert trace.meta.level == 1
    assert "Nothing lost: all 2,000 records delivered." in str(lanescope.report(trace))
    notes = ("Level 4 was asked for, but the program recorded no controllers.",)
    assert trace.meta.notes == (notes if level == "4" else ())


@pytest.mark.parametrize(
    ("case", "call", "problem"),
    [
        ("range", "ls_core_open(&core, region, 2)", "the region has no lane for this number"),
        (
            "handles",
            "ls_core_open(&first, region, 0)",
            "a newer handle was opened on the lane of this one",
        ),
        (
            "shared",
            "ls_core_open(&core, region, 0)",
            "a second thread records through this handle",
        ),
    ],
)
def test_a_debug_build_stops_and_names_the_call(
    careful: Path, tmp_path: Path, case: str, call: str, problem: str
) -> None:
    asked = {"LANESCOPE_CAPTURE": str(tmp_path), "LANESCOPE_FLAGS": "0x17"}
    done = subprocess.run(
        [careful, case], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGABRT
    file, line, told = done.stderr.removeprefix("lanescope: ").split(":", 2)
    assert Path(file) == SOURCE
    assert call in SOURCE.read_text().splitlines()[int(line) - 1]
    assert problem in told
    assert "(thread 0x" in told
