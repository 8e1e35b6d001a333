"""Records that a controller's warp writes together: none is lost, and each keeps its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.platforms.cuda.test_emulated import emulated, small, traced

from lanescope.trace import Table, Trace

ROW = 32
"""Tasks whose submissions are written together (device/orchestrator.cuh)."""
LATE_NS = 20_000_000
"""A thread that others keep from its processor reads its two clocks so far apart."""
SIZES = (1, 2, 7, 8, ROW - 1, ROW, ROW + 1, 1024)
"""Records in a buffer: some end inside a batch, some with it."""


def phases_of(trace: Trace, lane: str) -> Table:
    """The phases of a lane, in the order in which they began."""
    rows = np.flatnonzero(trace.phases["lane"] == trace.code(lane))
    own = trace.phases.rows(rows)
    return own.rows(np.argsort(own["start_ns"], kind="stable"))


@pytest.mark.parametrize("buffer_records", SIZES)
def test_every_submission_is_recorded_once_and_in_order(
    buffer_records: int, tmp_path: Path
) -> None:
    graph = small("random_dag")
    trace = traced(emulated(graph, tmp_path, buffer_records=buffer_records, buffers=3))
    submits = phases_of(trace, "orchestrator")
    assert submits["task"].tolist() == list(range(len(graph)))
    assert np.all(submits["end_ns"] >= submits["start_ns"])
    assert np.all(submits["start_ns"][1:] >= submits["end_ns"][:-1])


def test_a_submission_begins_where_the_one_before_it_ends(tmp_path: Path) -> None:
    submits = phases_of(traced(emulated(small("random_dag"), tmp_path)), "orchestrator")
    meets = submits["start_ns"][1:] == submits["end_ns"][:-1]
    first_of_row = np.arange(1, len(submits)) % ROW == 0
    assert np.all(meets | first_of_row)


@pytest.mark.parametrize("buffer_records", SIZES)
def test_no_phase_of_a_scheduler_is_lost(buffer_records: int, tmp_path: Path) -> None:
    graph = small("random_dag")
    trace = traced(emulated(graph, tmp_path, buffer_records=buffer_records, buffers=3))
    phases = trace.phases.rows(np.flatnonzero(trace.phases["lane"] == trace.code("scheduler")))
    kinds = np.array([trace.word(code) for code in phases["kind"].tolist()])
    done = {kind: int(phases["tasks"][kinds == kind].sum()) for kind in set(kinds.tolist())}
    assert done == {"complete": len(graph), "resolve": len(graph.pred), "dispatch": len(graph)}
    place = np.array([("resolve", "complete", "dispatch").index(kind) for kind in kinds])
    assert np.all(np.diff(phases["loop"] * 3 + place) > 0)  # as they ended


def test_a_dispatch_lies_in_the_phase_that_its_round_recorded(tmp_path: Path) -> None:
    """Stamps of phases are taken from the counter, and become times later than all others."""
    trace = traced(emulated(small("random_dag"), tmp_path))
    phases = phases_of(trace, "scheduler")
    code = trace.code("dispatch")
    own = phases.rows(np.flatnonzero(phases["kind"] == code))
    stamps = trace.tasks["dispatch_ns"][:, None]
    inside = (own["start_ns"] <= stamps) & (stamps <= own["end_ns"])
    assert np.all(inside.any(axis=1))


@pytest.mark.parametrize("level", [2, 3, 4])
def test_the_recording_tells_how_long_it_took_to_submit_all(level: int, tmp_path: Path) -> None:
    trace = traced(emulated(small("random_dag"), tmp_path, chip_swimlane=level))
    facts = trace.meta.recording
    assert facts is not None and facts.submit_lead_ns is not None
    assert facts.submitting_ns is not None and facts.submitting_ns > 0
    assert facts.bank_cores == 1
    begun = int(trace.tasks["dispatch_ns"].min()) - facts.submit_lead_ns
    if level == 4:
        submits = phases_of(trace, "orchestrator")
        assert abs(begun - int(submits["start_ns"][0])) < LATE_NS
        assert abs(begun + facts.submitting_ns - int(submits["end_ns"][-1])) < LATE_NS


def test_without_dispatches_it_tells_nothing_of_submits(tmp_path: Path) -> None:
    facts = traced(emulated(small("fan"), tmp_path, chip_swimlane=1)).meta.recording
    assert facts is not None
    assert (facts.submit_lead_ns, facts.submitting_ns) == (None, None)


@pytest.mark.parametrize("buffer_records", [1, 7, ROW])
def test_what_is_dropped_is_counted(buffer_records: int, tmp_path: Path) -> None:
    graph = small("random_dag")
    outcome = emulated(graph, tmp_path, buffer_records=buffer_records, buffers=1, on_full="drop")
    ledger = [one for one in traced(outcome).meta.ledger if one.kind == "orchestrator_phase"]
    assert [entry.closes for entry in ledger] == [True]
    assert sum(entry.total for entry in ledger) == len(graph)
