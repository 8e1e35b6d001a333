"""`lanescope import`: where traces go, what is skipped, and what is said about each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace
from tests.cli.ground import SMALL

from lanescope.cli import import_, main
from lanescope.errors import InputError, PluginError
from lanescope.trace.meta import Source

Output = pytest.CaptureFixture[str]


class Batch:
    """Files of one importer with the traces in them, each with what its account says."""

    def __init__(self, *traces: tuple[str, list[str]], error: Exception | None = None) -> None:
        self.importers: tuple[Any, ...] = ()
        self._traces, self._error = traces, error

    def traces(self, *, keep_damaged: bool, options: Any, tell: Any, listener: Any) -> Any:
        for name, lines in self._traces:
            for line in lines:
                tell(SimpleNamespace(values={f"of {name}": line}, lines=(f"  {line}",)))
            source = Source(path="x", format="toy", bytes=0)
            yield make_trace({"name": name, "sources": (source,)})
        if self._error is not None:
            raise self._error


class Imports:
    """Stands in for what finds files: its batches, what is skipped, and which labels were shown."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.skipped: list[tuple[Path, str]] = []
        self.asked: list[Any] = []
        self.labels: list[str] = []
        self.reused = 0

    @contextmanager
    def find(self, paths: Any, chosen: Any, *, apart: bool, listener: Any) -> Iterator[Any]:
        self.asked.append((paths, getattr(chosen, "name", None), apart))
        for path, reason in self.skipped:
            listener.skipped(path, reason)
        yield self.batches

    @contextmanager
    def working(self, label: str) -> Iterator[None]:
        self.labels.append(label)
        yield

    def reuse(self) -> None:
        self.reused += 1


@pytest.fixture
def imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imports:
    made = Imports()
    monkeypatch.setattr("lanescope.formats.discover.find_batches", made.find)
    monkeypatch.setattr("lanescope.render.progress.working", made.working)
    monkeypatch.setattr(import_, "reuse_memory", made.reuse)
    monkeypatch.chdir(tmp_path)
    return made


def test_each_run_is_counted_stored_and_told_with_its_account(
    imports: Imports, capsys: Output
) -> None:
    imports.batches = [Batch(("a", ["one", "two"])), Batch(("b", []), ("c", ["three"]))]
    assert main(["import", "x", "y"]) == 0
    assert imports.labels == ["importing 1 of 2", "importing 2 of 2"]
    assert imports.asked == [([Path("x"), Path("y")], None, False)]
    assert imports.reused == 1
    said = capsys.readouterr().out.splitlines()
    assert [row.partition("  ")[0] or row for row in said] == [
        *("a.lanes", "  one", "  two", "b.lanes", "c.lanes", "  three"),
    ]
    assert sorted(path.name for path in Path().iterdir()) == ["a.lanes", "b.lanes", "c.lanes"]


def test_a_failure_is_told_and_what_was_stored_before_it_stays(
    imports: Imports, capsys: Output
) -> None:
    imports.batches = [
        Batch(("a", []), error=InputError("a.json", "is torn")),
        Batch(error=PluginError("toy failed")),
        Batch(("b", [])),
    ]
    assert main(["import", "x"]) == 1
    said = capsys.readouterr()
    assert said.err == "lanescope: a.json: is torn\nlanescope: toy failed\n"
    assert [row.split()[0] for row in said.out.splitlines()] == ["a.lanes", "b.lanes"]


def test_as_json_there_is_one_object_with_everything(imports: Imports, capsys: Output) -> None:
    imports.batches = [Batch(("a", ["one"])), Batch(("b", []))]
    imports.skipped = [(Path("c.txt"), "is no run")]
    assert main(["import", "x", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(one["trace"], one["format"], one.get("of a")) for one in told["traces"]] == [
        ("a.lanes", "toy", "one"),
        ("b.lanes", "toy", None),
    ]
    assert told["skipped"] == [{"path": "c.txt", "reason": "is no run"}]


def test_what_is_skipped_for_one_reason_is_one_line_of_at_most_three_names(
    imports: Imports, capsys: Output
) -> None:
    imports.batches = [Batch(("a", []))]
    imports.skipped = [(Path(f"{n}.txt"), "is no run") for n in range(3)]
    imports.skipped.insert(1, (Path("b\n.bin"), "is empty"))
    assert main(["import", "x"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "skipped: 0.txt, 1.txt, 2.txt (is no run)",
        "skipped: b .bin (is empty)",
    ]
    imports.skipped += [(Path("3.txt"), "is no run"), (Path("4.txt"), "is no run")]
    assert main(["import", "x", "--force"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == (
        "skipped: 0.txt, 1.txt, 2.txt and 2 more (is no run)"
    )


def test_without_a_run_there_is_nothing_to_import(imports: Imports, capsys: Output) -> None:
    for paths, said in ((["x"], "x: has"), (["x", "y"], "x, y: have")):
        assert main(["import", *paths]) == 1
        assert capsys.readouterr().err == (
            f"lanescope: {said} no run to import; see 'lanescope import --help'\n"
        )


@pytest.mark.parametrize(
    "batches",
    [[Batch(("a", []), ("b", []))], [Batch(("a", [])), Batch(("b", []))], [Batch(("a", []))]],
)
def test_a_name_is_for_one_run(
    batches: list[Batch], imports: Imports, tmp_path: Path, capsys: Output
) -> None:
    imports.batches = batches
    single = len(batches) == 1 and len(batches[0]._traces) == 1
    assert main(["import", "x", "-o", "one.lanes"]) == (0 if single else 2)
    assert capsys.readouterr().err == (
        ""
        if single
        else "lanescope: -o one.lanes names one trace, but there are several runs; give a folder\n"
    )
    assert Path("one.lanes").exists() == single


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("there.lanes", "there.lanes is there already and was left alone; add --force to replace"),
        ("none/deep", "expected a folder none to write into, found none; make it first, or name"),
        ("file", "expected a folder file to write into, found a file; make it first, or name"),
    ],
)
def test_a_place_that_cannot_be_used_is_refused_before_anything_is_read(
    output: str, sentence: str, imports: Imports, capsys: Output
) -> None:
    Path("there.lanes").mkdir()
    Path("there.lanes", "meta.json").touch()
    Path("file").touch()
    assert main(["import", "x", "-o", output]) == 2
    assert capsys.readouterr().err.startswith(f"lanescope: {sentence}")
    assert imports.asked == []


def test_a_format_and_its_options_are_asked_for_by_name(imports: Imports, capsys: Output) -> None:
    imports.batches = [Batch(("a", []))]
    assert main(["import", "x", "--format", "simpler", "--per-rank"]) == 0
    assert imports.asked == [([Path("x")], "simpler", True)]
    capsys.readouterr()
    assert main(["import", "x", "--format", "simpler", "--period-ps", "3"]) == 2
    assert capsys.readouterr().err == (
        "lanescope: --period-ps is for outputs of PLENA's emulator only; add --format plena\n"
    )


def test_a_trace_that_keeps_its_generation_is_told_by_it(tmp_path: Path, capsys: Output) -> None:
    assert main(["import", str(SMALL), "-o", str(tmp_path / "a.lanes"), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["traces"]
    assert one["format"] == "G8"
