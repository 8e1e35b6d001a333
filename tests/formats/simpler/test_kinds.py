"""Which of the runtime's files a file is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.formats.simpler.logs import run_lines
from tests.formats.simpler.runs import DEPS, GOOD, HOST, IDENTITY, PMU, SCOPES, lines

from lanescope.errors import InputError
from lanescope.formats.json_file import open_object
from lanescope.formats.look import FileLook
from lanescope.formats.simpler import kinds
from lanescope.formats.simpler.kinds import kind_of
from lanescope.formats.simpler.names import is_names, read_names

LOG = "\n".join(run_lines((5000, 320), 200)) + "\n"


def kind(path: Path, content: Any) -> str | None:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return kind_of(FileLook(path))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", GOOD, "records"),
        ("a.json", DEPS, "deps"),
        ("a.json", IDENTITY, "identity"),
        ("a.json", {"bin_format": {}, "args": []}, "arguments"),
        ("a.json", {"core_mhz": 5}, "core_streams"),
        ("a.json", {"7": "x"}, "names"),
        ("a.json", {"callable_id_to_name": {}}, "names"),
        ("a.json", {"name": "x"}, None),
        ("a.json", {**GOOD, "traceEvents": []}, None),
        ("a.json", [1], None),
        ("a.jsonl", lines(*SCOPES), "scopes"),
        ("a.jsonl", lines(HOST), "host_phases"),
        ("a.jsonl", lines({"clock": "host_monotonic_ns"}), None),
        ("a.jsonl", lines({"records": []}), None),
        ("a.csv", PMU, "pmu"),
        ("a.csv", "a,b\n", None),
        ("a.log", LOG, "host_log"),
        ("a.txt", LOG, "host_log"),
        ("a.log", json.dumps(GOOD), None),
        ("core_1.chip6", "any", "core_stream"),
        ("a.json.gz", gzip.compress(json.dumps(GOOD).encode()), "records"),
    ],
)
def test_a_file_is_told_by_what_it_holds(
    tmp_path: Path, name: str, content: Any, expected: str | None
) -> None:
    assert kind(tmp_path / name, content) == expected


@pytest.mark.parametrize("content", [lines(*SCOPES), PMU])
@pytest.mark.parametrize(("ending", "codec"), [("gz", "gzip"), ("zst", "zstd")])
def test_lines_and_tables_are_read_only_unpacked(
    tmp_path: Path, ending: str, codec: str, content: str
) -> None:
    packed = pa.compress(content.encode(), codec=codec, asbytes=True)
    with pytest.raises(InputError) as caught:
        kind(tmp_path / f"a.jsonl.{ending}", packed)
    assert caught.value.problem == (
        "is packed, and only JSON is read packed; unpack it with gunzip or unzstd"
    )


def test_a_pmu_table_of_another_shape_is_refused_with_its_first_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        kind(tmp_path / "pmu.csv", "core;" + "x" * 90 + "\n1\n")
    assert caught.value.problem == (
        f"line 1: expected a header thread_id,core_id,…, found {'core;' + 'x' * 75!r}"
    )


def test_a_file_of_lines_is_held_in_memory_and_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = lines(*SCOPES)
    monkeypatch.setattr(kinds, "LARGEST_LINES_FILE", len(text))
    assert kind(tmp_path / "a.jsonl", text) == "scopes"
    with pytest.raises(InputError) as caught:
        kind(tmp_path / "a.jsonl", text + "\n")
    assert caught.value.problem == (
        f"has {len(text) + 1} bytes, more than {len(text)} for such a file"
    )


def names(folder: Path, content: Any) -> dict[int, str]:
    (folder / "a.json").write_text(json.dumps(content))
    return read_names(open_object(folder / "a.json"))


def test_names_are_by_number(tmp_path: Path) -> None:
    assert names(tmp_path, {"7": "a", "007": "a", "999999999": "c"}) == {7: "a", 999999999: "c"}
    assert names(tmp_path, {"callable_id_to_name": {"3": "a"}, "x": 1}) == {3: "a"}


def test_a_function_has_one_name(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        names(tmp_path, {"7": "a", "007": "b"})
    assert caught.value.problem == "function 7 has two names, 'a' and 'b'; keep one"


@pytest.mark.parametrize("key", ["x", "-1", "1000000000", "\u0663", "", "x" * 50])
def test_a_key_that_is_no_number_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError) as caught:
        names(tmp_path, {"callable_id_to_name": {"3": "a", key: "b"}})
    assert caught.value.problem == (
        f"'callable_id_to_name' has the key {key[:40]!r}, expected an id"
    )
    (tmp_path / "b.json").write_text(json.dumps({"3": "a", key: "b"}))
    assert not is_names(open_object(tmp_path / "b.json"))


def test_a_name_has_at_most_4096_characters(tmp_path: Path) -> None:
    assert names(tmp_path, {"7": "x" * 4096}) == {7: "x" * 4096}
    with pytest.raises(InputError) as caught:
        names(tmp_path, {"7": "x" * 4097})
    assert caught.value.problem == (
        "the name of function 7 has 4097 characters, at most 4096 are taken"
    )


def test_an_empty_object_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert not is_names(open_object(tmp_path / "a.json"))
