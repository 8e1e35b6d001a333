"""Chunk streams of cores beside a run: simulated runs, written as files and read again."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.chunks.test_decoder import mark, stamp, stream
from tests.formats.simpler.runs import CLOCK_HZ, today, write
from tests.platforms.sim.marked import raw_streams

from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.formats.simpler.write import write_run as write_records
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.trace import MISSING, LedgerEntry, Trace, load
from lanescope.workloads import build_workload

CHIP = replace(load_chip("a5"), clusters=2, schedulers=2)
NS_PS = 1000


class Written(NamedTuple):
    folder: Path
    outcome: SimOutcome


def write_run(folder: Path, workload: str, chip: Chip, **settings: str) -> SimOutcome:
    """A simulated run as files: its records, what every core's engine wrote, and the clocks."""
    capture = folder.with_suffix(".capture")
    outcome = simulate_recorded(
        build_workload(workload, settings),
        chip,
        Recording(core_swimlane=True),
        directory=capture,
        keep_truth=True,
    )
    assert outcome.trace is not None
    write_records(outcome.trace, folder)
    for core, data in raw_streams(capture).items():
        (folder / f"core_{core}.chip6").write_bytes(data)
    mhz = {kind: chip.kind_hz(kind) / 1e6 for kind in ("aic", "aiv")}
    (folder / "core_streams.json").write_text(json.dumps({"core_mhz": mhz}))
    return outcome


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("run") / "matmuls"
    return Written(folder, write_run(folder, "matmul_add", CHIP, rows="3", columns="3"))


@pytest.fixture
def run(written: Written, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(written.folder, tmp_path / "run"))


def rows(trace: Trace, busy: bool) -> Counter[tuple[object, ...]]:
    marks = trace.marks
    columns = [marks[name].tolist() for name in ("core", "start_cycles", "end_cycles", "token")]
    texts = [trace.text("marks", "pipe"), trace.text("marks", "name")]
    return Counter(row for row in zip(*columns, *texts, strict=True) if (row[-1] == "busy") is busy)


def entries(trace: Trace, kind: str) -> dict[str, LedgerEntry]:
    return {entry.lane: entry for entry in trace.meta.ledger if entry.kind == kind}


def test_busy_intervals_are_those_of_the_recorded_run(written: Written) -> None:
    trace, recorded = import_trace(written.folder), written.outcome.trace
    assert recorded is not None
    assert rows(trace, True) == rows(recorded, True)
    assert len(set(trace.marks["core"].tolist())) == 6
    assert not (trace.marks["task"] == MISSING).any()
    assert all(entry.closes and not entry.unmatched for entry in trace.meta.ledger)
    assert trace.meta.recording is not None
    assert trace.meta.recording.core_hz == {k: CHIP.kind_hz(k) for k in ("aic", "aiv")}


def test_regions_are_the_operations_of_the_kernels(written: Written) -> None:
    trace, truth = import_trace(written.folder), written.outcome.result.truth
    assert truth is not None
    wanted: list[tuple[int, int, int, str, int, int]] = []
    for true in truth.insides:
        for pipe, start, end, op in true.inside.timeline.absolute():
            kernel = true.inside.kernel
            if kernel is not None and kernel.ops[op].mark is not None:
                name = f"region {kernel.ops[op].mark}"
                wanted += [(true.core, true.token, p, name, start, end) for p in {0, pipe}]
    is_region = np.array([name.startswith("region ") for name in trace.text("marks", "name")])
    marks = trace.marks.rows(is_region)
    names = [name.partition(" (")[0] for name in marks.text("name")]
    pipes = ["scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixp"]
    seen = list(
        zip(
            marks["core"].tolist(),
            marks["token"].tolist(),
            [pipes.index(pipe) for pipe in marks.text("pipe")],
            names,
            marks["start_cycles"].tolist(),
            marks["end_cycles"].tolist(),
            strict=True,
        )
    )
    assert len(seen) == len(wanted) == len(trace.marks) - sum(rows(trace, True).values())
    assert len(seen) > 100
    tick = Fraction(10**12, CHIP.clock.counter_hz)
    for one, other in zip(sorted(seen), sorted(wanted), strict=True):
        assert one[:4] == other[:4]
        # A time is early by less than a core cycle, and then by less than a tick.
        for ticks, ps in zip(one[4:], other[4:], strict=True):
            assert 0 <= ps - ticks * tick < 2 * tick
    assert {e.unmatched for e in entries(trace, "paired mark").values()} == {0}


