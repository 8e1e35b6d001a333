"""Which files belong together, and what the traces are called."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.formats.simpler.runs import lines, records, rows, task_us, write

from lanescope.errors import InputError, UsageError
from lanescope.formats import import_paths
from lanescope.formats.available import importer
from lanescope.formats.batch import what_is_read
from lanescope.formats.discover import Search, find_batches
from lanescope.formats.registry import IMPORTERS
from lanescope.trace import Trace, load, save

RUN = records(1, aicore_tasks=[[0, 7, 1, 10, 20]])
OLD = {"version": 1, "tasks": [task_us(0, 0, 1, 2)]}
NAMES = {"callable_id_to_name": {"0": "QK"}}
DEPS = {"tasks": [{"task_id": "7", "kernel_ids": [0, -1, -1]}], "edges": []}
CHART = {"traceEvents": [{"ph": "X", "ts": 1, "dur": 2, "name": "a"}]}
SCOPES = lines({"version": 6, "total": 0, "task_window_max": []})


def found(*paths: Path) -> dict[str, list[tuple[str, str]]]:
    """Trace names to (file name, kind) of their sources."""
    return {
        trace.meta.name: [(Path(s.path).name, s.format) for s in trace.meta.sources]
        for trace in import_paths(paths)
    }


def test_a_run_takes_all_its_companions(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", chip_swimlane_records=RUN, deps=DEPS, name_map_x=NAMES)
    write(folder / "scope_stats", scope_stats=SCOPES)
    write(folder / "args_dump", args_dump={"bin_format": {}, "args": []})
    pmu = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,event_type\n"
    host = lines({"clock": "host_monotonic_ns", "records": []})
    write(folder, pmu=pmu, host_phase_records=host)
    assert found(folder) == {
        "run": [
            ("chip_swimlane_records.json", "records"),
            ("deps.json", "deps"),
            ("name_map_x.json", "names"),
            ("pmu.csv", "pmu"),
            ("scope_stats.jsonl", "scopes"),
            ("host_phase_records.jsonl", "host_phases"),
            ("args_dump.json", "arguments"),
        ]
    }


def test_every_rank_is_a_trace_named_after_it(tmp_path: Path) -> None:
    for rank in ("rank0", "rank1", "node1/rank0"):
        write(tmp_path / rank, chip_swimlane_records=RUN, deps=DEPS)
    both = [("chip_swimlane_records.json", "records"), ("deps.json", "deps")]
    assert found(tmp_path) == {"node1-rank0": both, "rank0": both, "rank1": both}


def test_two_folders_that_would_give_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a" / "run", records=RUN)
    write(tmp_path / "b" / "run", records=RUN)
    with pytest.raises(InputError) as caught:
        import_paths([tmp_path / "a" / "run", tmp_path / "b" / "run"])
    assert str(caught.value) == (
        f"{tmp_path / 'b' / 'run'}: gives a trace named 'run', and so does "
        f"{tmp_path / 'a' / 'run'}; import them one at a time with -o"
    )


def test_a_named_records_file_takes_its_companions(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN, deps=DEPS, name_map_x=NAMES)
    write(folder / "scope_stats", scope_stats=SCOPES)
    assert found(folder / "records.json") == {
        "run": [
            ("records.json", "records"),
            ("deps.json", "deps"),
            ("name_map_x.json", "names"),
            ("scope_stats.jsonl", "scopes"),
        ]
    }


def test_named_records_files_of_two_folders_take_their_own_companions(tmp_path: Path) -> None:
    for rank in ("rank0", "rank1"):
        write(tmp_path / rank, records=RUN, deps=DEPS)
    both = [("records.json", "records"), ("deps.json", "deps")]
    named = [tmp_path / rank / "records.json" for rank in ("rank0", "rank1")]
    assert found(*named) == {"rank0": both, "rank1": both}


def test_a_named_companion_of_another_folder_is_used(tmp_path: Path) -> None:
    write(tmp_path / "run", records=RUN, deps=DEPS)
    write(tmp_path / "elsewhere", better=DEPS)
    assert found(tmp_path / "run" / "records.json", tmp_path / "elsewhere" / "better.json") == {
        "run": [("records.json", "records"), ("better.json", "deps")]
    }


def test_a_chrome_trace_beside_a_records_file_is_its_copy(tmp_path: Path) -> None:
    write(tmp_path / "run", records=RUN, merged_swimlane=CHART)
    assert found(tmp_path / "run") == {"run": [("records.json", "records")]}
    assert found(tmp_path / "run" / "records.json") == {"run": [("records.json", "records")]}


def test_a_named_chrome_trace_is_imported_beside_anything(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN, merged_swimlane=CHART)
    assert found(folder / "merged_swimlane.json") == {
        "merged_swimlane": [("merged_swimlane.json", "chrome")]
    }


def test_a_chrome_trace_alone_is_named_after_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "torch", trace=CHART)
    assert found(tmp_path / "torch") == {"torch": [("trace.json", "chrome")]}


def test_chrome_traces_of_one_name_are_refused_not_overwritten(tmp_path: Path) -> None:
    for rank in ("rank0", "rank1"):
        write(tmp_path / rank, trace=CHART)
    with pytest.raises(InputError, match="gives a trace named 'trace', and so does"):
        import_paths([tmp_path / "rank0" / "trace.json", tmp_path / "rank1" / "trace.json"])
    assert list(found(tmp_path)) == ["rank0", "rank1"]


def test_several_records_files_in_a_folder_give_a_trace_each(tmp_path: Path) -> None:
    folder = write(tmp_path / "outputs", perf_swimlane_1=OLD, perf_swimlane_2=OLD, deps=DEPS)
    traces = import_paths([folder])
    assert [trace.meta.name for trace in traces] == [
        "outputs-perf_swimlane_1",
        "outputs-perf_swimlane_2",
    ]
    note = "deps.json lies beside several records files and was not used."
    assert [trace.meta.notes for trace in traces] == [(note,), (note,)]


def test_several_records_files_of_two_ranks_keep_their_names_apart(tmp_path: Path) -> None:
    for rank in ("rank0", "rank1"):
        write(tmp_path / rank, a=OLD, b=OLD)
    assert list(found(tmp_path)) == ["rank0-a", "rank0-b", "rank1-a", "rank1-b"]


def test_one_of_several_records_files_is_named_after_itself(tmp_path: Path) -> None:
    folder = write(tmp_path / "outputs", perf_swimlane_1=OLD, perf_swimlane_2=OLD, deps=DEPS)
    assert found(folder / "perf_swimlane_2.json") == {
        "perf_swimlane_2": [("perf_swimlane_2.json", "records")]
    }
    assert list(found(folder / "perf_swimlane_1.json", folder / "perf_swimlane_2.json")) == [
        "perf_swimlane_1",
        "perf_swimlane_2",
    ]


def test_a_file_named_twice_is_imported_once(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN)
    assert list(found(folder / "records.json", folder / "records.json")) == ["run"]


def test_files_of_other_kinds_beside_a_records_file_are_passed_over(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN, package={"name": "x"}, list=[1, 2])
    (folder / "report.txt").write_text("{")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / ".hidden").mkdir()
    write(folder / ".hidden", records=RUN)
    assert found(folder) == {"run": [("records.json", "records")]}


def test_stored_traces_below_a_folder_are_passed_over(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN)
    [trace] = import_paths([folder])
    save(trace, folder / "run.lanes")
    assert list(found(folder)) == ["run"]


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        import_paths([tmp_path])
    assert str(caught.value) == (
        f"{tmp_path}: has no file to import; lanescope reads {what_is_read(IMPORTERS)}"
    )


def test_an_unknown_file_that_was_named(tmp_path: Path) -> None:
    folder = write(tmp_path, package={"name": "x"})
    with pytest.raises(InputError) as caught:
        import_paths([folder / "package.json"])
    reads = what_is_read(IMPORTERS)
    assert caught.value.problem == f"is not a file lanescope knows; it reads {reads}"


def test_companions_alone_give_a_trace(tmp_path: Path) -> None:
    write(tmp_path / "run" / "scope_stats", scope_stats=SCOPES)
    write(tmp_path / "run", deps=DEPS)
    assert found(tmp_path / "run") == {
        "run": [("deps.json", "deps"), ("scope_stats.jsonl", "scopes")]
    }
    assert found(tmp_path / "run" / "scope_stats") == {
        "scope_stats": [("scope_stats.jsonl", "scopes")]
    }


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/run\xff"))
    try:
        write(folder, records=RUN, trace=CHART)
    except OSError:
        pytest.skip("this file system takes only names that are text")
    [trace] = import_paths([folder])
    assert trace.meta.name == "run�"
    back = load(save(trace, tmp_path / "out.lanes"))
    assert rows(back, "tasks", "task") == [(7,)]
    chart: Trace = import_paths([folder / "trace.json"])[0]
    save(chart, tmp_path / "chart.lanes")


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        import_paths([path])
    assert str(caught.value) == f"{path}: {caught.value.problem}"
    return caught.value.problem


def test_a_path_that_leads_nowhere_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert problem(tmp_path / "none") == "no such file or directory"
    assert problem(tmp_path / "file" / "below") == "cannot be read (Not a directory)"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert problem(pipe) == "is no regular file; lanescope reads files as a whole"


def test_a_folder_that_cannot_be_listed_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(folder: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuses)
    assert problem(tmp_path) == "cannot be read (Permission denied)"


def test_a_format_that_has_to_be_named_takes_one_file(tmp_path: Path) -> None:
    chip6, raw = importer("chip6"), tmp_path / "core.3.bin"
    with find_batches([raw], chip6) as [batch]:
        assert (batch.name, batch.place, batch.files) == ("core.3", tmp_path, (raw,))
        assert (batch.importers, batch.named) == ((chip6,), frozenset({raw}))
        assert batch.names() == ["core.3"]
    for paths in ([], [raw, raw]):
        with pytest.raises(UsageError) as caught, find_batches(paths, chip6):
            pass
        expected = f"--format chip6 takes one file per trace, found {len(paths)}"
        assert str(caught.value) == expected


def test_folders_in_a_folder_are_searched_in_order_and_named_by_their_way(tmp_path: Path) -> None:
    for place in ("b/y", "b/x", "a", ".c", "d.lanes"):
        write(tmp_path / "all" / place, trace=CHART)
    batches = Search(IMPORTERS).batches([tmp_path / "all"])
    assert [batch.name for batch in batches] == ["a", "b-x", "b-y"]
    assert [batch.names() for batch in batches] == [["a"], ["b-x"], ["b-y"]]
