"""What people name as a trace: one in memory, a stored one, another tool's files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace

from lanescope.errors import InputError, UsageError
from lanescope.facade import opening
from lanescope.facade.opening import (
    is_stored,
    opened,
    opened_in_part,
    opened_lazily,
    opened_some,
)
from lanescope.trace import save
from lanescope.trace.places import Place
from lanescope.trace.table import LazyColumns

SMALL = Path(__file__).parents[2] / "examples" / "small_run"


def test_a_trace_in_memory_is_taken_as_it_is() -> None:
    trace = make_trace()
    assert opened(trace) is trace
    assert opened_lazily(trace) is trace


def test_a_stored_trace_and_other_tools_files_are_read(tmp_path: Path) -> None:
    stored = save(opened(str(SMALL)), tmp_path / "run.lanes")
    assert len(opened(stored).tasks) == len(opened(SMALL).tasks) == 129
    assert isinstance(opened_lazily(stored).tasks.columns, LazyColumns)


def test_a_path_that_is_not_there_and_a_folder_of_two_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        opened(tmp_path / "nowhere")
    for name in ("a", "b"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        for file in SMALL.iterdir():
            (tmp_path / "runs" / name / file.name).write_bytes(file.read_bytes())
    with pytest.raises(UsageError, match=r"holds 2 runs \(a, b\); name one of them"):
        opened(tmp_path / "runs")


def stored_runs(folder: Path, count: int) -> list[str]:
    return [str(save(make_trace(), folder / f"{number}.lanes")) for number in range(count)]


@pytest.mark.parametrize(("count", "more"), [(2, ""), (8, ""), (9, ", …")])
def test_at_most_eight_stored_traces_of_a_folder_are_named(
    count: int, more: str, tmp_path: Path
) -> None:
    named = ", ".join(stored_runs(tmp_path, count)[:8])
    with pytest.raises(UsageError) as found:
        opened(tmp_path)
    assert str(found.value) == (f"{tmp_path} holds {count} stored traces ({named}{more}); name one")


def test_beside_one_stored_trace_a_folder_is_a_runs_own_files(tmp_path: Path) -> None:
    stored_runs(tmp_path, 1)
    for file in SMALL.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert opened(tmp_path).meta.name == tmp_path.name


def test_what_names_a_stored_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name, its file meta.json, or that nothing is there; a URL always does."""
    (tmp_path / "a.lanes").touch()
    (tmp_path / "renamed").mkdir()
    (tmp_path / "renamed" / "meta.json").touch()
    (tmp_path / "folder" / "meta.json").mkdir(parents=True)
    (tmp_path / "run.json").touch()
    names = ["a.lanes", "renamed", "nowhere", "folder", "run.json"]
    assert [is_stored(str(tmp_path / name)) for name in names] == [True, True, True, False, False]
    monkeypatch.setattr(opening, "place_of", lambda url: Place("bucket/run", object()))  # type: ignore[arg-type]
    assert is_stored("s3://bucket/run")


def test_damage_is_left_out_in_part_and_refused_in_whole(tmp_path: Path) -> None:
    stored = save(opened(SMALL), tmp_path / "run.lanes")
    (tmp_path / "run.lanes" / "phases.parquet").write_bytes(b"PAR1")
    for opening_part in (opened_in_part, opened_lazily):
        part = opening_part(stored)
        assert (len(part.tasks), len(part.phases)) == (129, 0)
        assert part.meta.notes[-1].startswith("phases.parquet ")
    with pytest.raises(InputError, match=r"phases\.parquet"):
        opened(stored)
    cut = opened_some(str(stored), since=0, core="0")
    assert set(cut.tasks["core"].tolist()) == {0}
    assert any(note.startswith("phases.parquet ") for note in cut.meta.notes)


@pytest.mark.parametrize(
    ("limits", "in_part"),
    [
        ({"since": 0}, True),
        ({"core": "1", "run": None, "rank": None}, True),
        ({"since": None}, False),
        ({}, False),
        ({"since": 0, "run": "0"}, False),
        ({"rank": "0"}, False),
    ],
)
def test_only_a_part_without_runs_and_ranks_is_read_in_part(
    limits: dict[str, object], in_part: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "load_some", lambda trace, **_: "read in part")
    monkeypatch.setattr(opening, "opened_in_part", lambda trace: trace)
    monkeypatch.setattr(opening, "select_some", lambda trace, **given: (trace, given))
    monkeypatch.setattr(opening, "is_stored", lambda trace: trace != "run.json")
    found: object = opened_some("a.lanes", **limits)
    assert found == ("read in part" if in_part else ("a.lanes", limits))
    found = opened_some("run.json", **limits)
    assert found == ("run.json", limits)