def test_names_and_marks_that_stay_alone(run: Path) -> None:
    about = json.loads((run / "core_streams.json").read_text())
    names = Counter(import_trace(run).text("marks", "name"))
    number = int(next(name for name in names if name.startswith("region ")).split()[1])
    (run / "core_streams.json").write_text(json.dumps({**about, "regions": {number: "load <b>"}}))
    again = Counter(import_trace(run).text("marks", "name"))
    assert again["load <b>"] == names[f"region {number}"] > 0 == again[f"region {number}"]
    # One end mark becomes a mark that belongs to nobody.
    path = run / "core_0.chip6"
    words = np.fromfile(path, "<u4")
    ends = np.flatnonzero((words >> 28 != 14) & (words >> 28 != 15) & (words >> 26 & 3 == 3))
    words[ends[0]] = words[ends[0]] & ~np.uint32(0xFFF << 16) | np.uint32(77 << 16)
    words.tofile(path)
    trace = import_trace(run)
    entry = entries(trace, "paired mark")["core 0"]
    assert (entry.unmatched, entry.reason, entry.closes) == (1, "1 have no partner", True)
    assert sum(name.startswith("mark 77") for name in trace.text("marks", "name")) == 1


def test_an_engine_that_was_stopped_between_tasks_has_several_parts(run: Path) -> None:
    whole = import_trace(run)
    path = run / "core_0.chip6"
    words = np.fromfile(path, "<u4")
    starts = np.flatnonzero(words >> 24 == 0xE0)
    end = np.array([0xEFFFFFFF] + [0xDDDDDDDD] * 7, np.uint32)
    parts = []
    for part in np.split(words[words != 0xDDDDDDDD], starts[1:]):
        part = part[part != 0xEFFFFFFF]
        parts += [part, np.full(-len(part) % 8, 0xDDDDDDDD, np.uint32), end]
    np.concatenate(parts).astype("<u4").tofile(path)
    again = import_trace(run)
    assert rows(again, True) == rows(whole, True) and rows(again, False) == rows(whole, False)
    assert entries(again, "chunk")["core 0"].dropped == 0


def test_two_runs_of_one_records_file(tmp_path: Path) -> None:
    write(tmp_path / "two", records=today(), core_streams={"core_mhz": CLOCK_HZ / 1e6})
    words = [*stamp(110), mark(0, 1024 + 3, 5), mark(0, 3072 + 3, 20)]
    words += [*stamp(1110), mark(0, 1024 + 3, 5), mark(0, 3072 + 3, 20)]
    (tmp_path / "two" / "core_0.chip6").write_bytes(stream(*words))
    trace = import_trace(tmp_path / "two")
    marks = trace.marks
    assert trace.text("marks", "name") == ["region 3", "region 3"]
    assert marks["start_cycles"].tolist() == [115, 1115]
    assert (marks["end_ns"] - marks["start_ns"]).tolist() == [400, 400]
    runs = [trace.tasks["run"][trace.tasks["task"] == one].tolist() for one in marks["task"]]
    assert runs == [[0], [1]]


