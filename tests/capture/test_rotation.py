"""Recordings that are cut into parts: every task once, every account closed, nothing unsaid."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.capture.programs import COLLECT, built, collected

from lanescope.capture import CaptureSession, part_job
from lanescope.capture.assemble import assemble
from lanescope.capture.directory import part_spool, spools
from lanescope.capture.part_job import store_next_part
from lanescope.capture.parts import PartState, load_state
from lanescope.capture.reading import CaptureRead, read_capture, read_rest
from lanescope.capture.rebuild import rebuild, recovery_notes
from lanescope.capture.rotation import Rotation, Rotator
from lanescope.capture.spool import FrameKind, SpoolReader
from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.trace import Trace, load
from lanescope.workloads import build_workload

TASKS, CORES = 600_000, 4
PROGRAM = Path(__file__).parents[2] / "benchmarks" / "long_capture.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(PROGRAM, tmp_path_factory.mktemp("program") / "long")


@pytest.fixture
def cut_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A simulated run with counters whose host goes on in another spool on every third visit."""
    visits, tick = 0, CaptureSession.tick

    def cutting(session: CaptureSession) -> int:
        nonlocal visits
        visits += 1
        if visits % 3 == 0:
            session.rotate()
        return tick(session)

    monkeypatch.setattr(CaptureSession, "tick", cutting)
    work = build_workload("random_dag", {"tasks": "400", "seed": "3"})
    chip = replace(load_chip("a5"), clusters=2, schedulers=2)
    options = {"buffer_records": 4, "buffers": 8, "first_token": 2**32 - 20}
    recording = Recording(chip_swimlane=4, pmu="2", **options)  # type: ignore[arg-type]
    simulate_recorded(work, chip, recording, directory=tmp_path / "a.capture")
    shutil.rmtree(tmp_path / "a.capture" / "plan.lanes")  # `collect` has no plan
    return tmp_path / "a.capture"


def keys_of(traces: list[Trace]) -> list[tuple[int, ...]]:
    names = ("core", "token", "task", "start_cycles", "end_cycles", "dispatch_cycles", "flags")
    rows = [zip(*(trace.tasks[name].tolist() for name in names), strict=True) for trace in traces]
    return sorted(row for part in rows for row in part)


def totals(traces: list[Trace], field: str) -> int:
    return sum(getattr(entry, field) for trace in traces for entry in trace.meta.ledger)


def closed(traces: list[Trace]) -> bool:
    return all(e.closes and not e.unknown for trace in traces for e in trace.meta.ledger)


def test_the_parts_together_are_the_recording(tmp_path: Path, cut_capture: Path) -> None:
    whole = rebuild(cut_capture).trace
    carried, parts = 0, []
    for _ in spools(cut_capture)[:-1]:
        stored = store_next_part(cut_capture, tmp_path / "cut.lanes", "", 0)
        parts.append(load(stored.path))
        state = load_state(cut_capture)
        assert state is not None
        carried += len(state.payload)
    rest = read_rest(cut_capture)
    parts.append(assemble(rest.contents))
    assert len(parts) >= 5
    assert carried > 0
    assert keys_of(parts) == keys_of([whole])
    assert not any(trace.tasks["flags"].any() for trace in parts)
    assert closed(parts)
    for field in ("total", "delivered", "dropped", "unmatched"):
        assert totals(parts, field) == totals([whole], field)
    assert sum(len(trace.phases) for trace in parts) == len(whole.phases)
    assert samples_of(parts) == samples_of([whole])
    assert parts[1].meta.name == "cut.0002"
    assert parts[1].meta.notes == ("Part 2 of a recording that was cut into parts.",)
    assert recovery_notes(rest)[0] == (f"Part {len(parts)} of a recording that was cut into parts.")


def test_after_the_last_part_nothing_is_left(tmp_path: Path, cut_capture: Path) -> None:
    """The rings of the region still hold buffers, which all are in parts."""
    for _ in spools(cut_capture):
        store_next_part(cut_capture, tmp_path / "cut.lanes", "", 0)
    rest = assemble(read_rest(cut_capture).contents)
    assert (len(rest.tasks), len(rest.phases), totals([rest], "total")) == (0, 0, 0)


def samples_of(traces: list[Trace]) -> list[tuple[object, ...]]:
    """The counters of tasks, with the token of each; it is missing where the task has no row."""
    rows = []
    for trace in traces:
        table = trace.counters
        columns = (table.text("name"), *(table[n].tolist() for n in ("core", "token", "value")))
        rows += [row for row in zip(*columns, strict=True) if row[0] != "buffers_waiting"]
    return sorted(rows)


