"""pmu.csv as it is written: the runtime's own columns, and the same counters when read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.simpler.runs import read, records, rows

import lanescope
from lanescope.formats import import_paths
from lanescope.formats.simpler.write import write_run
from lanescope.platforms.sim.pmu_file import counter_unit
from lanescope.trace import Trace
from lanescope.trace.meta import RecordingFacts

DATA = Path(__file__).parents[3] / "../shared/data/chip-swimlane"
REAL = sorted(DATA.glob("a*/*/*/pmu.csv"))
WITH_RECORDS = [path for path in REAL if any(path.parent.glob("*records.json"))]
UNITS = {"a2a3": "dav_2201", "a5": "dav_3510"}
VALUES = ("name", "value", "task", "core", "token")


def counted(chip: str, group: int) -> Trace:
    settings = {"rows": 2, "columns": 2}
    return lanescope.run("matmul_add", platform=chip, pmu=group, settings=settings)


def lines_of(trace: Trace, folder: Path) -> list[str]:
    assert "pmu.csv" in write_run(trace, folder).files
    return (folder / "pmu.csv").read_text().splitlines()


def test_the_columns_and_rows(tmp_path: Path) -> None:
    pmu = (
        "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,busy,event_type\n"
        "-1,1,0x0000000000000008,-1,1,200,20,2\n"
        "-1,0,0x0000000100000007,-1,0,100,10,2\n"
    )
    run = records(1, aicore_tasks=[[0, (1 << 32) + 7, 1, 10, 20], [1, 8, 1, 30, 40]])
    trace = read(tmp_path / "in", records=run, pmu=pmu)
    assert lines_of(trace, tmp_path / "out") == pmu.splitlines()


@pytest.mark.parametrize("chip", ["a2a3", "a5"])
@pytest.mark.parametrize("group", [1, 2, 4, 5, 6, 7, 8])
def test_a_simulated_run_comes_back(tmp_path: Path, chip: str, group: int) -> None:
    trace = counted(chip, group)
    header, *body = lines_of(trace, tmp_path / "run")
    [chosen] = [g for g in counter_unit(UNITS[chip]).groups if g.number == group]
    assert header.split(",") == [
        *("thread_id", "core_id", "task_id", "func_id", "core_type", "pmu_total_cycles"),
        *(event.name for event in chosen.events),
        "event_type",
    ]
    assert len(body) == 8
    assert {line.split(",")[-1] for line in body} == {str(group)}
    assert {(line.split(",")[3], line.split(",")[4]) for line in body} == {("0", "0"), ("1", "1")}
    [again] = import_paths([tmp_path / "run"])
    assert sorted(rows(again, "counters", *VALUES)) == sorted(rows(trace, "counters", *VALUES))
    assert again.meta.recording == RecordingFacts(pmu_events=(group,))


def test_an_export_may_be_written_over(tmp_path: Path) -> None:
    trace = counted("a2a3", 2)
    assert write_run(trace, tmp_path / "run") == write_run(trace, tmp_path / "run")


def test_counters_of_an_unknown_group_are_left_out(tmp_path: Path) -> None:
    trace = counted("a2a3", 2)
    assert "pmu.csv" not in write_run(trace.with_meta(recording=None), tmp_path / "run").files
    several = RecordingFacts(pmu_events=(2, 4))
    assert "pmu.csv" not in write_run(trace.with_meta(recording=several), tmp_path / "again").files


def header_of(path: Path) -> tuple[str, int]:
    with path.open() as file:
        return file.readline().strip(), int(file.readline().strip().rsplit(",", 1)[1])


@pytest.mark.skipif(not REAL, reason="no real runs here")
@pytest.mark.parametrize("path", REAL, ids=lambda path: str(path.relative_to(DATA).parent))
def test_the_header_is_that_of_a_real_file(tmp_path: Path, path: Path) -> None:
    chip = path.relative_to(DATA).parts[0].partition("sim")[0]
    real, group = header_of(path)
    assert lines_of(counted(chip, group), tmp_path / "run")[0] == real


@pytest.mark.skipif(not WITH_RECORDS, reason="no real runs here")
@pytest.mark.parametrize("path", WITH_RECORDS, ids=lambda path: str(path.relative_to(DATA).parent))
def test_a_real_file_comes_back(tmp_path: Path, path: Path) -> None:
    [trace] = import_paths([path.parent])
    written = lines_of(trace, tmp_path / "run")
    assert sorted(written) == sorted(path.read_text().splitlines())
