"""The protobuf reader against messages built by hand, and against bytes that are no messages."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.errors import InputError
from lanescope.formats.perfetto.wire import message, number, tag, varint
from lanescope.formats.proto_rows import (
    FIXED64,
    ProtoFile,
    as_doubles,
    content,
    double,
    optional,
)
from lanescope.formats.proto_rows import number as whole
from lanescope.trace import MISSING

quiet = settings(deadline=None, max_examples=200, derandomize=True)
BITS = (1 << 64) - 1


def proto(data: bytes) -> ProtoFile:
    return ProtoFile(Path("some.pb"), np.frombuffer(data, np.uint8).copy(), "a test message")


def fixed64(field: int, value: float) -> bytes:
    return tag(field, 1) + struct.pack("<d", value)


def fixed32(field: int, value: int) -> bytes:
    return tag(field, 5) + struct.pack("<I", value)


def signed(value: int) -> int:
    value &= BITS
    return value - (1 << 64) if value >> 63 else value


# A message as a list of fields: (number, kind, value).
fields = st.one_of(
    st.tuples(st.integers(1, 6), st.just("varint"), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.integers(1, 6), st.just("double"), st.floats(allow_nan=False)),
    st.tuples(st.integers(1, 6), st.just("bytes"), st.binary(max_size=12)),
    st.tuples(st.integers(1, 6), st.just("fixed32"), st.integers(0, 2**32 - 1)),
)
messages = st.lists(st.lists(fields, max_size=8), max_size=6)


def encoded(one: list[tuple[int, str, Any]]) -> bytes:
    writers = {"varint": number, "double": fixed64, "bytes": message, "fixed32": fixed32}
    return b"".join(writers[kind](field, value) for field, kind, value in one)


def last(one: list[tuple[int, str, Any]], field: int, kind: str, missing: Any) -> Any:
    return next((v for f, k, v in reversed(one) if (f, k) == (field, kind)), missing)


@quiet
@given(messages)
def test_columns_are_the_last_field_of_that_number_and_type(some: Any) -> None:
    file = proto(b"".join(message(1, encoded(one)) for one in some) or number(9, 1))
    owner, spans = file.repeated(file.whole, 1)
    assert owner.tolist() == [0] * len(some)
    for field in range(1, 7):
        numbers, doubles, contents = file.columns(
            spans, optional(field), double(field), content(field)
        )
        assert numbers.tolist() == [signed(last(one, field, "varint", MISSING)) for one in some]
        expected = [last(one, field, "double", float("nan")) for one in some]
        np.testing.assert_array_equal(as_doubles(doubles), expected)
        found = [
            bytes(file.data[at : at + length]) if at >= 0 else None
            for at, length in contents.tolist()
        ]
        assert found == [last(one, field, "bytes", None) for one in some]


@quiet
@given(messages, st.integers(1, 6))
def test_repeated_fields_come_in_order_with_their_message(some: Any, field: int) -> None:
    file = proto(b"".join(message(1, encoded(one)) for one in some) or number(9, 1))
    _, spans = file.repeated(file.whole, 1)
    owner, inner = file.repeated(spans, field)
    values = [bytes(file.data[at : at + length]) for at, length in inner.tolist()]
    expected = [
        (i, v) for i, one in enumerate(some) for f, k, v in one if (f, k) == (field, "bytes")
    ]
    assert list(zip(owner.tolist(), values, strict=True)) == expected


@quiet
@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=300), max_size=4))
def test_repeated_numbers_may_be_packed(some: list[list[int]]) -> None:
    packed = b"".join(message(1, message(4, b"".join(map(varint, one)))) for one in some)
    plain = b"".join(message(1, b"".join(number(4, value) for value in one)) for one in some)
    expected = [(i, value) for i, one in enumerate(some) for value in one]
    for data in (packed, plain):
        file = proto(data or number(9, 1))
        _, spans = file.repeated(file.whole, 1)
        owner, values = file.numbers(spans, 4)
        assert list(zip(owner.tolist(), values.tolist(), strict=True)) == expected


def test_packed_numbers_of_eight_bytes() -> None:
    pair = struct.pack("<QQ", 7, BITS)
    file = proto(message(47, pair) + tag(47, 1) + struct.pack("<Q", 9))
    owner, values = file.numbers(file.whole, 47, wire=FIXED64)
    assert (owner.tolist(), values.tolist()) == ([0, 0, 0], [7, -1, 9])


def test_texts_have_a_code_each() -> None:
    words = ["add", "mul", "add", "", "é", "mul"]
    file = proto(b"".join(message(1, word.encode()) for word in words))
    _, spans = file.repeated(file.whole, 1)
    codes, texts = file.texts(np.vstack([spans, [[-1, 0]]]))
    assert texts == ["add", "mul", "", "é"]
    assert codes.tolist() == [0, 1, 0, 2, 3, 1, -1]


def test_a_message_that_is_absent_has_no_fields() -> None:
    file = proto(number(1, 5))
    spans = np.array([[0, 2], [-1, 0]])
    assert file.columns(spans, whole(1), optional(1))[0].tolist() == [5, 0]
    assert file.columns(spans, optional(1))[0].tolist() == [5, MISSING]


def problem(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        proto(data).columns(proto(data).whole, whole(1))
    return caught.value.problem


def test_damage_is_told_with_its_byte() -> None:
    good = number(1, 300)
    end = "; it was damaged or cut off while it was written or copied"
    start = f"is not a test message in protobuf: byte {len(good)}: "
    assert problem(good + b"\x12\x05abc") == (
        f"{start}a field is longer than what is left of the message around it{end}"
    )
    assert problem(good + b"\x0b") == f"{start}a field has a type that protobuf does not have{end}"
    assert problem(good + b"\x02\x00") == (
        f"{start}a field has a number that protobuf does not allow{end}"
    )
    assert problem(good + b"\xff" * 11) == f"{start}a number has more than ten bytes{end}"
    assert problem(good + b"\x09\x01") == (
        f"{start}a field is longer than what is left of the message around it{end}"
    )


def test_bytes_that_a_text_decoder_replaced_are_told_as_such() -> None:
    data = b"".join(message(1, bytes([k, 200 + k, 0x81, 0xFF, k])) for k in range(40))
    spoiled = data.decode("utf-8", "replace").encode()
    found = problem(spoiled)
    assert "went through a text decoder, which replaced bytes in" in found
    assert found.endswith("copy the original again as binary")


def walk(data: bytes) -> None:
    """Read as deep as there is anything that could be a message."""
    file = proto(data)
    spans = file.whole
    for _ in range(4):
        file.columns(spans, whole(1), double(2), content(3))
        file.numbers(spans, 1)
        _, spans = file.repeated(spans, 1)
        file.texts(spans)


def test_no_mutation_or_cut_makes_the_reader_crash() -> None:
    rng = random.Random(7)
    inner = message(1, number(1, 5), fixed64(2, 1.5), message(3, b"name"))
    good = b"".join(message(1, inner, number(1, k)) for k in range(20))
    refused = 0
    for _ in range(3000):
        data = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            match rng.randrange(3):
                case 0:
                    data[at] = rng.randrange(256)
                case 1:
                    del data[at : at + rng.randint(1, 6)]
                case 2:
                    data = data[: max(at, 1)]
            data = data or bytearray(b"\x08\x01")
        try:
            walk(bytes(data))
        except InputError:
            refused += 1
    assert refused > 1000
