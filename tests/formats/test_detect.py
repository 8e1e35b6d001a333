"""Who knows a file: the first importer that says so, whatever the others think of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lanescope.errors import InputError, PluginError, PluginWarning
from lanescope.formats import Importer
from lanescope.formats.detect import Detected, detect
from lanescope.formats.look import FileLook
from lanescope.plugins import forget


def importer(name: str, told: object, *, endings: tuple[str, ...] = (".json",)) -> Importer:
    """It answers with `told`, or raises it."""

    def recognises(look: FileLook) -> str | None:
        if isinstance(told, Exception):
            raise told
        return told if isinstance(told, str) else None

    return Importer(
        name=name,
        reads=name,
        files=name,
        endings=endings,
        recognises=recognises,
        read=lambda bundle: iter(()),
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.json"
    path.write_text('{"a": 1}')
    return path


def test_the_first_that_knows_a_file_has_it(file: Path) -> None:
    no, first, second = importer("no", None), importer("first", "x"), importer("second", "y")
    one = detect(file, (no, first, second))
    assert (one.importer, one.kind, one.bytes) == (first, "x", 8)
    assert one.json is not None and list(one.json.values) == ["a"]


def test_a_file_that_nobody_knows(file: Path) -> None:
    assert detect(file, (importer("no", None),)) == Detected(file, None, "", None, 8)


def test_an_objection_counts_only_where_nobody_knows_the_file(file: Path) -> None:
    mine_but_bad = importer("bad", InputError(file, "is mine and broken"))
    knows = importer("knows", "x")
    assert detect(file, (mine_but_bad, knows)).importer == knows
    with pytest.raises(InputError, match="is mine and broken"):
        detect(file, (mine_but_bad, importer("no", None)))


def test_an_importer_of_another_package_that_fails_is_passed_over(file: Path) -> None:
    fails, knows = importer("fails", PluginError("package p 1 failed")), importer("knows", "x")
    forget()
    with pytest.warns(PluginWarning) as caught:
        assert detect(file, (fails, knows)).importer == knows
        assert detect(file, (fails, knows)).importer == knows
    assert [str(one.message) for one in caught] == ["package p 1 failed"]


def asks_for_json(look: FileLook) -> str | None:
    return "x" if look.json is not None else None


JSON = Importer(
    name="j",
    reads="j",
    files="j",
    endings=(".json", ".db"),
    recognises=asks_for_json,
    read=lambda bundle: iter(()),
)


def test_what_claims_to_be_json_and_is_not_is_refused(tmp_path: Path) -> None:
    for name, text in (("a.json", '{"a": '), ("b.json", "no JSON"), ("c.txt", '{"a": ')):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(InputError, match="is not valid JSON"):
            detect(path, (JSON,))


def test_a_file_whose_ending_is_of_another_kind_need_not_be_json(tmp_path: Path) -> None:
    for name in ("a.db", "a.txt"):
        path = tmp_path / name
        path.write_text("something else")
        assert detect(path, (JSON,)).importer is None


def test_a_look_into_a_packed_file_sees_what_is_packed(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'\n {"a": 1}'))
    look = FileLook(path)
    assert (look.head, look.start, look.shape, look.size) == (
        b'\n {"a": 1}',
        b'{"a": 1}',
        "object",
        10,
    )
    assert look.json is not None and "a" in look.json


@pytest.mark.parametrize(
    ("name", "text", "shape"),
    [
        ("a.json", '{"a": 1}', "object"),
        ("a.json", " [1]", "array"),
        ("a.json", '{"a": 1}\n{"a": 2}\n', "lines"),
        ("a.jsonl", '{"a": 1}', "lines"),
        ("a.csv", "[1]", "other"),
        ("a.db", "SQLite format 3", "other"),
        ("a.json", " " * 5000 + "{}", "object"),
    ],
)
def test_the_shape_of_a_file(tmp_path: Path, name: str, text: str, shape: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert FileLook(path).shape == shape
