"""A stored trace with a damaged part: the rest is shown, with a note and another exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.analyze.streams.made import full
from tests.viewer.traces import small

import lanescope
from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.trace import SCHEMA, Trace, load, open_lazily, save
from lanescope.trace.set_aside import ESSENTIAL, open_rest, set_aside

NEEDLESS = [name for name in SCHEMA if name not in ESSENTIAL]
SENTENCE = "marks.parquet is missing from the trace, so it was set aside."


@pytest.fixture
def stored(trace: Trace, tmp_path: Path) -> Path:
    return save(trace, tmp_path / "tiny.lanes")


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 0x10
    file.write_bytes(bytes(data))


@pytest.mark.parametrize("opening", [load, open_lazily])
def test_a_whole_trace_has_no_such_note(stored: Path, opening) -> None:
    assert set_aside(open_rest(stored, opening)) == []


@pytest.mark.parametrize("opening", [load, open_lazily])
@pytest.mark.parametrize("name", NEEDLESS)
def test_a_part_that_is_gone_is_empty_and_named(stored: Path, name: str, opening) -> None:
    (stored / f"{name}.parquet").unlink()
    rest = open_rest(stored, opening)
    [note] = set_aside(rest)
    assert note == f"{name}.parquet is missing from the trace, so it was set aside."
    assert len(rest.table(name)) == 0
    whole = {one: len(load(stored, tables=(one,)).table(one)) for one in SCHEMA if one != name}
    assert {one: len(rest.table(one)) for one in whole} == whole


def test_every_flipped_byte_of_a_part_is_the_same_rows_or_a_note(
    stored: Path, tmp_path: Path
) -> None:
    """No row is ever read that was not written."""
    marks = load(stored).marks
    good = {column.name: marks[column.name].tolist() for column in SCHEMA["marks"].columns}
    size = (stored / "marks.parquet").stat().st_size
    seen = {"same": 0, "set aside": 0}
    for at in range(0, size, max(size // 60, 1)):
        place = tmp_path / "b.lanes"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(stored, place)
        flip(place / "marks.parquet", at)
        trace = open_rest(place, load)
        rows = {name: trace.marks[name].tolist() for name in good}
        if set_aside(trace):
            assert len(trace.marks) == 0
            seen["set aside"] += 1
        else:
            assert rows == good
            seen["same"] += 1
    assert seen["set aside"] > 20


@pytest.mark.parametrize("name", ESSENTIAL)
def test_an_essential_part_is_refused_and_says_what_can_be_had(
    stored: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(stored / f"{name}.parquet", 4)
    (stored / "marks.parquet").unlink()
    assert main(["report", str(stored)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"{name}.parquet: is damaged (" in said
    assert f"'lanescope verify {stored}' names all damaged files; lanescope.load(" in said
    rest = [one for one in SCHEMA if one not in (name, "marks")]
    assert said.endswith(f"reads those that are whole: {', '.join(rest)}\n")
    assert len(load(stored, tables=rest).edges) == 3


def test_damaged_facts_are_refused_and_say_what_can_be_had(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stored / "meta.json").write_text("{")
    assert main(["report", str(stored)]) == 1
    said = capsys.readouterr().err
    assert "meta.json: is damaged (" in said
    assert f"'lanescope verify {stored}' names all damaged files; the tables beside it" in said


def test_the_report_says_what_it_is_made_without(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(stored)]) == 0
    assert "set aside" not in capsys.readouterr().out
    (stored / "marks.parquet").unlink()
    for words in ((), ("--full",), ("--section", "functions")):
        assert main(["report", str(stored), *words]) == 1
        assert capsys.readouterr().out.endswith(f"\n{SENTENCE}\n")
    assert main(["report", str(stored), "--json"]) == 1
    figures = json.loads(capsys.readouterr().out)
    assert SENTENCE in figures["capture"]["notes"]
    assert figures["set_aside"] == [SENTENCE]
    assert main(["report", str(stored), "--json", "--section", "functions"]) == 1
    assert json.loads(capsys.readouterr().out).keys() == {"schema", "functions", "set_aside"}
    assert SENTENCE in lanescope.report(stored).text()


def test_an_export_says_what_it_is_made_without(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stored / "marks.parquet").unlink()
    words = ["export", str(stored), "--to", "perfetto", "-o", str(tmp_path / "out")]
    assert main(words) == 1
    assert SENTENCE in capsys.readouterr().out
    assert main([*words, "--json", "--force"]) == 1
    assert json.loads(capsys.readouterr().out)["set_aside"] == [SENTENCE]


@pytest.mark.parametrize("how", ["gone", "flipped"])
def test_a_page_says_what_it_is_made_without(
    tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A flipped byte in a column of numbers is found while the page is made."""
    stored = save(small(), tmp_path / "small.lanes")
    page = tmp_path / "page.html"
    if how == "gone":
        (stored / "edges.parquet").unlink()
    else:
        with pq.ParquetFile(stored / "edges.parquet") as file:
            numbers = file.metadata.row_group(0).column(0)
        flip(
            stored / "edges.parquet",
            numbers.data_page_offset + numbers.total_compressed_size - 1,
        )
        assert len(open_lazily(stored).edges) == 24
    words = ["view", str(stored), "--html", str(page)]
    assert main(words) == 1
    assert "edges.parquet is " in capsys.readouterr().out
    assert main([*words, "--json", "--force"]) == 1
    [note] = json.loads(capsys.readouterr().out)["set_aside"]
    assert note.startswith("edges.parquet is ") and note.endswith(", so it was set aside.")


@pytest.mark.parametrize("made", [small, full])
@pytest.mark.parametrize("name", NEEDLESS)
def test_nothing_fails_without_a_part(
    made, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = save(made(), tmp_path / "a.lanes")
    (stored / f"{name}.parquet").unlink()
    assert main(["report", str(stored)]) == 1
    assert f"{name}.parquet is missing" in capsys.readouterr().out
    assert main(["export", str(stored), "--to", "chrome", "-o", str(tmp_path / "a.json")]) == 1
    assert main(["view", str(stored), "--html", str(tmp_path / "a.html")]) == 1


def test_answers_that_show_no_notes_are_refused(stored: Path) -> None:
    (stored / "marks.parquet").unlink()
    for ask in (lanescope.load, lanescope.verdict, lanescope.critical_path):
        with pytest.raises(InputError, match=r"marks\.parquet: is missing from the trace"):
            ask(stored)
