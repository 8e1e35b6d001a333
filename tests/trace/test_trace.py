"""The Trace: its tables know its words, and it prints in a few lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lanescope.trace import Meta, Table, Trace, Words, load, open_lazily, save
from lanescope.trace.table import LazyColumns


def test_the_tables_of_a_trace_know_its_words(trace: Trace) -> None:
    assert trace.tasks.text("kind") == ["run", "run", "run", "dummy"]
    assert trace.text("functions", "name") == trace.functions.text("name") == ["QK", "PV"]


def test_a_table_put_into_another_trace_gets_that_traces_words(trace: Trace) -> None:
    words = Words(trace.words)
    functions = trace.functions.replace(name=words.codes(["QK", "new"]))
    changed = replace(trace, words=words.freeze(), functions=functions)
    assert changed.functions.text("name") == ["QK", "new"]
    assert changed.tasks.text("kind") == trace.tasks.text("kind")
    assert changed.tasks["kind"] is trace.tasks["kind"]
    assert trace.functions.text("name") == ["QK", "PV"]


def test_words_stay_with_cut_changed_and_stored_tables(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    tables = (
        trace.tasks.rows(slice(0, 1)),
        trace.tasks.replace(block=[0] * 4).rows(slice(0, 1)),
        trace.select(core=0, until=10).tasks,
        load(tmp_path / "tiny.lanes").tasks.rows(slice(0, 1)),
        open_lazily(tmp_path / "tiny.lanes").tasks.rows(slice(0, 1)),
    )
    assert [table.text("kind") for table in tables] == [["run"]] * 5


def test_select_is_a_method_too(trace: Trace) -> None:
    assert trace.select(since="195ns", function="QK").tasks["task"].tolist() == [12]
    assert trace.select() is trace


def test_a_trace_prints_as_three_lines(trace: Trace) -> None:
    assert repr(trace) == (
        "Trace 'tiny': imported, level 2\n"
        "  tasks 4, phases 2, marks 2, counters 2, edges 3, cores 2, functions 2, stalls 0\n"
        "  tasks from 0 ns to 310 ns"
    )


def test_chip_and_notes_are_printed_where_there_are_any(trace: Trace) -> None:
    lines = repr(trace.with_meta(chip="a5", notes=("Lossy.",))).splitlines()
    assert lines[0] == "Trace 'tiny': imported, chip a5, level 2"
    assert lines[3:] == ["  notes: 1, see trace.meta.notes"]


def test_a_trace_without_tasks_prints_the_times_of_other_rows(trace: Trace) -> None:
    alone = Trace(meta=trace.meta, marks=trace.marks)
    assert repr(alone).splitlines()[2] == "  from 20 ns to 260 ns; no task has a time"
    assert len(repr(Trace(meta=trace.meta)).splitlines()) == 2


def test_names_of_any_length_print_on_one_line() -> None:
    bad = "line\nbreak " * 1000
    text = repr(Trace(meta=Meta(name=bad, tool="test", origin=bad, chip=bad)))
    assert len(text.splitlines()) == 2
    assert len(text) < 400


def test_printing_a_lazily_opened_trace_reads_no_column(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    lazy = open_lazily(tmp_path / "tiny.lanes")
    (tmp_path / "tiny.lanes" / "tasks.parquet").unlink()
    (tmp_path / "tiny.lanes" / "phases.parquet").unlink()
    assert repr(lazy) == repr(trace)
    assert repr(lazy.tasks) == repr(trace.tasks)
    assert isinstance(lazy.tasks.columns, LazyColumns)


def test_a_default_table_of_a_trace_is_empty(trace: Trace) -> None:
    assert Trace(meta=trace.meta).tasks.to_dict()["task"] == []
    assert isinstance(Trace(meta=trace.meta).tasks, Table)
