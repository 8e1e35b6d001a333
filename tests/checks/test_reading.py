"""What is left of a run when files, or parts of them, cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.checks.folders import RECORDS, deps, put, records
from tests.checks.simpler.test_folders import holding

from lanescope.checks.finding import CheckFinding
from lanescope.checks.reading import Folder, ReadRun, look, read_run, read_stored, unreadable
from lanescope.errors import InputError
from lanescope.formats.detect import Detected
from lanescope.formats.registry import IMPORTERS
from lanescope.trace import save

CHROME = next(one for one in IMPORTERS if one.name == "chrome")


def test_copies_in_another_format_make_a_run_where_nothing_else_is() -> None:
    place = Path("run")
    own = holding(place, "records", "deps").files
    copy = Detected(place / "copy.json", CHROME, "chrome")
    assert CHROME.copies
    assert Folder(place, (copy, *own)).mains == [own[0]]
    assert Folder(place, (copy, copy)).mains == [copy, copy]
    assert Folder(place, (copy, own[1])).mains == []
    assert Folder(place, (own[1],)).mains == []
    assert Folder(place, (*own, own[0])).mains == [own[0], own[0]]


def test_files_that_nobody_knows_are_passed_over_and_damaged_ones_named(tmp_path: Path) -> None:
    put(tmp_path, a="{", b=records(1), c={"what": 1}, d='{"a"')
    paths = [tmp_path / f"{name}.json" for name in "abcd"]
    found = look(tmp_path, paths, IMPORTERS)
    assert [one.path.name for one in found.files] == ["b.json"]
    assert [(one.producer, one.kind) for one in found.findings] == [
        ("file a.json", "unreadable"),
        ("file d.json", "unreadable"),
    ]


STAYED = "Everything else was checked without it."


@pytest.mark.parametrize(
    ("content", "part", "said", "cause"),
    [
        ("x" * 1_234, "", "a.json (1,234 bytes) cannot be read: it is bad.", STAYED),
        ("x", "tasks", "'tasks' of a.json cannot be read: it is bad.", STAYED),
        (
            "",
            "",
            "a.json (0 bytes) cannot be read: it is bad.",
            "An empty file: its writer was stopped before it wrote, or the disk was full.",
        ),
        (
            None,
            "",
            "a.json (0 bytes) cannot be read: it is bad.",
            "An empty file: its writer was stopped before it wrote, or the disk was full.",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_one_finding(
    content: str | None, part: str, said: str, cause: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.json"
    if content is not None:
        file.write_text(content)
    error = InputError(file, "it is bad; --keep-damaged keeps it")
    assert unreadable(file, error, part) == CheckFinding(
        producer="file a.json", kind="unreadable", count=1, sentence=said, cause=cause
    )


def read(folder: Path, **files: Any) -> ReadRun:
    put(folder, **files)
    return read_run("run", folder, look(folder, sorted(folder.iterdir()), IMPORTERS).files)


def sentences(run: ReadRun) -> list[str]:
    return [one.sentence.partition(" cannot")[0] for one in run.findings]


def test_a_whole_run_is_read_without_a_finding(tmp_path: Path) -> None:
    run = read(tmp_path, records=records(3), deps=deps((1, 2)))
    assert (len(run.traces), run.findings, run.partly) == (1, [], False)
    assert read_run("run", tmp_path, []) == ReadRun()


def test_every_damaged_part_is_left_out_and_the_others_are_kept(tmp_path: Path) -> None:
    file = records(4)
    file["scheduler_tasks"]["records"][0][2] = "soon"
    file["aicpu_orchestrator_phases"][0][0]["start_cycles"] = "soon"
    run = read(tmp_path, records=file, deps=deps((1, 2)))
    assert sorted(sentences(run)) == [
        f"'aicpu_orchestrator_phases' of {RECORDS}",
        f"'scheduler_tasks' of {RECORDS}",
    ]
    assert run.partly
    [trace] = run.traces
    lanes = trace.phases.text("lane")
    assert (len(trace.tasks), set(lanes), len(trace.edges)) == (11, {"scheduler"}, 1)


def test_a_companion_that_cannot_be_read_leaves_the_records_whole(tmp_path: Path) -> None:
    graph = deps((1, 2))
    graph["edges"][0]["pred"] = "first"
    run = read(tmp_path, records=records(2), deps=graph)
    assert (len(run.traces), run.partly) == (1, False)
    assert [one.producer for one in run.findings] == ["file deps.json"]
    assert run.findings[0].sentence.startswith("deps.json (")
    undeclared = deps((1, 2))
    undeclared["tasks"] = 5
    run = read(tmp_path, deps=undeclared)
    assert (sentences(run), run.partly) == (["'tasks' of deps.json"], True)
    assert len(run.traces[0].edges) == 1


def test_records_that_cannot_be_read_leave_their_companions(tmp_path: Path) -> None:
    file = records(2)
    file["metadata"]["clock_freq_hz"] = "fast"
    run = read(tmp_path, records=file, deps=deps((1, 2)))
    assert [one.producer for one in run.findings] == [f"file {RECORDS}"]
    assert run.partly
    assert [len(trace.edges) for trace in run.traces] == [1]
    (tmp_path / "deps.json").unlink()
    alone = read(tmp_path)
    assert (alone.traces, len(alone.findings), alone.partly) == ([], 1, True)


def test_a_stored_trace_is_read_table_by_table(tmp_path: Path) -> None:
    whole = read(tmp_path / "run", records=records(3)).traces[0]
    save(whole, tmp_path / "a.lanes")
    run = read_stored(tmp_path / "a.lanes")
    assert (run.findings, run.partly, run.traces[0].meta.level) == ([], False, 3)
    assert run.traces[0].phases.text("kind") == whole.phases.text("kind")
    (tmp_path / "a.lanes" / "phases.parquet").write_bytes(b"x")
    run = read_stored(tmp_path / "a.lanes")
    assert [one.producer for one in run.findings] == ["file phases.parquet"]
    assert (run.partly, len(run.traces[0].phases), len(run.traces[0].tasks)) == (True, 0, 9)
    (tmp_path / "a.lanes" / "checksums.json").write_text("{")
    run = read_stored(tmp_path / "a.lanes")
    assert ([one.producer for one in run.findings], run.traces) == (["file checksums.json"], [])
