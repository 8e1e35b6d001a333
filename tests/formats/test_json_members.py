"""Members of large objects and arrays: the same as a parser finds, whatever stands in strings."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.errors import InputError
from lanescope.formats import json_members
from lanescope.formats.json_file import as_object
from lanescope.formats.json_members import large_array, large_object
from lanescope.formats.json_rows import TextSpan

TEXTS = st.text(st.sampled_from('ab"\\\\[]{},: \n\u00e9'), max_size=90)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXTS, inner, max_size=6),
    max_leaves=40,
)


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_members, "LARGE", 0)


def span_of(text: bytes) -> TextSpan:
    data = np.frombuffer(text, np.uint8)
    return TextSpan(Path("file.json"), data, data)


@given(st.dictionaries(TEXTS, VALUES, max_size=8), st.sampled_from([None, 1, 4]))
def test_an_object_is_cut_as_a_parser_cuts_it(
    document: dict[str, object], indent: int | None
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False).encode()
    members = large_object(span_of(text))
    assert members is not None
    assert {key: msgspec.json.decode(part.data.data) for key, part in members.items()} == document


@given(st.lists(VALUES, max_size=8), st.sampled_from([None, 1, 4]))
def test_an_array_is_cut_as_a_parser_cuts_it(document: list[object], indent: int | None) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False).encode()
    members = large_array(span_of(text))
    assert members is not None
    assert [msgspec.json.decode(part.data.data) for part in members] == document


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4), st.data())
def test_an_object_that_is_cut_off_has_none(
    document: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(document).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    assert large_object(span_of(text[:cut])) is None


def test_many_members_come_in_pieces() -> None:
    count = 3 * (1 << 12) + 5
    text = json.dumps({f"k{n}": [n] for n in range(count)}).encode()
    members = large_object(span_of(text))
    assert members is not None
    assert [bytes(part.data) for part in members.values()] == [b"[%d]" % n for n in range(count)]


@pytest.mark.parametrize(
    "text", [b'{"a": 1} x', b'{"a" 1}', b"{1: 2}", b'{"a": }', b'{"a": 1,}', b"[1", b"3"]
)
def test_what_is_no_object_is_left_to_the_parser(text: bytes) -> None:
    assert large_object(span_of(text)) is None
    with pytest.raises(InputError):
        as_object(Path("file.json"), np.frombuffer(text, np.uint8))


def test_an_array_is_no_object_and_an_object_no_array() -> None:
    assert large_object(span_of(b"[1]")) is None
    assert large_array(span_of(b'{"a": 1}')) is None