def test_a_part_that_was_stored_but_not_noted_is_stored_again(
    tmp_path: Path, cut_capture: Path
) -> None:
    """Killed after the trace has its name: the spool and the old parts.npz are still there."""
    shutil.copytree(cut_capture, tmp_path / "copy")
    first = load(store_next_part(cut_capture, tmp_path / "cut.lanes", "", 0).path)
    again = load(store_next_part(tmp_path / "copy", tmp_path / "cut.lanes", "", 0).path)
    assert keys_of([again]) == keys_of([first])
    assert not part_spool(tmp_path / "copy", 1).exists()


def test_a_part_with_a_damaged_spool_says_so(tmp_path: Path, cut_capture: Path) -> None:
    spool = part_spool(cut_capture, 1)
    data = bytearray(spool.read_bytes())
    [at] = [f.offset for f in SpoolReader(spool).frames() if f.kind == FrameKind.BUFFERS][-1:]
    data[at + 100] ^= 1
    spool.write_bytes(data)
    part = load(store_next_part(cut_capture, tmp_path / "cut.lanes", "", 0).path)
    rest = assemble(read_rest(cut_capture).contents)
    assert all(entry.closes for entry in part.meta.ledger + rest.meta.ledger)
    assert totals([part, rest], "dropped") > 0
    assert "are no frame (the checksum of frame" in part.meta.notes[-1]


