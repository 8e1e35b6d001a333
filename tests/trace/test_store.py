"""Traces on disk: whole or not there, and readable by others."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from lanescope.errors import InputError, OutputError, UsageError
from lanescope.trace import SCHEMA, Trace, filling, load, replacing, save


def assert_same(one: Trace, other: Trace) -> None:
    assert one.meta == other.meta
    for name, schema in SCHEMA.items():
        for column in schema.columns:
            if column.type == "word":
                assert one.text(name, column.name) == other.text(name, column.name)
            else:
                left, right = one.table(name)[column.name], other.table(name)[column.name]
                np.testing.assert_array_equal(left, right)
                assert left.dtype == right.dtype == column.dtype


def test_a_stored_trace_comes_back_whole(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    assert_same(load(tmp_path / "tiny.lanes"), trace)


def test_counters_above_2_to_the_53_survive_exactly(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    back = load(tmp_path / "tiny.lanes")
    assert back.tasks["start_cycles"].tolist()[:3] == [2**53 + 1, 2**53 + 10, 2**53 + 6]
    assert back.meta.base_cycles == 2**63 - 1


def test_missing_values_are_nulls_and_words_are_text_in_the_files(
    trace: Trace, tmp_path: Path
) -> None:
    save(trace, tmp_path / "tiny.lanes")
    table = pq.read_table(tmp_path / "tiny.lanes" / "tasks.parquet")
    assert table["start_ns"].to_pylist() == [10, 100, 60, None]
    assert table["kind"].to_pylist() == ["run", "run", "run", "dummy"]
    assert table["core"].to_pylist() == [0, 0, 1, None]


def test_duckdb_answers_questions_about_the_files(trace: Trace, tmp_path: Path) -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    folder = save(trace, tmp_path / "tiny.lanes")
    rows = duckdb.sql(
        f"""select f.name, count(*) as tasks, sum(end_ns - start_ns)::bigint as busy_ns
        from '{folder}/tasks.parquet' join '{folder}/functions.parquet' f using (func)
        where kind = 'run' group by f.name order by busy_ns desc"""
    ).fetchall()
    assert rows == [("QK", 2, 310), ("PV", 1, 80)]


def test_an_empty_trace_can_be_stored(trace: Trace, tmp_path: Path) -> None:
    save(Trace(meta=trace.meta), tmp_path / "empty.lanes")
    assert len(load(tmp_path / "empty.lanes").tasks) == 0


def test_only_the_tables_asked_for_are_read(trace: Trace, tmp_path: Path) -> None:
    path = save(trace, tmp_path / "tiny.lanes")
    (tmp_path / "tiny.lanes" / "tasks.parquet").unlink()
    part = load(path, tables=("edges", "functions"))
    assert part.meta == trace.meta
    assert part.text("functions", "name") == ["QK", "PV"]
    assert (len(part.edges), len(part.tasks), len(part.cores)) == (3, 0, 0)
    assert len(load(path, tables=()).edges) == 0
    with pytest.raises(UsageError, match=r"expected tables of tasks, phases, .*, found 'speed'"):
        load(path, tables=("edges", "speed"))


def test_saving_again_replaces_the_old_trace(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    save(trace.with_meta(level=1), tmp_path / "tiny.lanes")
    assert load(tmp_path / "tiny.lanes").meta.level == 1
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.lanes"]


def test_saving_again_works_where_directories_cannot_be_swapped(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacing, "_exchange", lambda *_: False)
    save(trace, tmp_path / "tiny.lanes")
    save(trace.with_meta(level=1), tmp_path / "tiny.lanes")
    assert load(tmp_path / "tiny.lanes").meta.level == 1
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.lanes"]


def test_a_trace_being_replaced_is_there_at_every_moment(trace: Trace, tmp_path: Path) -> None:
    """Another thread looks all the time while the trace is replaced again and again."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    if not replacing._exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot swap directories")
    path = tmp_path / "tiny.lanes"
    save(trace, path)
    stop = threading.Event()
    missed = []

    def look() -> None:
        while not stop.is_set():
            if not (path / "meta.json").is_file():
                missed.append(1)

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(30):
        save(trace, path)
    stop.set()
    thread.join()
    assert missed == []


