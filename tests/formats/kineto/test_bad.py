"""Damaged Kineto files: one sentence that says what, where, and nothing is written."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.formats.kineto.files import SMALL, file, kernel, op, read

from lanescope.errors import InputError, LanescopeError
from lanescope.formats import import_trace
from lanescope.trace import MISSING

BAD: dict[str, tuple[Any, str]] = {
    "a time that is a word": (file({**op("a", 1, 1), "ts": "soon"}), "a number was expected"),
    "a length below 0": (file(op("a", 5, -2)), "('a') ends 2000 ns before it starts; keep such"),
    "no time": (file({k: v for k, v in op("a", 1, 1).items() if k != "ts"}), "has no 'ts'"),
    "a time beyond all clocks": (file(op("a", 4e15, 1)), "more than 73 years"),
    "rows that are no objects": ({"schemaVersion": 1, "traceEvents": [1, 2]}, "not a row"),
    "events that are no array": ({"schemaVersion": 1, "traceEvents": {}}, "an array was expected"),
    "a phase that is no text": (file({**op("a", 1, 1), "ph": 3}), "a string"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_content_is_one_sentence(tmp_path: Path, case: str) -> None:
    content, sentence = BAD[case]
    with pytest.raises(InputError) as refused:
        read(tmp_path, content)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_cut_at_every_byte_is_refused(tmp_path: Path) -> None:
    whole = json.dumps(SMALL).encode()
    path = tmp_path / "a.json"
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            import_trace(path)


def test_a_damaged_file_is_read_or_refused_but_nothing_else(tmp_path: Path) -> None:
    whole = json.dumps(SMALL).encode()
    chance = random.Random(5)
    path = tmp_path / "a.json"
    read_well = 0
    for _ in range(600):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            import_trace(path)
            read_well += 1
        except LanescopeError:
            pass
    assert 0 < read_well < 600


def test_a_packed_bomb_is_refused(tmp_path: Path) -> None:
    head, tail = json.dumps(SMALL).split('"traceEvents": [')
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress((head + '"traceEvents": [' + " " * (64 << 20) + tail).encode()))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        import_trace(path)


def test_a_row_that_goes_backward_is_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    rows = file(kernel("k", 5, -1, 1), kernel("k", 9, 1, 1))
    with pytest.raises(InputError, match="ends 1000 ns before it starts"):
        read(tmp_path, rows)
    trace = read(tmp_path, rows, keep_damaged=True)
    assert trace.tasks["start_ns"].tolist() == [MISSING, 4000]
    assert [entry.unmatched for entry in trace.meta.ledger] == [1]
