"""Stored traces read some rows at a time: a part is what `select` takes of the whole."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace
from tests.trace.test_store import assert_same

from lanescope.formats import import_trace
from lanescope.trace import Trace, filling, load, row_groups, save, select
from lanescope.trace.part import TracePart, part_of
from lanescope.trace.row_groups import LARGE, StoredRows, _ends, load_part
from lanescope.trace.schema import MISSING

RUN = Path(__file__).parents[2] / "examples" / "small_run"


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A real run with phases and edges, in many small groups of rows."""
    monkeypatch.setattr(filling, "_ROWS_PER_GROUP", 16)
    monkeypatch.setattr(row_groups, "_ROWS", 10)
    save(import_trace(RUN), tmp_path / "a.lanes")
    return tmp_path / "a.lanes"


def part(**limits: Any) -> TracePart:
    found = part_of(**limits)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "limits",
    [
        {"since": 20_000, "until": 60_000},
        {"since": 90_000},
        {"until": 10_000},
        {"core": "0-3"},
        {"core": 5, "since": 40_000},
        {"function": "0"},
        {"until": -1},
    ],
)
def test_a_part_is_what_select_takes(stored: Path, limits: dict[str, Any]) -> None:
    whole = select(load(stored), **limits)
    assert_same(load_part(StoredRows(stored), part(**limits)), whole)
    rows = StoredRows(stored).part_rows(part(**limits))
    assert (rows["tasks"], rows["phases"]) == (len(whole.tasks), len(whole.phases))


@pytest.fixture
def sparse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every row is a group of its own, and some have no time or no core."""
    monkeypatch.setattr(filling, "_ROWS_PER_GROUP", 1)
    known = {"start_ns": 10, "end_ns": 20}
    times = [known, {"start_ns": 10}, {"end_ns": 20}, {}]
    trace = make_trace(
        tasks=[{"task": k, "core": k % 2, "token": k, **times[k]} for k in range(4)]
        + [{"task": 4, "core": 1, "token": 4, "dispatch_ns": 10, "start_ns": 15, "finish_ns": 20}]
        + [{"task": 5, "kind": "node"}],
        phases=[{"lane": "scheduler", **one} for one in times],
        marks=[{"core": k % 2, **one} for k, one in enumerate(times)],
        stalls=[{"core": 1, **known}, {"lane": "scheduler", **known}],
        steps=times,
        counters=[{"time_ns": 10}, {"time_ns": 20, "core": 0}, {"core": 1}, {"task": 4}],
        edges=[{"pred": 0, "succ": 4}, {"pred": 4, "succ": 5}],
        cores=[{"core": 0}, {"core": 1}],
    )
    save(trace, tmp_path / "a.lanes")
    return tmp_path / "a.lanes"


WINDOWS = [{}, {"since": 10}, {"since": 20}, {"since": 21}, {"until": 9}, {"until": 10}]
WINDOWS += [{"since": 11, "until": 19}, {"since": 20, "until": 20}]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("core", [None, 0, 1, 7])
def test_a_group_is_left_out_only_where_no_row_of_it_is_in_the_part(
    sparse: Path, window: dict[str, int], core: int | None
) -> None:
    if not window and core is None:
        return
    limits: dict[str, Any] = window | ({} if core is None else {"core": core})
    whole = select(load(sparse), **limits)
    assert_same(load_part(StoredRows(sparse), part(**limits)), whole)


def test_a_row_without_times_is_found_beside_one_that_begins_too_late(tmp_path: Path) -> None:
    phases = [{"lane": "scheduler", "start_ns": 30, "end_ns": 40}, {"lane": "scheduler"}]
    save(make_trace(phases=phases), tmp_path / "a.lanes")
    rows = StoredRows(tmp_path / "a.lanes")
    assert rows.table("phases", part(until=10))["start_ns"].tolist() == [MISSING]


def column(name: str, ends: tuple[Any, Any] | None, *, nulls: int | None = 0) -> SimpleNamespace:
    """What a file says of a column with 3 rows; it may lack the number of nulls."""
    low, high = ends or (None, None)
    known = {"has_min_max": ends is not None, "min": low, "max": high}
    stated = SimpleNamespace(has_null_count=nulls is not None, null_count=nulls, **known)
    return SimpleNamespace(path_in_schema=name, statistics=stated, num_values=3)


@pytest.mark.parametrize(
    ("columns", "ends"),
    [
        ((column("a", (2, 5)), column("x", (0, 9))), (2, 5)),
        ((column("a", (2, 5)), column("b", (1, 3))), (1, 5)),
        ((column("a", (2, 5)), column("b", None, nulls=3)), (2, 5)),
        ((column("a", (2, 5)), column("b", None, nulls=2)), None),
        ((column("a", (2, 5)), column("b", (b"1", b"3"))), None),
        ((column("a", (2, 5)), column("b", (1, 3), nulls=None)), None),
        ((SimpleNamespace(path_in_schema="a", statistics=None), column("b", (1, 3))), None),
        ((column("x", (0, 9)),), None),
        ((column("a", None, nulls=3),), None),
    ],
)
def test_what_a_file_says_of_columns_is_known_where_it_tells_it_of_each(
    columns: tuple[SimpleNamespace, ...], ends: tuple[int, int] | None
) -> None:
    group = SimpleNamespace(num_columns=len(columns), column=columns.__getitem__)
    assert _ends(group, ("a", "b")) == ends


def test_all_chunks_together_are_the_table(stored: Path) -> None:
    whole, rows = load(stored), StoredRows(stored)
    assert rows.rows() == {name: len(whole.table(name)) for name in LARGE}
    for name in LARGE:
        assert all(0 < len(chunk) <= 10 for chunk in rows.chunks(name))
        one = Trace(meta=whole.meta, words=rows.words.freeze(), **{name: rows.table(name)})
        assert_same(one, Trace(meta=whole.meta, words=whole.words, **{name: whole.table(name)}))
    assert rows.bounds("tasks", "core") == whole.tasks.bounds("core")


def test_groups_that_a_part_has_nothing_of_are_not_read(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, read = load(stored), 0
    rows_of = row_groups.text_of

    def counting(values: Any) -> Any:
        nonlocal read
        read += len(values)
        return rows_of(values)

    rows = StoredRows(stored)
    assert rows.small.meta.name == whole.meta.name
    monkeypatch.setattr(row_groups, "text_of", counting)
    cores = np.unique(whole.tasks["core"])
    rows.table("tasks", part(core=int(cores[-1])))
    assert 0 < read < len(whole.tasks) / 2


def test_the_number_of_rows_comes_from_the_checksums_or_else_from_the_file(stored: Path) -> None:
    rows = StoredRows(stored).rows()
    whole = {name: len(load(stored).table(name)) for name in LARGE}
    assert rows == whole
    (stored / "tasks.parquet").rename(stored / "gone")
    assert StoredRows(stored).rows() == whole, "no file was read"
    (stored / "gone").rename(stored / "tasks.parquet")
    (stored / "checksums.json").unlink()
    assert StoredRows(stored).rows() == whole
