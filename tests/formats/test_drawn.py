"""Timelines of ours whose text about themselves is not what it should be: one sentence each."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.formats.perfetto_engine import trace_of
from tests.formats.test_round_trips import odd

from lanescope.errors import InputError
from lanescope.formats import export, import_trace
from lanescope.formats.drawn import KEY


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    trace = trace_of(
        cores={"core": [0], "name": ["a"]},
        tasks={"task": [1, 2], "core": [0, 0], "start_ns": [1, 5], "end_ns": [4, 9]},
    )
    export(trace, tmp_path / "drawn.json", to="chrome")
    return tmp_path / "drawn.json"


def changed(path: Path, **values: Any) -> Path:
    content = json.loads(path.read_text())
    content[KEY] |= values
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"version": 9}, "was written by a lanescope whose timelines have version 9"),
        ({"meta": {}}, "says of itself what cannot be"),
        ({"views": 3}, "says of itself what cannot be"),
        ({"surprise": 1}, "says of itself what cannot be"),
        ({"tables": {"cores": {"core": ["x"]}}}, "says of its cores what cannot be"),
        ({"tables": {"cores": {"core": [0], "name": ["a", "b"]}}}, "says of its cores"),
        ({"tables": {"cores": {"colour": [0]}}}, "says of its cores what cannot be"),
    ],
)
def test_a_text_that_cannot_be_is_refused(
    drawn: Path, values: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        import_trace(changed(drawn, **values))
    assert problem in caught.value.problem and "\n" not in caught.value.problem


def test_constants_that_cannot_be_are_refused(drawn: Path) -> None:
    views = json.loads(drawn.read_text())[KEY]["views"]
    views[0]["parts"][0]["constants"] = {"flags": "many"}
    with pytest.raises(InputError, match="says of its tasks what cannot be"):
        import_trace(changed(drawn, views=views))


def test_bars_on_lanes_that_the_text_does_not_know_are_left_out(drawn: Path) -> None:
    assert len(import_trace(changed(drawn, views=[])).tasks) == 0


@pytest.mark.parametrize("thread", [1 << 62, -(1 << 62), 10**30])
def test_bars_of_a_thread_whose_number_is_too_large_are_left_out(drawn: Path, thread: int) -> None:
    content = json.loads(drawn.read_text())
    bars = [event for event in content["traceEvents"] if event["ph"] in "XB"]
    bars[0]["tid"] = thread
    drawn.write_text(json.dumps(content))
    assert len(import_trace(drawn).tasks) == 1


def test_without_the_text_the_file_is_read_as_anyones(drawn: Path) -> None:
    content = json.loads(drawn.read_text())
    del content[KEY]
    drawn.write_text(json.dumps(content))
    assert import_trace(drawn).text("cores", "lane") == ["track"]


@pytest.mark.parametrize(("name", "file"), [("perfetto", "a.perfetto-trace"), ("chrome", "a.json")])
def test_no_mutation_of_an_export_makes_the_reader_crash(
    tmp_path: Path, name: str, file: str
) -> None:
    rng = random.Random(11)
    export(odd(), tmp_path / file, to=name)
    whole = (tmp_path / file).read_bytes()
    refused = 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
        (tmp_path / file).write_bytes(data)
        try:
            import_trace(tmp_path / file)
        except InputError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 50
