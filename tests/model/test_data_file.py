"""Data files in YAML: plain values with their places, and what is refused."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from lanescope.errors import InputError
from lanescope.model.data_file import data_names, read_data, read_document


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: int = 0


class Form(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    inner: Inner | None = None
    rows: list[Inner] = []


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "d.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(folder: Path, text: str | bytes) -> str:
    path = written(folder, text)
    with pytest.raises(InputError) as refused:
        read_data(path, Form)
    return str(refused.value).removeprefix(f"{path}: ")


def test_a_file_becomes_a_form(tmp_path: Path) -> None:
    text = "name: a\ninner: { size: 3 }\nrows: [{ size: 1 }, { size: 2 }]\n"
    assert read_data(written(tmp_path, text), Form) == Form("a", Inner(3), [Inner(1), Inner(2)])
    document = read_document(written(tmp_path, "name: a\nrows: [1, null, 2.5, [x]]\n"))
    assert document.content == {"name": "a", "rows": [1, None, 2.5, ["x"]]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("inner: 1\nname: a\n", "line 1, inner: expected `object | null`, got `int`"),
        ("name: a\nrows:\n- size: 1\n- size: x\n", "line 4, rows[1].size: expected `int`, got"),
        ("name: a\ninner:\n  size: x\n", "line 3, inner.size: expected `int`, got `str`"),
        ("name: a\nsize: 1\n", "line 2: object contains unknown field `size`"),
        (
            "name: a\ninner:\n  size: 1\n  x: 2\n",
            "line 4, inner: object contains unknown field `x`",
        ),
        ("inner: {}\n", "line 1: object missing required field `name`"),
        (
            "name: a\ninner: { size: 4.8e9 }\n",
            "line 2, inner.size: expected `int`, got `str` ('4.8e9' is text in YAML; write "
            "4_800_000_000 or 4.8e+9)",
        ),
        ("name: a\nname: b\n", "line 2: the key 'name' is given twice"),
        ("name: a\ninner: { size: 1, size: 2 }\n", "line 2 in inner: the key 'size' is given twi"),
        (
            "name: &x a\nrows: [*x]\n",
            "line 2: expected a value, found an alias (*x); write the value itself",
        ),
        ("name: a\nrows: [1, !!int x]\n", "line 2, rows[1]: expected a plain value"),
        ("name: a\n b\n: c\n", "line 3, column 1: expected YAML, found: "),
        (b"name: \xff\n", "expected YAML in UTF-8, found: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_what_is_wrong_has_its_line_and_key(
    text: str | bytes, sentence: str, tmp_path: Path
) -> None:
    assert refusal(tmp_path, text).startswith(sentence)


def test_values_are_at_most_32_deep(tmp_path: Path) -> None:
    """Lists one after the other are not deep, however many there are."""
    deep = "{{name: {}{}}}"
    assert read_document(written(tmp_path, deep.format("[" * 31, "]" * 31))).content["name"]
    many = "name: [" + "[1]," * 100 + "]"
    assert len(read_document(written(tmp_path, many)).content["name"]) == 100
    sentence = refusal(tmp_path, "\n" + deep.format("[" * 32, "]" * 32))
    assert sentence == "line 2: expected values at most 32 deep"


def test_a_file_of_a_mebibyte_is_read_and_no_more(tmp_path: Path) -> None:
    text = "name: a\n#".ljust(1 << 20, "x")
    assert read_data(written(tmp_path, text), Form) == Form("a")
    sentence = refusal(tmp_path, text + "x")
    assert sentence == "expected at most 1,048,576 bytes of YAML, found more"


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as none:
        read_document(tmp_path / "none.yaml")
    assert str(none.value) == f"{tmp_path / 'none.yaml'}: expected a YAML file, found none there"
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)$"):
        read_document(tmp_path)
    with pytest.raises(InputError, match="found an empty file"):
        read_document(written(tmp_path, ""))


def test_a_refusal_of_a_place_has_its_line(tmp_path: Path) -> None:
    text = "a:\n  b: 1\nc:\n- 2\n-\n  d: 3\n"
    document = read_document(written(tmp_path, text))
    places = {"a": 2, "a.b": 2, "c[0]": 4, "c[1]": 6, "c[1].d": 6, "c[2]": 4, "c": 4, "e": 1}
    found = {place: str(document.refusal(place, "no")) for place in places}
    path = tmp_path / "d.yaml"
    assert found == {place: f"{path}: line {line}, {place}: no" for place, line in places.items()}


def test_the_files_of_a_package_are_named_in_order() -> None:
    assert data_names("lanescope.model.cost") == ("emulator", "peer", "peer-charged", "rtl")