def test_a_directory_that_is_no_trace_is_left_alone(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("dear")
    with pytest.raises(OutputError, match="exists and is no lanescope trace"):
        save(trace, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "dear"


def test_a_full_disk_leaves_the_old_trace_and_nothing_else(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(trace, tmp_path / "tiny.lanes")

    def full(*_args: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(filling.pq.ParquetWriter, "write_table", full)
    with pytest.raises(OutputError, match="No space left on device"):
        save(trace.with_meta(level=1), tmp_path / "tiny.lanes")
    assert load(tmp_path / "tiny.lanes").meta.level == 2
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.lanes"]


LIMITED = """
import resource, signal, sys
from pathlib import Path
from benchmarks.make_run import make_run
from lanescope.cli import main
make_run(2000, Path("run"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
sys.exit(main(["import", "run", "-o", "out"]))
"""


def test_a_real_failing_write_is_one_sentence(tmp_path: Path) -> None:
    """The system refuses files above 20 kB, in the middle of a Parquet file."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        cwd=tmp_path,
        env={"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "could not be written" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_an_unwritable_place_is_one_sentence(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="could not be written"):
        save(trace, tmp_path / "file" / "tiny.lanes")


def test_killing_the_writer_leaves_the_old_trace(trace: Trace, tmp_path: Path) -> None:
    """kill -9 between the tables and meta.json: the new directory was never put in place."""
    save(trace, tmp_path / "tiny.lanes")
    script = (
        "import os, signal, sys\n"
        "from lanescope.trace import load, save, store\n"
        "store.msgspec.json.format = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\n"
        "trace = load(sys.argv[1])\n"
        "save(trace.with_meta(level=1), sys.argv[1])\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "tiny.lanes")]
    assert subprocess.run(command, check=False).returncode == -9
    assert load(tmp_path / "tiny.lanes").meta.level == 2
    assert len(list(tmp_path.iterdir())) == 2
    save(trace, tmp_path / "tiny.lanes")
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.lanes"]


def test_the_disk_has_every_file_before_the_trace_has_its_name(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And then the name. What the trace was made of can be deleted after that."""
    synced: list[tuple[str, bool]] = []
    target = tmp_path / "tiny.lanes"

    def sync(handle: int) -> None:
        name = Path(f"/proc/self/fd/{handle}").readlink().name
        synced.append((name, target.exists()))

    monkeypatch.setattr(replacing.os, "fsync", sync)
    save(trace, target)
    *files, folder, last = synced
    assert sorted(files) == sorted((file.name, False) for file in target.iterdir())
    assert folder[0].startswith(".tiny.lanes.") and not folder[1]
    assert last == (tmp_path.name, True)


def test_what_a_living_writer_has_is_left_alone(trace: Trace, tmp_path: Path) -> None:
    """Its process number says nothing: the writer may be in another container."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from lanescope.trace.replacing import replace_directory\n"
        "def write(folder):\n"
        "    print(folder.name, flush=True)\n"
        "    sys.stdin.readline()\n"
        "    (folder / 'meta.json').write_text('the other one')\n"
        "replace_directory(Path(sys.argv[1]), write)\n"
    )
    target = tmp_path / "tiny.lanes"
    command = [sys.executable, "-c", script, str(target)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as writer:  # type: ignore[call-overload]
        draft = tmp_path / writer.stdout.readline().strip()
        nobodys = draft.with_name(f".tiny.lanes.draft-{'x' * 8}")
        nobodys.mkdir()
        save(trace, target)
        assert draft.is_dir()
        assert not nobodys.exists()
        writer.communicate("go on\n")
    assert writer.returncode == 0
    assert (target / "meta.json").read_text() == "the other one"
    assert list(tmp_path.iterdir()) == [target]


def test_another_schema_version_is_refused(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    file = tmp_path / "tiny.lanes" / "meta.json"
    meta = json.loads(file.read_text())
    file.write_text(json.dumps({**meta, "schema_version": 2, "news": True}))
    with pytest.raises(InputError, match="has trace schema version 2, this lanescope reads"):
        load(tmp_path / "tiny.lanes")


@pytest.mark.parametrize("name", ["meta.json", "tasks.parquet"])
def test_a_damaged_file_is_named(trace: Trace, tmp_path: Path, name: str) -> None:
    save(trace, tmp_path / "tiny.lanes")
    (tmp_path / "tiny.lanes" / name).write_bytes(b"{")
    with pytest.raises(InputError, match=f"{name}: is damaged"):
        load(tmp_path / "tiny.lanes")


def test_a_missing_table_is_named(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    (tmp_path / "tiny.lanes" / "edges.parquet").unlink()
    with pytest.raises(InputError, match=r"edges\.parquet: is missing from the trace"):
        load(tmp_path / "tiny.lanes")


def test_a_column_of_another_type_is_named(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    file = tmp_path / "tiny.lanes" / "tasks.parquet"
    table = pq.read_table(file)
    index = table.column_names.index("start_ns")
    pq.write_table(table.set_column(index, "start_ns", table["start_ns"].cast("string")), file)
    (file.parent / "checksums.json").unlink()
    with pytest.raises(InputError, match="column 'start_ns' is not of type i64"):
        load(tmp_path / "tiny.lanes")


def test_a_column_that_is_gone_is_named(trace: Trace, tmp_path: Path) -> None:
    file = _without_checksums(trace, tmp_path / "tiny.lanes")
    pq.write_table(pq.read_table(file).drop_columns(["start_ns"]), file)
    with pytest.raises(InputError) as refused:
        load(file.parent)
    assert str(refused.value) == f"{file}: has no column 'start_ns'; import the source again"


def test_a_column_of_text_under_another_name_is_named(trace: Trace, tmp_path: Path) -> None:
    file = _without_checksums(trace, tmp_path / "tiny.lanes")
    table = pq.read_table(file)
    pq.write_table(table.rename_columns([name.upper() for name in table.column_names]), file)
    with pytest.raises(InputError, match=r"tasks\.parquet: is damaged \(it has no column '\w+'\)"):
        load(file.parent)


def test_a_column_of_other_levels_is_refused_before_arrow_ends_the_process(
    trace: Trace, tmp_path: Path
) -> None:
    file = _without_checksums(trace, tmp_path / "tiny.lanes")
    # The footer's entry of a column: field 3 is its repetition (1, optional), field 4 its name.
    optional, required = b"\x25\x02\x18\x04core", b"\x25\x00\x18\x04core"
    assert file.read_bytes().count(optional) == 1
    file.write_bytes(file.read_bytes().replace(optional, required))
    with pytest.raises(InputError, match=r"column 'core' has levels \(0, 0\) and not \(1, 0\)"):
        load(file.parent)


def _without_checksums(trace: Trace, folder: Path) -> Path:
    save(trace, folder)
    (folder / "checksums.json").unlink()
    return folder / "tasks.parquet"


def test_what_is_no_trace_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such trace"):
        load(tmp_path / "none.lanes")
    with pytest.raises(InputError, match="is no lanescope trace"):
        load(tmp_path)


@pytest.mark.parametrize("file", ["meta.json", "checksums.json"])
def test_values_too_deep_are_one_sentence(trace: Trace, tmp_path: Path, file: str) -> None:
    save(trace, tmp_path / "tiny.lanes")
    deep = b'{"schema_version": 1, "files": {}, "extra": ' + b'{"a": ' * 100_000
    (tmp_path / "tiny.lanes" / file).write_bytes(deep)
    with pytest.raises(InputError, match=f"{file}: is damaged"):
        load(tmp_path / "tiny.lanes")