def test_the_command_says_what_was_attached(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(run), "-o", str(tmp_path / "a.lanes")]) == 0
    out = capsys.readouterr().out
    assert "6 core streams: " in out and " in tasks, 0 in no task, 0 marks without a " in out
    assert "clocks of the streams: aic 1650 MHz, aiv 1650 MHz; counter 1000 MHz\n" in out
    assert main(["import", str(run), "-o", str(tmp_path / "b.lanes"), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["traces"]
    trace = load(tmp_path / "b.lanes")
    assert told["core_streams"]["rows_in_tasks"] == len(trace.marks)
    assert (told["core_streams"]["streams"], told["core_streams"]["left_out"]) == (6, [])
    assert sum(source.format == "core_stream" for source in trace.meta.sources) == 6


# ---- damaged ---------------------------------------------------------------------------------


def test_a_stream_that_is_cut_off_keeps_what_was_before(run: Path) -> None:
    path = run / "core_0.chip6"
    whole = import_trace(run)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // 32 * 32 + 14])
    trace = import_trace(run)
    assert 0 < len(trace.marks) < len(whole.marks)
    for busy in (True, False):
        of_others = [Counter({row: n for row, n in rows(one, busy).items() if row[0] != 0})
                     for one in (trace, whole)]  # fmt: skip
        assert of_others[0] == of_others[1]
    chunk = entries(trace, "chunk")["core 0"]
    assert chunk.dropped == 1 and chunk.reason.startswith("not a whole chunk, first at byte ")
    assert all(entry.closes for entry in trace.meta.ledger)
    assert {lane for lane, e in entries(trace, "mark").items() if e.unmatched} <= {"core 0"}


def test_a_core_that_the_records_do_not_have(run: Path) -> None:
    shutil.copy(run / "core_0.chip6", run / "core_99.chip6")
    trace = import_trace(run)
    assert 99 not in trace.marks["core"].tolist()
    entry = entries(trace, "chunk")["core 99"]
    assert (entry.delivered, entry.dropped) == (0, entry.total) and entry.total > 0
    assert entry.reason == "core_99.chip6 was left out: the records have no core 99"
    assert "Streams of core 99 were left out: the records have no such core." in trace.meta.notes


def test_a_stream_of_another_time_is_in_no_task(run: Path) -> None:
    path = run / "core_0.chip6"
    words = np.fromfile(path, "<u4")
    first = words >> 24 == 0xE1  # the second quarter of a stamp: + 1 is 65,536 ticks
    words[first] += 100
    words.tofile(path)
    trace = import_trace(run)
    entry = entries(trace, "mark")["core 0"]
    assert (entry.delivered, entry.unmatched) == (0, entry.total)
    assert trace.meta.notes[-1] == (
        "Nothing in the streams of core 0 lies in a task: they may be of another run, or have "
        "another clock."
    )


def test_a_wrong_core_clock_is_seen(run: Path) -> None:
    (run / "core_streams.json").write_text('{"core_mhz": {"aic": 825, "aiv": 1650}}')
    trace = import_trace(run)
    late = sum(e.unmatched for e in entries(trace, "mark").values())
    assert late > 0 and all(entry.closes for entry in trace.meta.ledger)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("core_00.chip6", "abcd", "core_00.chip6: is a second stream of core 0 beside "
         "core_0.chip6; keep one"),
        ("aic0.chip6", "abcd", "aic0.chip6: expected a name like core_7.chip6, where 7 is the "
         "core's number in the records"),
        ("core_streams.json", '{"core_mhz": {"aic": 1650}}', "core_streams.json: 'core_mhz' has "
         "no clock for cores of kind aiv; add it"),
        ("core_streams.json", '{"core_mhz": -3}', "core_streams.json: 'core_mhz': expected a clock "
         "like 1650 or 1850.5, found '-3.0'"),
        ("core_streams.json", '{"core_mhz": 1650, "counter_mhz": 50}', "core_streams.json: says "
         "that stamps count at 50000000 Hz, but the records beside it count at 1000000000 Hz; "
         "streams of another counter cannot be attached"),
        ("core_streams.json", '{"core_mhz": 1650, "regions": {"1024": "x"}}', "core_streams.json: "
         "'regions': expected numbers below 1024, found '1024'"),
        ("core_streams.json", '{"core_mhz": 1650, "marks": {"-1": "x"}}', "core_streams.json: "
         "'marks': expected numbers below 4096, found '-1'"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused(run: Path, name: str, text: str, problem: str) -> None:
    (run / name).write_text(text)
    with pytest.raises(InputError) as caught:
        import_trace(run)
    assert str(caught.value) == f"{run}/{problem}"


def test_streams_need_their_clocks(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "core_streams.json").unlink()
    assert main(["import", str(run)]) == 1
    assert capsys.readouterr().err == (
        f"lanescope: {run}: has chunk streams of cores, but no core_streams.json that says their "
        'clocks; write one, such as {"core_mhz": 1650}\n'
    )


def test_streams_beside_two_runs_are_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(run / "chip_swimlane_records.json", run / "other_records.json")
    assert main(["import", str(run), "-o", str(tmp_path)]) == 1
    assert capsys.readouterr().err.splitlines()[0] == (
        f"lanescope: {run}: it is not clear which run its chunk streams are of: core_streams.json "
        "lies beside several records files and was not used."
    )


def test_a_stamp_far_away_is_one_sentence(run: Path) -> None:
    words = np.fromfile(run / "core_0.chip6", "<u4")
    words[words >> 24 == 0xE3] |= 0x0200
    words.tofile(run / "core_0.chip6")
    with pytest.raises(InputError, match=r"run: its chunk streams do not fit: the core's counter"):
        import_trace(run)


def test_ranks_say_that_streams_were_left_out(run: Path, tmp_path: Path) -> None:
    for rank in (0, 1):
        shutil.copytree(run, tmp_path / "job" / f"rank{rank}" / "d0")
    trace = import_trace(tmp_path / "job")
    assert len(trace.marks) == 0
    assert (
        "Rank 0: 7 files with chunk streams of cores in rank0/d0 were left out: import that "
        "folder by itself, or all with --per-rank." in trace.meta.notes
    )
    assert len(import_trace(tmp_path / "job" / "rank1" / "d0").marks) > 0
