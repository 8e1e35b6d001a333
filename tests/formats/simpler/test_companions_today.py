"""Counters, scope statistics, argument dumps, graphs and host phases as written since September."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import SCOPE, lines, open_entries, read, records, rows, write
from tests.formats.simpler.test_companions import HEADER, RUN, argument

from lanescope.analyze.recording.losses import losses
from lanescope.errors import InputError
from lanescope.formats.json_file import open_object
from lanescope.formats.simpler.deps import read_deps
from lanescope.formats.simpler.host import read_host_phases
from lanescope.formats.simpler.scopes import read_scopes
from lanescope.trace import LedgerEntry, Trace

SATURATED = 4_294_967_295
EPOCHS = HEADER.replace("\n", ",run_epoch\n")


def problem_of(folder: Path, **files: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, **files)
    return caught.value.problem


def scopes(folder: Path, *boundaries: dict[str, Any], **header: Any) -> Trace:
    first = {"total": len(boundaries), "dropped": 0, "task_window_max": [16], **header}
    return read(folder, records=RUN, scope_stats=lines(first, *boundaries))


def entry_of(trace: Trace, lane: str) -> LedgerEntry:
    (entry,) = (entry for entry in trace.meta.ledger if entry.lane == lane)
    return entry


def test_scope_statistics_have_no_version_any_more(tmp_path: Path) -> None:
    trace = scopes(tmp_path, {**SCOPE, "run_epoch": 7, "buf_seq": 3})
    assert len(trace.counters) == 4
    assert entry_of(trace, "scopes") == LedgerEntry("scopes", "scope", 1, 1)
    assert "version" not in trace.meta.extra["scope_limits"]
    stats = read_scopes(tmp_path / "scope_stats.jsonl")
    assert [(at.run_epoch, at.buf_seq) for at in stats.boundaries] == [(7, 3)]


def test_dropped_scope_records_are_part_of_the_total(tmp_path: Path) -> None:
    trace = scopes(tmp_path, SCOPE, total=5, dropped=4)
    assert entry_of(trace, "scopes") == LedgerEntry("scopes", "scope", 5, 1, dropped=4)


def test_a_collection_that_kept_everything_lost_nothing(tmp_path: Path) -> None:
    told = {"collection_verdict": "published", "counts_unknown": False}
    host = {"host_received_records": 1, "host_retained_records": 1}
    trace = scopes(tmp_path, SCOPE, **told, **host)
    assert entry_of(trace, "scopes") == LedgerEntry("scopes", "scope", 1, 1)
    assert trace.meta.extra["scope_limits"]["host_received_records"] == 1
    assert losses(trace).nothing_lost


def test_what_the_host_did_not_keep_is_dropped(tmp_path: Path) -> None:
    host = {"host_received_records": 3, "host_retained_records": 1}
    trace = scopes(tmp_path, SCOPE, total=4, collection_verdict="published_short", **host)
    reason = "collection published_short; the host received 3 and kept 1"
    assert entry_of(trace, "scopes") == LedgerEntry(
        "scopes", "scope", 4, 1, dropped=3, reason=reason
    )


@pytest.mark.parametrize(
    "header, said",
    [
        ({"counts_unknown": True}, ""),
        ({"collection_verdict": "cut_unproved"}, "; collection cut_unproved"),
    ],
)
def test_unknown_counts_are_not_nothing_lost(
    tmp_path: Path, header: dict[str, Any], said: str
) -> None:
    trace = scopes(tmp_path / "some", SCOPE, **header)
    assert entry_of(trace, "scopes") == LedgerEntry(
        *("scopes", "scope", 1, 1),
        unknown=True,
        reason="how many records were made is not known" + said,
    )
    assert not losses(trace).nothing_lost
    assert not losses(scopes(tmp_path / "none", **header)).nothing_lost


def test_a_saturated_value_is_left_out(tmp_path: Path) -> None:
    stuck = {**SCOPE, "task_window_end": SATURATED, "tensormap": SATURATED}
    trace = scopes(tmp_path, stuck, {**SCOPE, "heap_end": SATURATED})
    assert rows(trace, "counters", "name", "order") == [
        ("heap_bytes ring 0", 0),
        ("dep_pool ring 0", 0),
        ("task_window ring 0", 1),
        ("heap_bytes ring 0", 1),
        ("dep_pool ring 0", 1),
        ("tensormap", 1),
    ]
    assert entry_of(trace, "scopes") == LedgerEntry(
        *("scopes", "scope", 2, 2), reason="2 of the values left out, saturated"
    )


def dumped(folder: Path, *args: dict[str, Any], **counts: Any) -> Trace:
    dump = {"bin_format": {}, "dropped_records": 0, **counts, "args": list(args)}
    return read(folder, records=RUN, args_dump=dump)


def test_the_level_of_an_argument_dump_says_nothing(tmp_path: Path) -> None:
    traces = [
        dumped(tmp_path / str(level), argument("0x7", "input"), dump_args_level=level)
        for level in (1, 2, 3)
    ]
    assert {tuple(rows(trace, "counters", "name", "value")) for trace in traces} == {
        (("args_input_bytes", 40.0),)
    }
    assert {trace.meta.ledger for trace in traces} == {traces[0].meta.ledger}
    assert [entry.lane for entry in traces[0].meta.ledger if entry.lane == "arguments"] == []


def test_lost_arguments_are_in_the_ledger(tmp_path: Path) -> None:
    trace = dumped(
        tmp_path,
        argument("0x7", "input", host_discarded=True),
        argument("0x7", "input", kind="scalar", arg_index_ambiguous=True),
        argument("0x8", "output"),
        dropped_records=2,
        host_discarded_args=1,
        metadata_discarded_records=3,
        collection_verdict="published_short",
    )
    assert entry_of(trace, "arguments") == LedgerEntry(
        *("arguments", "argument", 8, 2),
        dropped=5,
        unmatched=1,
        reason="2 dropped by the device; 3 discarded by the host; 1 here without their values, "
        "which the host discarded; 1 with an ambiguous arg_index; collection published_short",
    )
    assert open_entries(trace) == []
    assert rows(trace, "counters", "name", "value")[0] == ("args_input_bytes", 40.0)


def test_unknown_counts_of_arguments_are_not_nothing_lost(tmp_path: Path) -> None:
    some = dumped(tmp_path / "some", argument("0x7", "input"), counts_unknown=True)
    assert entry_of(some, "arguments") == LedgerEntry(
        *("arguments", "argument", 1, 1),
        unknown=True,
        reason="how many records were made is not known",
    )
    assert not losses(some).nothing_lost
    assert not losses(dumped(tmp_path / "none", counts_unknown=True)).nothing_lost
    clean = dumped(tmp_path / "clean", counts_unknown=False, collection_verdict="published")
    assert entry_of(clean, "arguments") == LedgerEntry("arguments", "argument", 0, 0)


@pytest.mark.parametrize(
    "counts, problem",
    [
        ({"counts_unknown": "no"}, "Expected `bool`, got `str`"),
        ({"host_discarded_args": -1}, "Expected `int` >= 0"),
    ],
)
def test_damaged_counts_of_arguments_are_refused(
    tmp_path: Path, counts: dict[str, Any], problem: str
) -> None:
    dump = {"bin_format": {}, "args": [], **counts}
    found = problem_of(tmp_path, records=RUN, args_dump=dump)
    assert found == f"{next(iter(counts))!r} is not what it should be: {problem}"


def test_a_graph_names_its_runtime(tmp_path: Path) -> None:
    graph = {"tasks": [], "edges": []}
    write(tmp_path, old=graph, new={"runtime": "host_build_graph", **graph})
    assert read_deps(open_object(tmp_path / "old.json")).runtime == ""
    assert read_deps(open_object(tmp_path / "new.json")).runtime == "host_build_graph"
    problem = problem_of(tmp_path / "bad", records=RUN, deps={"runtime": 7, **graph})
    assert problem == "'runtime' is not what it should be: Expected `str`, got `int`"


KINDS = (
    *("args", "arena_build", "static_arena", "gm_heap", "shared_mem", "runtime_init", "host_orch"),
    *("graph_pack", "arena_h2d", "host_view_close", "submit_task", "alloc_tensors"),
    *("record_sub_task", "graph_submit", "build_definition", "graph_begin", "recording_wait"),
    *("graph_commit", "submit_admit", "record_handoff", "generated_args"),
)
"""All kinds of host phases that a runtime of today records."""


def test_host_phases_that_move_bytes(tmp_path: Path) -> None:
    assert len(KINDS) == 21
    phases = [
        {"phase": kind, "start_ns": at, "end_ns": at + 1, "detail": 64, "tid": 1}
        for at, kind in enumerate((*KINDS, "graph_upload", "record_node"))
    ]
    head = {"pid": 1, "clock": "host_monotonic_ns", "dropped": 0}
    write(tmp_path, host=lines({**head, "records": phases}))
    ((found,), _) = read_host_phases(tmp_path / "host.jsonl")
    names = [found.kind_names[code] for code in found.kinds.tolist()]
    moved = zip(names, found.columns["bytes"].tolist(), strict=True)
    assert {name for name, size in moved if size == 64} == {
        *("static_arena", "gm_heap", "shared_mem", "graph_pack", "arena_h2d", "graph_upload"),
    }


def test_all_of_today_beside_each_other(tmp_path: Path) -> None:
    """Files of today beside a records file of the shape that is read."""
    trace = read(
        tmp_path,
        records=records(1, aicore_tasks=[[0, 7, 1, 10, 20]]),
        pmu=EPOCHS + "0,0,0x0000000000000007,0,0,100,10,2,3\n",
        scope_stats=lines({"total": 1, "task_window_max": [4]}, {**SCOPE, "run_epoch": 3}),
        deps={"runtime": "tensormap_and_ringbuffer", "tasks": [], "edges": []},
        args_dump={"bin_format": {}, "args": [{**argument("0x7", "input"), "run_epoch": 3}]},
    )
    assert len(trace.counters) == 2 + 4 + 1
    assert losses(trace).nothing_lost
