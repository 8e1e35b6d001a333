"""Traces made some rows at a time: in memory, in files, and only a part of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from lanescope.trace import MISSING, Meta, Table, Words, filling, load
from lanescope.trace.filling import SelectedRows, TablesInMemory, TraceWriter, writing
from lanescope.trace.part import TracePart, part_of
from lanescope.trace.store import save_rows

META = Meta(name="a", tool="test", origin="measured")


def tasks(*numbers: int) -> dict[str, Any]:
    """Tasks that run for 5 ns each, one every 10 ns; the last one never ended."""
    last = [MISSING if number == 9 else 10 * number + 5 for number in numbers]
    return {"task": list(numbers), "start_ns": [10 * n for n in numbers], "end_ns": last}


def test_rows_of_one_table_are_put_below_each_other() -> None:
    tables = TablesInMemory(Words())
    tables.add("tasks", tasks(1, 2))
    tables.add("edges", {"pred": [1], "succ": [2]})
    tables.add("tasks", {"task": [3]})
    tables.words.code("late")
    trace = tables.trace(META)
    assert trace.tasks["task"].tolist() == [1, 2, 3]
    assert trace.tasks["start_ns"].tolist() == [10, 20, MISSING]
    assert (len(trace.edges), len(trace.phases), trace.words) == (1, 0, ("late",))


def part(**limits: Any) -> TracePart:
    found = part_of(**limits)
    assert found is not None
    return found


@pytest.mark.parametrize(("follows", "edges"), [(True, 1), (False, 0)])
def test_only_rows_of_the_part_are_handed_on(follows: bool, edges: int) -> None:
    """Where no row belongs to a task, the ids of the tasks that stay are not kept."""
    tables = TablesInMemory(Words())
    some = SelectedRows(tables, part(since=20, until=40), follows_tasks=follows)
    some.add("tasks", tasks(1, 2))
    some.add("tasks", tasks(3, 6))
    some.add("edges", {"pred": [1, 2], "succ": [2, 3]})
    some.add("phases", {"start_ns": [0, 30], "end_ns": [10, 31]})
    some.add("cores", {"core": [0]})
    trace = tables.trace(META)
    assert trace.tasks["task"].tolist() == [2, 3]
    assert len(trace.edges) == edges
    assert trace.phases["start_ns"].tolist() == [30]
    assert len(trace.cores) == 1, "a table that a part does not limit stays whole"
    assert some.words is tables.words


def test_a_writer_counts_rows_and_cuts_them_into_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "_ROWS_PER_GROUP", 2)
    with writing(tmp_path) as writer:
        writer.add("tasks", tasks(1, 2, 3, 4, 9))
        writer.add("tasks", tasks(5))
        writer.add("edges", {"pred": [1], "succ": [2]})
        assert (writer.rows["tasks"], writer.rows["edges"], writer.rows["phases"]) == (6, 1, 0)
        assert writer.ran == 5, "the ninth has no end"
        writer.finish(META)
        assert writer.bytes() == sum(file.stat().st_size for file in tmp_path.iterdir())
    groups = pq.ParquetFile(tmp_path / "tasks.parquet").metadata
    sizes = [groups.row_group(number).num_rows for number in range(groups.num_row_groups)]
    assert sizes == [2, 2, 1, 1]
    trace = load(tmp_path)
    assert trace.tasks["task"].tolist() == [1, 2, 3, 4, 9, 5]
    assert (len(trace.edges), len(trace.phases), trace.meta) == (1, 0, META)


def test_after_a_failure_the_files_are_closed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no more"), writing(tmp_path) as writer:
        writer.add_table(Table.build("edges", {"pred": [1], "succ": [2]}))
        raise RuntimeError("no more")
    assert isinstance(writer, TraceWriter)
    assert pq.read_metadata(tmp_path / "edges.parquet").num_rows == 1
    assert not (tmp_path / "meta.json").exists()


def test_a_trace_that_is_stored_while_it_is_made_says_what_it_has(tmp_path: Path) -> None:
    def fill(writer: TraceWriter) -> Meta:
        writer.add("tasks", tasks(1, 9))
        return META

    stored = save_rows(tmp_path / "a.lanes", fill)
    assert (stored.path, stored.meta, stored.ran) == (tmp_path / "a.lanes", META, 1)
    assert stored.rows["tasks"] == len(load(tmp_path / "a.lanes").tasks) == 2
