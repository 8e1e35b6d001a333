"""`lanescope export`: what is written where, what is said of it, and what a job refuses."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.cli import export, main
from lanescope.cli.options.writing import Chosen
from lanescope.errors import UsageError
from lanescope.formats import DrawnExport, Export, FilesExport, RanksExport

Output = pytest.CaptureFixture[str]
DRAWN = {"output": "a", "format": "x", "slices": 1234, "lanes": 2345, "arrows": 3456}
PLAIN = Export(output="a.bin", format="x")


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (PLAIN, "a.bin"),
        (FilesExport(output="a", format="x", files=("b", "c")), "a: b, c"),
        (
            DrawnExport(**DRAWN, arrows_not_drawn=0, bytes=4567),  # type: ignore[arg-type]
            "a: 1,234 slices on 2,345 lanes, 3,456 arrows, 4,567 bytes",
        ),
        (
            RanksExport(**DRAWN, arrows_not_drawn=5678, bytes=4567, ranks=6789),  # type: ignore[arg-type]
            "a: 6,789 ranks, 1,234 slices on 2,345 lanes, 3,456 arrows, 4,567 bytes; 5,678 edges "
            "are not drawn: an end has no slice, or the time runs back",
        ),
        (
            RanksExport(
                output="a",
                format="x",
                **dict.fromkeys(
                    ("slices", "lanes", "arrows", "arrows_not_drawn", "bytes", "ranks"), 1
                ),
            ),
            "a: 1 rank, 1 slice on 1 lane, 1 arrow, 1 byte; 1 edge is not drawn: an end has no "
            "slice, or the time runs back",
        ),
    ],
)
def test_what_was_written_is_one_sentence(written: Export, sentence: str) -> None:
    assert export._sentence(written) == sentence


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What the command was asked to write, and what it says then."""
    found: list[Any] = [PLAIN, [], ""]

    def write(chosen: Any, args: Any) -> tuple[Any, ...]:
        found.append((chosen.name, args.trace))
        return tuple(found[:3])

    monkeypatch.setattr(export, "_write", write)
    monkeypatch.setattr(export, "reuse_memory", lambda: found.append("reuse"))
    monkeypatch.chdir(tmp_path)
    return found


def test_a_note_what_is_missing_and_how_to_open_it_stand_below(
    writes: list[Any], capsys: Output
) -> None:
    assert main(["export", "a", "--to", "csv"]) == 0
    assert writes[3:] == ["reuse", ("csv", "a")]
    assert capsys.readouterr().out == "a.bin\n"
    writes[1:3] = [["tasks.parquet\nis torn"], "a note"]
    assert main(["export", "a", "--to", "kanata"]) == 1
    first, *rest, last = capsys.readouterr().out.splitlines()
    assert (first, rest) == ("a.bin", ["a note", "tasks.parquet is torn"])
    assert last.startswith("Open it with Konata")


def test_as_json_what_is_missing_is_a_key(writes: list[Any], capsys: Output) -> None:
    told = {"schema": "urn:lanescope:export:1", "output": "a.bin", "format": "x"}
    assert main(["export", "a", "--to", "csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == told
    writes[1] = ["torn"]
    assert main(["export", "a", "--to", "csv", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {**told, "set_aside": ["torn"]}


def test_what_cannot_be_is_refused_before_anything_is_read(
    writes: list[Any], capsys: Output
) -> None:
    Path("there.json").touch()
    assert main(["export", "a", "--to", "csv", "-o", "there.json"]) == 2
    assert "there.json is there already" in capsys.readouterr().err
    assert main(["export", "a", "--to", "chrome", "--table", "tasks"]) == 2
    assert capsys.readouterr().err == "lanescope: --table is for csv only; add --to csv\n"
    assert writes[3:] == ["reuse", "reuse"]


def asked(**more: Any) -> argparse.Namespace:
    limits = dict.fromkeys(("since", "until", "core", "function", "run", "rank", "output"))
    return argparse.Namespace(trace="a.job", format="x", force=False, **{**limits, **more})


@pytest.mark.parametrize("value", [0, [1]])
@pytest.mark.parametrize("name", ["since", "until", "core", "function", "run"])
def test_a_job_is_exported_by_rank_and_no_other_part(name: str, value: Any) -> None:
    with pytest.raises(UsageError) as found:
        export._refuse_parts(asked(**{name: value}, rank=[0]))
    assert str(found.value) == (
        f"--{name} chooses a part of one trace, and a.job is a job of many ranks; choose ranks "
        "with --rank, or export one of its traces"
    )
    export._refuse_parts(asked(rank=[0]))


def test_the_first_of_several_parts_is_named() -> None:
    with pytest.raises(UsageError, match=r"^--until chooses"):
        export._refuse_parts(asked(run=[1], until=3))


def test_an_output_is_called_as_it_was_named_or_as_its_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert export._place("a/b", ".json", asked()) == Chosen(Path("a_b.json"), None)
    Path("a_b.json").touch()
    assert export._place("a/b", ".json", asked()) == Chosen(Path("a_b-2.json"), Path("a_b.json"))
    named = asked(output=Path("mine"))
    assert export._place("a/b", ".json", named) == Chosen(Path("mine"), None)


def test_a_job_that_can_be_written_whole_is_and_else_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trace = make_trace({"name": "run"})
    monkeypatch.setattr(export.source, "open_trace", lambda args: trace)
    monkeypatch.setattr("lanescope.jobs.recognising.is_job", lambda path: path == "a.job")
    monkeypatch.setattr("lanescope.jobs.job.open_job", lambda path: SimpleNamespace(name="job"))
    monkeypatch.setattr(
        "lanescope.facade.job_export.export_job", lambda job, path, **more: (job.name, path, more)
    )
    chosen: Any = SimpleNamespace(
        ending=".one",
        ranks_ending=".all",
        options=(),
        write_ranks=print,
        write=lambda trace, path, options: (trace, path, options.values),
    )
    Path("job.all").touch()
    note = "job.all is there already, so this is job-2.all; --force replaces"
    assert export._write(chosen, asked(rank=[2])) == (
        ("job", Path("job-2.all"), {"to": "x", "ranks": [2]}),
        [],
        note,
    )
    one = asked()
    one.trace = "a.lanes"
    assert export._write(chosen, one) == ((trace, Path("run.one"), {}), [], "")