def test_the_spool_of_a_part_stays_where_something_is_unknown(
    tmp_path: Path, cut_capture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The collector refused lane 1 while it wrote the spool."""
    read = part_job.read_part

    def refused(directory: Path, before: PartState | None) -> CaptureRead:
        found = read(directory, before)
        counts = replace(found.contents.counts, damaged=frozenset({1}))
        return replace(found, contents=replace(found.contents, counts=counts))

    monkeypatch.setattr(part_job, "read_part", refused)
    part = load(store_next_part(cut_capture, tmp_path / "cut.lanes", "", 0).path)
    assert all(entry.closes for entry in part.meta.ledger)
    assert sum(entry.unknown for entry in part.meta.ledger) == 1
    assert part_spool(cut_capture, 1).exists()


@pytest.mark.parametrize("left", ["no last frame", "nothing"])
def test_of_several_spools_the_last_one_tells_whether_all_is_known(
    tmp_path: Path, cut_capture: Path, left: str
) -> None:
    """The region is gone, and so is the end of the last spool; those before it are whole."""
    (cut_capture / "region").unlink()
    last = spools(cut_capture)[-1]
    end = [frame.offset for frame in SpoolReader(last).frames()][-1]
    last.write_bytes(last.read_bytes()[: end if left == "no last frame" else 0])
    found = read_capture(cut_capture)
    assert found.problems[-1].startswith("The region is gone or out of reach, so what came after")
    ledger = assemble(found.contents).meta.ledger
    assert all(entry.unknown and entry.closes for entry in ledger)


def test_the_spool_of_a_part_that_was_stored_is_not_read_again(
    tmp_path: Path, cut_capture: Path
) -> None:
    store_next_part(cut_capture, tmp_path / "cut.lanes", "", 0)
    whole = keys_of([assemble(read_rest(cut_capture).contents)])
    part_spool(cut_capture, 1).write_bytes(b"nothing")
    rest = read_rest(cut_capture)
    assert (rest.problems, keys_of([assemble(rest.contents)])) == ((), whole)


def test_a_damaged_note_of_parts_is_one_sentence(cut_capture: Path) -> None:
    (cut_capture / "parts.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"parts\.npz: is damaged \(.*recovered as one trace"):
        read_rest(cut_capture)


def test_collect_stores_parts_and_leaves_nothing_else(tmp_path: Path, program: Path) -> None:
    options = ("--chip-swimlane=2", "--rotate", "4MB", "--json")
    done = collected(tmp_path / "out", program, str(TASKS), str(CORES), options=options)
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    paths = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in paths] == [
        f"long.{number:04d}.lanes" for number in range(1, len(paths) + 1)
    ]
    assert [line["trace"] for line in said] == [str(path) for path in paths]
    traces = [load(path) for path in paths]
    assert len(traces) > 1
    assert closed(traces)
    ran = np.concatenate([trace.tasks["task"][trace.ran()] for trace in traces])
    assert np.array_equal(np.sort(ran), np.arange(TASKS))


def test_a_quota_deletes_the_oldest_and_the_next_part_says_it(
    tmp_path: Path, program: Path
) -> None:
    options = ("--chip-swimlane=2", "--rotate", "3MB", "--quota", "200kB")
    done = collected(tmp_path / "out", program, str(TASKS), str(CORES), options=options)
    assert done.returncode == 0, done.stderr
    paths = sorted((tmp_path / "out").iterdir())
    traces = [load(path) for path in paths]
    assert int(paths[0].name.split(".")[1]) > 1
    sizes = [sum(file.stat().st_size for file in path.iterdir()) for path in paths]
    assert sum(sizes) - max(sizes) <= 200_000  # room is made for a part like those before
    [note] = [note for note in traces[-1].meta.notes if "quota" in note]
    removed = int(note.split(": ")[1].split(" records")[0].replace(",", ""))
    assert note.startswith("long.0001.lanes")
    assert removed + totals(traces, "total") == 2 * TASKS
    assert closed(traces)


def test_a_killed_collector_leaves_parts_and_a_rest_to_recover(
    tmp_path: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, tasks = tmp_path / "out", 2_000_000
    options = ["--chip-swimlane=2", "--rotate", "8MB", "-o", str(out)]
    collector = subprocess.Popen([*COLLECT, *options, "--", str(program), str(tasks), str(CORES)])
    wait_for(lambda: len(list(out.glob("long.*.lanes"))) >= 1)
    collector.kill()
    collector.wait()
    kept = {path.name for path in out.glob("long.*.lanes")}
    wait_for(lambda: main(["recover", str(out / "long.capture")]) != 2)
    capsys.readouterr()
    paths = sorted(out.glob("long.*.lanes"))
    assert kept <= {path.name for path in paths}
    traces = [load(path) for path in paths]
    assert all(e.closes and not e.unknown for trace in traces for e in trace.meta.ledger)
    ids = np.concatenate([trace.tasks["task"] for trace in traces])
    assert len(np.unique(ids)) == len(ids)
    assert totals(traces, "total") == 2 * tasks
    assert any("cut into parts" in note for note in traces[-1].meta.notes)


def wait_for(holds: object, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--rotate", "5"], "expected a time like 10min or a size like 2GB, found '5'"),
        (["--rotate", "0s"], "expected a time like 10min or a size like 2GB, found '0s'"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["lanescope"])
        try:
            code = main(["collect", *options, "--", "true"])
        except SystemExit as stopped:
            code = int(str(stopped.code))
    assert code == 2
    assert problem in capsys.readouterr().err


def test_a_part_that_cannot_be_stored_is_in_the_rest(
    tmp_path: Path,
    cut_capture: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the traces should go there is a file. The tests keep their own priority."""
    whole = rebuild(cut_capture).trace
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("os.nice", lambda step: 0)
    assert part_job.main([str(cut_capture), str(tmp_path / "file" / "a.lanes"), "", "0"]) == 1
    assert "could not be written (" in capsys.readouterr().err
    assert load_state(cut_capture) is None
    assert keys_of([assemble(read_rest(cut_capture).contents)]) == keys_of([whole])


def test_a_process_that_fails_is_a_problem_of_the_rotation(tmp_path: Path) -> None:
    session = SimpleNamespace(part=3, draining_part=3, directory=tmp_path, spool_bytes=0, buffers=0)
    rotation = Rotation(tmp_path / "a.lanes", bytes=1)
    rotator = Rotator(session, rotation, "")  # type: ignore[arg-type]
    rotator.look()
    rotator.finish()
    [problem] = rotator.problems
    assert problem.startswith("a part could not be stored while it was recorded (")
    assert "No such file or directory" in problem
    assert rotator.stored == []


def test_traces_of_an_earlier_recording_are_left_alone(tmp_path: Path, program: Path) -> None:
    """Also where only a later part of it is still there."""
    (tmp_path / "out" / "long.0007.lanes").mkdir(parents=True)
    (tmp_path / "out" / "long.0007.lanes" / "mine").write_text("")
    options = ("--chip-swimlane=2", "--rotate", "1h")
    done = collected(tmp_path / "out", program, "1000", str(CORES), options=options)
    assert done.returncode == 0, done.stderr
    assert "is there already, so this is long-2.lanes" in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "long-2.0001.lanes",
        "long.0007.lanes",
    ]
