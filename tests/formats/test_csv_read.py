"""Tables as CSV, read again: by what is in them, damaged ones with one sentence."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from tests.formats.perfetto_engine import trace_of

from lanescope.errors import InputError
from lanescope.formats import export, import_trace
from lanescope.formats.csv_read import recognises
from lanescope.formats.look import FileLook
from lanescope.formats.registry import IMPORTERS
from lanescope.trace import SCHEMA, Trace


@pytest.fixture
def trace() -> Trace:
    return trace_of(
        functions={"func": [0, 1], "name": ['a, "b"\nc', ""]},
        tasks={"task": [1, 2], "func": [0, None], "start_ns": [1, 5], "end_ns": [4, None]},
        counters={"name": ["x", None], "value": [0.1, None]},
    )


def test_the_importer_knows_every_table() -> None:
    [importer] = [one for one in IMPORTERS if one.name == "csv"]
    assert set(importer.mains) | set(importer.companions) == {*SCHEMA, "meta"}


def test_texts_keep_quotes_lines_and_emptiness(trace: Trace, tmp_path: Path) -> None:
    export(trace, tmp_path / "out", to="csv")
    back = import_trace(tmp_path / "out")
    for name in SCHEMA:
        assert back.table(name).to_dict() == trace.table(name).to_dict()


def test_one_table_alone_is_a_trace(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    export(trace, tmp_path / "tasks.csv", to="csv")
    packed = tmp_path / "one" / "renamed.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "tasks.csv").read_bytes()))
    back = import_trace(packed)
    assert back.tasks.to_dict() == trace.tasks.to_dict()
    assert back.meta.notes == (
        "The tables came without meta.json: level, clock and origin are not known.",
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("tasks.csv", b"\n1,", b"\n1,2,3,", "is no exported table tasks"),
        ("tasks.csv", b"\n1,", b"\none,", "is no exported table tasks"),
        ("meta.json", b'"origin":"imported"', b'"origin":7', "does not say what a trace says"),
        ("meta.json", b'"imported"', b'"import\xffd"', "does not say what a trace says"),
    ],
)
def test_a_damaged_file_is_refused(
    trace: Trace, tmp_path: Path, name: str, old: bytes, new: bytes, problem: str
) -> None:
    export(trace, tmp_path / "out", to="csv")
    file = tmp_path / "out" / name
    assert old in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        import_trace(tmp_path / "out")
    assert problem in caught.value.problem and caught.value.problem.endswith(
        "; export the trace again"
    )


def kind(path: Path, text: str | bytes) -> str | None:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return recognises(FileLook(path))


NAMES = [column.name for column in SCHEMA["functions"].columns]
LATER = [column.name for column in SCHEMA["tasks"].columns if column.since]
TASKS = [column.name for column in SCHEMA["tasks"].columns]


def head(*names: str) -> str:
    return ",".join(f'"{name}"' for name in names) + "\n"


def test_a_table_is_told_by_all_its_columns_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert kind(path, head(*NAMES)) == "functions"
    assert kind(path, head(*reversed(NAMES))) == "functions"
    assert kind(path, head(*NAMES[1:])) is None
    assert kind(path, head(*NAMES, "more")) is None
    assert kind(path, ",".join(NAMES) + "\n") is None
    assert kind(path, b'"\xff"\n') is None


def test_columns_of_later_versions_may_be_absent(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    old = [name for name in TASKS if name not in LATER]
    assert LATER and kind(path, head(*old)) == "tasks"
    assert kind(path, head(*old, LATER[0])) == "tasks"
    path.write_text(head(*old) + ",".join("7" if name == "task" else "" for name in old) + "\n")
    back = import_trace(path)
    assert back.tasks["task"].tolist() == [7]
    for name in LATER:
        column = SCHEMA["tasks"].column(name)
        assert back.tasks[name].tolist() == [column.missing]


@pytest.mark.parametrize("without", ["schema_version", "name", "tool", "origin"])
def test_what_a_trace_says_of_itself_has_a_version_a_name_a_tool_and_an_origin(
    tmp_path: Path, without: str
) -> None:
    told = {"schema_version": 1, "name": "a", "tool": "b", "origin": "imported", "more": 1}
    assert kind(tmp_path / "meta.json", json.dumps(told)) == "meta"
    assert kind(tmp_path / "other.json", json.dumps(told)) is None
    del told[without]
    assert kind(tmp_path / "meta.json", json.dumps(told)) is None
    assert kind(tmp_path / "meta.json", "[1]") is None


def test_tables_without_tasks_have_no_level(trace: Trace, tmp_path: Path) -> None:
    export(trace, tmp_path / "one" / "functions.csv", to="csv", table="functions")
    export(trace, tmp_path / "two" / "tasks.csv", to="csv")
    one, two = (import_trace(tmp_path / name) for name in ("one", "two"))
    assert (one.meta.level, one.meta.flags, one.meta.name) == (0, 0, "one")
    assert (two.meta.level, two.meta.flags, two.meta.origin) == (1, 1, "imported")


def test_the_name_is_that_of_the_folder_and_notes_are_kept(trace: Trace, tmp_path: Path) -> None:
    export(trace.with_meta(name="old", notes=("one",)), tmp_path / "out", to="csv")
    back = import_trace(tmp_path / "out")
    assert (back.meta.name, back.meta.notes) == ("out", ("one",))
    assert {source.format for source in back.meta.sources} == {*SCHEMA, "meta"}


def test_only_a_quote_before_a_formula_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "functions.csv"
    texts = ["'=1", "'x", "", "'", "a"]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(NAMES)
        for number, text in enumerate(texts):
            writer.writerow([text if name == "name" else number for name in NAMES])
    assert import_trace(path).text("functions", "name") == ["=1", "'x", "", "'", "a"]
