"""What a records file and the counters beside it say of themselves: collector, host, PMU, lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lanescope.checks.finding import CheckFinding, ProducerAccount
from lanescope.checks.naming import core_name, have, listed
from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile, split_array
from lanescope.formats.simpler.collection import WHOLE
from lanescope.render.cells import count_text, many_text
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.run_parts import run_name
from lanescope.trace.task_names import task_text

_COUNTS = {
    "not_received_buffers": ("buffer", "not received"),
    "unpublished_loss": ("record", "never published"),
    "transport_retired": ("buffer", "given up on the way"),
    "transport_retired_records": ("record", "given up on the way"),
    "unattributable_handoffs": ("buffer", "of no known run"),
    "cut_failed_queues": ("queue", "not closed"),
}
_LOST = ("unpublished_loss", "transport_retired_records")
_CAUSES = {
    "partial_safe": "The collector lost them between the device and the file, and counted them; "
    "what is in the file is right.",
    "partial_cut_unknown": "The collector could not tell where the records of this run end, so "
    "some may be missing or be of another run, and nobody counted them.",
}
_LISTS = "aicpu_scheduler_phases"


def collector_findings(trace: Trace) -> Iterator[CheckFinding]:
    """The collector's verdict on every run, with its counts."""
    extras = trace.meta.extra.get("runs") or [trace.meta.extra]
    for row, extra in enumerate(extras):
        stated = extra.get("collection")
        if not isinstance(stated, dict):
            continue
        epoch = stated.get("run_epoch")
        run = f"run {epoch}" if epoch is not None else "the run"
        yield from _verdict(run, stated)
        if row < len(trace.runs) and epoch is not None:
            found = int(trace.runs["epoch"][row])
            if found not in (MISSING, epoch):
                yield CheckFinding(
                    producer="collector",
                    kind="contradiction",
                    sentence=f"The file says that it is of run {epoch}, and its records are of "
                    f"{run_name(trace, row)}.",
                    cause="The collector gave the records to the wrong run.",
                )


def _verdict(run: str, stated: Mapping[str, Any]) -> Iterator[CheckFinding]:
    verdict = str(stated.get("verdict", ""))
    told = [
        f"{many_text(int(stated[key]), thing)} {what}"
        for key, (thing, what) in _COUNTS.items()
        if stated.get(key)
    ]
    if not stated.get("processing_complete", True) or not stated.get("metadata_complete", True):
        told.append("written before all of the run was processed")
    if not stated.get("handoff_identity_verified", True):
        told.append("whose buffers were handed over was not verified")
    if verdict == WHOLE and not told:
        return
    lost = sum(int(stated.get(key) or 0) for key in _LOST)
    kind = "dropped" if lost and "unknown" not in verdict else "unknown"
    cause = _CAUSES.get(verdict, "The collector names no cause.")
    if verdict == WHOLE:
        kind, cause = "contradiction", "A run whose records are all there has no such count."
    yield CheckFinding(
        producer="collector",
        kind=kind,
        count=lost if kind == "dropped" else None,
        sentence=f"The collector's verdict on {run} is {verdict}: "
        f"{', '.join(told) or 'no count is given'}.",
        cause=cause,
    )


def host_findings(trace: Trace) -> Iterator[CheckFinding]:
    """The host orchestrator's own account, where it contradicts itself or the file."""
    extras = trace.meta.extra.get("runs") or [trace.meta.extra]
    there = sum(e.delivered for e in trace.meta.ledger if e.lane == "host orchestrator")
    for extra in extras:
        stated = extra.get("host_capture")
        if not isinstance(stated, dict):
            continue
        expected, recorded, dropped = (
            int(stated.get(f"{key}_records") or 0) for key in ("expected", "recorded", "dropped")
        )
        problems = []
        if stated.get("status") not in ("complete", "ok"):
            problems.append(f"its status is {stated.get('status')!r}")
        if recorded != expected:
            problems.append(f"{recorded:,} of {expected:,} expected records were recorded")
        if dropped:
            problems.append(f"{dropped:,} were dropped")
        if there != recorded:
            problems.append(f"{there:,} are in the file, {recorded:,} were recorded")
        if problems:
            yield CheckFinding(
                producer="host orchestrator",
                kind="contradiction" if expected == there else "missing",
                count=abs(expected - there),
                sentence=f"The host's account of its submits is not good: {', '.join(problems)}.",
                cause=str(stated.get("error") or "")
                or (
                    "The host's pool of "
                    f"{int(stated.get('pool_records') or 0):,} records was full or cut."
                    if expected > recorded
                    else "The records were lost between the host's pool and the file."
                ),
            )


