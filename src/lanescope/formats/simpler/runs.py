"""The runs of a records file: told apart by their epoch, each to be joined on its own.

Tokens and task ids begin anew with every run, so nothing is joined across runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.counters import Columns
from lanescope.formats.simpler.parts import Run
from lanescope.formats.simpler.records import (
    ControllerRows,
    CoreRows,
    PhaseList,
    Records,
)
from lanescope.render.cells import many_text
from lanescope.trace import NO_WORD, LedgerEntry, Trace
from lanescope.trace.merge import with_run
from lanescope.trace.numbering import different
from lanescope.trace.task_ids import TaskIds, impossible, unsigned

_Rows = TypeVar("_Rows", CoreRows, ControllerRows)


def split_runs(whole: Run, *, keep_damaged: bool) -> list[Run]:
    """One `Run` per epoch in the records file, in rising order; what has no epoch goes first.

    Raises InputError where a part of a file of several runs does not say which run it is of; with
    `keep_damaged` such a part stays without partners, in the first run.
    """
    records = whole.records
    if records is None:
        return [whole]
    _require_ids(records)
    epochs = _epochs(records)
    if len(epochs) < 2:
        stated = records.epoch
        if epochs and stated is not None and stated not in epochs:
            problem = f"'collection' says that this is run {stated}, its records are of run "
            whole.notes.append(f"{records.path.name}: {problem}{epochs[0]}.")
        whole.records = replace(records, epoch=epochs[0] if epochs else stated)
        return [whole]
    if not keep_damaged:
        _require_epochs(records)
    if records.host is not None:
        problem = "The host's phases do not say which run they are of"
        whole.notes.append(f"{problem}; they are shown with the first one.")
    return [_one(whole, records, epoch, first=not k) for k, epoch in enumerate(epochs)]


def _epochs(records: Records) -> list[int]:
    found: set[int] = set()
    for part in (records.cores, records.controllers, *records.phases):
        if part is not None and part.epoch is not None:
            found.update(different(part.epoch).tolist())
    return sorted(found)


def _require_ids(records: Records) -> None:
    """Refuse ids that the runtime which the file names cannot have written."""
    columns = {"aicore_tasks": records.cores.task}
    for phases in records.phases:
        if "task" in phases.columns:
            columns[f"{phases.lane} {phases.controller}"] = phases.columns["task"]
    for what, ids in columns.items():
        bad = impossible(records.task_ids, ids)
        if bad.any():
            row = int(np.argmax(bad))
            form = "ring and number" if records.task_ids == TaskIds.RING else "space and number"
            problem = f"{what} row {row}: {unsigned(int(ids[row]))} is no task id of this runtime"
            raise InputError(records.path, f"{problem} ({form}); is 'runtime' right?")


def _require_epochs(records: Records) -> None:
    parts = {"aicore_tasks": records.cores, records.scheduler_key: records.controllers}
    for what, part in parts.items():
        if part is not None and part.epoch is None and len(part.core):
            problem = f"{what} rows do not say which run they are of, and the file holds several"
            raise InputError(
                records.path, f"{problem}, so they cannot be joined; --keep-damaged imports them"
            )


def _one(whole: Run, records: Records, epoch: int, *, first: bool) -> Run:
    """The part of one run; the accounts and what names no run are with the first one."""
    cores, controllers = records.cores, records.controllers
    own = replace(
        records,
        cores=_of_run(cores, epoch, first),
        controllers=None if controllers is None else _of_run(controllers, epoch, first),
        phases=[_phases_of(phases, epoch, first) for phases in records.phases],
        host=records.host if first else None,
        ledger=records.ledger if first else (),
        notes=records.notes if first else [],
        epoch=epoch,
    )
    files = whole.files
    if not first:
        files = replace(files, scopes=None, arguments=None, notes=())
    return Run(
        files,
        records=own,
        graph=whole.graph,
        pmu=whole.pmu if first else None,
        loose=whole.loose if first else [],
        placed=whole.placed,
        ledger=list(whole.ledger) if first else [],
        notes=list(whole.notes) if first else [],
    )


def _of_run(rows: _Rows, epoch: int, first: bool) -> _Rows:
    if rows.epoch is None:
        return rows if first else rows.rows(np.zeros(len(rows.core), bool))
    mine = rows.epoch == epoch
    return replace(rows.rows(mine), place=np.flatnonzero(mine))


def _phases_of(phases: PhaseList, epoch: int, first: bool) -> PhaseList:
    if phases.epoch is None:
        return phases if first else phases.rows(np.zeros(len(phases.start), bool))
    return phases.rows(phases.epoch == epoch)


def share_companions(runs: Sequence[Run]) -> None:
    """Give every run its part of the files that the first one has; say what they leave open."""
    first = runs[0]
    _share_counters(runs)
    if len(runs) > 1 and first.files.arguments is not None:
        problem = "The argument dump does not say which run it is of"
        first.notes.append(f"{problem}; it is shown with the first one.")
    if len(runs) > 1 and first.graph is not None:
        first.notes.append("deps.json holds one task graph; all runs are taken to have run it.")


def _share_counters(runs: Sequence[Run]) -> None:
    """Rows of other runs are left out, and accounted for: task ids begin anew with every run."""
    first = runs[0]
    pmu, epochs = first.pmu, [run.records.epoch for run in runs if run.records]
    if pmu is None or not epochs:
        return
    if pmu.epoch is None:
        if len(runs) > 1:
            first.pmu = None
            problem = "does not say which of the runs its rows are of, so it was not used"
            first.notes.append(f"pmu.csv {problem}.")
        return
    if epochs == [None] and len(different(pmu.epoch)) < 2:
        return
    left = np.ones(len(pmu.core), bool)
    for run, epoch in zip(runs, epochs, strict=True):
        mine = left & (pmu.epoch == (-1 if epoch is None else epoch))
        run.pmu = pmu.rows(mine)
        left &= ~mine
    if count := int(left.sum()):
        problem = "without the epoch of a run that is here"
        first.notes.append(f"Left out: {many_text(count, 'row')} of pmu.csv {problem}.")
        first.ledger.append(LedgerEntry("counters", "pmu", count, 0, count, reason=problem))


def missing_sections(records: Records) -> list[str]:
    """What the level promises and the file does not hold, as sentences."""
    notes = []
    lanes = {phases.lane for phases in records.phases if len(phases.start)}
    if records.host is not None:
        lanes |= {phases.lane for phases in records.host.phases if len(phases.start)}
    ran = bool(len(records.cores.core))
    if records.level >= 3 and ran and "scheduler" not in lanes:
        notes.append(f"Level {records.level} was asked for, but the file has no scheduler phases.")
    if records.level >= 4 and ran and "orchestrator" not in lanes:
        notes.append(f"Level {records.level} was asked for, but the file has no submits.")
    return notes


def controller_columns(run: Run) -> Columns:
    """The `controllers` table: what the file says of controllers beside their numbers."""
    facts = run.records.controller_facts if run.records else ()
    kinds = [run.words.code(one.kind) if one.kind else NO_WORD for one in facts]
    return {
        "lane": run.words.codes([one.lane for one in facts]),
        "controller": np.array([one.controller for one in facts], np.int32),
        "name": run.words.codes([one.name for one in facts]),
        "kind": np.array(kinds, np.int32),
        "worker": np.array([one.worker for one in facts], np.int32),
        "physical_core": np.array([one.physical_core for one in facts], np.int32),
    }


def with_epoch(run: Run, trace: Trace) -> Trace:
    """The trace with a row in `runs`, where the file says which run it is, or how whole."""
    records = run.records
    if records is None or (records.epoch is None and not records.verdict):
        return trace
    clock = trace.meta.host_clock.status if trace.meta.host_clock else "device"
    return with_run(trace, epoch=records.epoch, completeness=records.verdict, clock=clock)
