"""Tables as CSV: exact numbers, empty cells for what is not known."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from tests.formats.simpler.runs import read, records, rows

import lanescope
from lanescope.errors import OutputError, UsageError
from lanescope.formats.csv_tables import write_csv
from lanescope.formats.written import FilesExport
from lanescope.trace import SCHEMA, Trace

BIG = (1 << 62) + 1


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    content = records(
        aicore_tasks=[[0, BIG, 1, 100, 200]],
        aicpu_tasks=[[0, 1, 90, 210], [1, 5, 95, 220]],
    )
    names = {"callable_id_to_name": {"0": 'a, "quoted"\nname µ'}}
    deps = {"tasks": [{"task_id": str(BIG), "kernel_ids": [0, -1, -1]}], "edges": []}
    return read(tmp_path / "run", records=content, name_map_x=names, deps=deps)


def cells(path: Path, *columns: str) -> list[tuple[str, ...]]:
    with path.open(newline="") as file:
        return [tuple(row[name] for name in columns) for row in csv.DictReader(file)]


def test_a_folder_has_one_file_per_table(trace: Trace, tmp_path: Path) -> None:
    written = write_csv(trace, tmp_path / "out").files
    assert written == (*(f"{name}.csv" for name in SCHEMA), "meta.json")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(written)
    for name, schema in SCHEMA.items():
        header = (tmp_path / "out" / f"{name}.csv").read_text().splitlines()[0]
        assert header == ",".join(f'"{column.name}"' for column in schema.columns)


def test_missing_values_are_empty_cells(trace: Trace, tmp_path: Path) -> None:
    write_csv(trace, tmp_path / "tasks.csv")
    columns = ("task", "kind", "token", "func", "start_ns", "dispatch_cycles")
    assert cells(tmp_path / "tasks.csv", *columns) == [
        (str(BIG), "run", "1", "0", "200", "90"),
        ("", "run", "5", "", "", "95"),
    ]


def test_text_is_quoted(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    assert write_csv(trace, path, table="functions") == FilesExport(
        output=str(path), format="csv", files=("f.csv",)
    )
    assert cells(tmp_path / "f.csv", "func", "name") == [("0", 'a, "quoted"\nname µ')]


def test_a_name_that_ends_in_gz_is_compressed(trace: Trace, tmp_path: Path) -> None:
    write_csv(trace, tmp_path / "tasks.csv.gz")
    write_csv(trace, tmp_path / "tasks.csv")
    packed = gzip.decompress((tmp_path / "tasks.csv.gz").read_bytes())
    assert packed == (tmp_path / "tasks.csv").read_bytes()


def test_an_older_export_is_replaced(trace: Trace, tmp_path: Path) -> None:
    write_csv(trace, tmp_path / "out")
    assert write_csv(trace, tmp_path / "out", table="cores").files == ("cores.csv",)
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["cores.csv"]
    write_csv(trace, tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == len(SCHEMA) + 1


def test_a_folder_of_other_files_is_left_alone(trace: Trace, tmp_path: Path) -> None:
    write_csv(trace, tmp_path / "out", table="tasks")
    (tmp_path / "out" / "thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="exists and is no exported table folder"):
        write_csv(trace, tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["tasks.csv", "thesis.txt"]


def test_an_unknown_table_is_refused(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        write_csv(trace, tmp_path / "out", table="taks")
    assert str(caught.value) == f"no table 'taks'; a trace has {', '.join(SCHEMA)}"


def test_an_output_below_a_file_is_refused(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name in ("out", "out.csv"):
        with pytest.raises(OutputError, match="could not be written"):
            write_csv(trace, tmp_path / "file" / name)


def test_every_row_is_written(trace: Trace, tmp_path: Path) -> None:
    write_csv(trace, tmp_path / "cores.csv", table="cores")
    expected = [(str(core), name) for core, name in rows(trace, "cores", "core", "name")]
    assert cells(tmp_path / "cores.csv", "core", "name") == expected


def test_a_name_is_no_formula_and_reads_back_as_it_was(tmp_path: Path) -> None:
    names = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'=x", "'x", "x=1", " =x"]
    content = records(aicore_tasks=[[0, 1, 1, 100, 200]], aicpu_tasks=[[0, 1, 90, 210]])
    named = {"callable_id_to_name": dict(enumerate(names))}
    trace = read(tmp_path / "run", records=content, name_map_x=named)
    write_csv(trace, tmp_path / "out")
    shown = [f"'{name}" for name in names[:7]] + names[7:]
    assert [name for (name,) in cells(tmp_path / "out" / "functions.csv", "name")] == shown
    assert cells(tmp_path / "out" / "tasks.csv", "start_ns") == [("200",)]
    again = lanescope.import_trace(tmp_path / "out")
    assert again.text("functions", "name") == names


def test_a_name_that_ends_in_zst_is_compressed_and_every_file_has_tasks(
    trace: Trace, tmp_path: Path
) -> None:
    assert write_csv(trace, tmp_path / "a.csv.zst").files == ("a.csv.zst",)
    write_csv(trace, tmp_path / "b.csv", table="tasks")
    assert (tmp_path / "a.csv.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    back = lanescope.import_trace(tmp_path / "a.csv.zst")
    assert back.tasks.to_dict() == lanescope.import_trace(tmp_path / "b.csv").tasks.to_dict()


def test_a_folder_of_one_table_says_nothing_of_the_trace(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "out"
    assert write_csv(trace, path, table="cores") == FilesExport(
        output=str(path), format="csv", files=("cores.csv",)
    )
    assert not (path / "meta.json").exists()


def test_an_empty_folder_is_filled(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert "meta.json" in write_csv(trace, tmp_path / "out").files


def test_a_file_is_not_replaced_by_a_folder(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("x")
    with pytest.raises(UsageError) as caught:
        write_csv(trace, path)
    assert str(caught.value) == (
        f"{path} exists and is no exported table folder; choose another with -o"
    )
    assert path.read_text() == "x"


def test_what_the_trace_says_of_itself_ends_with_its_line(trace: Trace, tmp_path: Path) -> None:
    write_csv(trace, tmp_path / "out")
    assert (tmp_path / "out" / "meta.json").read_bytes().endswith(b"}\n")