def pmu_account(trace: Trace, rows: int) -> ProducerAccount | None:
    """Counter rows against task rows; None where there are no counters."""
    entries = [entry for entry in trace.meta.ledger if entry.kind == "pmu"]
    if not entries:
        return None
    matched = sum(entry.delivered for entry in entries)
    return ProducerAccount(
        producer="pmu",
        records="pmu",
        expected=rows if trace.meta.level else None,
        delivered=matched,
        missing=max(rows - matched, 0) if trace.meta.level else 0,
        unmatched=sum(entry.unmatched for entry in entries),
    )


def pmu_findings(trace: Trace, rows: int) -> Iterator[CheckFinding]:
    """Counter rows of tasks that nobody ran, and tasks without counters."""
    account = pmu_account(trace, rows)
    has_file = any(source.format == "pmu" for source in trace.meta.sources)
    if account is None and has_file:
        yield CheckFinding(
            producer="pmu",
            kind="unknown",
            sentence="pmu.csv does not say which of the runs its rows are of, so they were not "
            "held against the tasks.",
            cause="Files before September 2026 have no run_epoch.",
        )
    if account is None:
        return
    if account.expected is None:
        yield CheckFinding(
            producer="pmu",
            kind="unknown",
            sentence=f"{have(account.delivered, 'counter row')} no task rows to be held against.",
            cause="There is no records file, and pmu.csv does not say how many rows it should "
            "have.",
        )
        return
    if account.unmatched:
        yield CheckFinding(
            producer="pmu",
            kind="unmatched",
            count=account.unmatched,
            sentence=f"{have(account.unmatched, 'counter row')} no task row: {_strangers(trace)}.",
            cause="The counters are of tasks that no record names: the records of these tasks are "
            "lost, or the two files are of different runs.",
        )
    if account.missing:
        yield CheckFinding(
            producer="pmu",
            kind="missing",
            count=account.missing,
            sentence=f"{have(account.missing, 'task row')} no counters, of "
            f"{many_text(rows, 'row')}.",
            cause="The device dropped the counter rows, or the buffers of a core were lost; a "
            "pmu.csv does not count that.",
        )


def _strangers(trace: Trace) -> str:
    table = trace.counters
    mask = (table["core"] != MISSING32) & (table["token"] == MISSING) & (table["task"] != MISSING)
    pairs = dict.fromkeys(
        zip(table["core"][mask].tolist(), table["task"][mask].tolist(), strict=True)
    )
    return listed(
        [f"{core_name(trace, core)} task {task_text(trace, task)}" for core, task in pairs]
    )


def phase_lists(file: JsonFile | None) -> int | None:
    """How many schedulers a file lists by their place; None where they have ids."""
    if file is None or _LISTS not in file:
        return None
    try:
        return len(split_array(file.values[_LISTS], what=repr(_LISTS)))
    except InputError:
        return None


def epoch_findings(trace: Trace) -> Iterator[CheckFinding]:
    """Runs of a file of several that have no task row."""
    if not trace.meta.level:
        return  # A host's log alone names runs and holds none of their records.
    if len(trace.runs) < 2:
        return
    ran = np.unique(trace.tasks["run"][trace.tasks["token"] != MISSING])
    for row, run in enumerate(trace.runs["run"].tolist()):
        if run not in ran:
            yield CheckFinding(
                producer="all",
                kind="missing",
                sentence=f"{run_name(trace, row).capitalize()} has 0 task rows; the file holds "
                f"{count_text(len(trace.runs))} runs.",
                cause="Its controllers have records, so it did run: the cores' and the "
                "schedulers' rows are lost, or were filed under another run.",
            )
