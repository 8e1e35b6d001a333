"""Tables as CSV, read again: by what is in them, damaged ones with one sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.formats.perfetto_engine import trace_of

from lanescope.errors import InputError
from lanescope.formats import export, import_trace
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
