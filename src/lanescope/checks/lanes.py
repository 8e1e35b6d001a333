"""Lanes: what the ledger says of each, what the level promises, and phases without good times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from lanescope.checks.finding import CheckFinding, ProducerAccount
from lanescope.checks.naming import are, have
from lanescope.render.cells import count_text, many_text
from lanescope.trace import MISSING, MISSING32, LedgerEntry, Trace
from lanescope.trace.run_parts import run_name
from lanescope.trace.table import Array
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK, precedes

_ASKED = {
    2: ("scheduler rows", "dispatch and finish of every task"),
    3: ("scheduler phases", "what the schedulers did"),
    4: ("submits", "what the orchestrator did"),
}
"""What each level adds: the records, and what they say."""
_UNCOUNTED = ("chrome",)
"""Formats whose files say nothing of what is not in them."""
_NO_LOSS = "with an ambiguous arg_index"
"""How a reason ends that is about nothing lost."""


def ledger_accounts(trace: Trace) -> list[ProducerAccount]:
    """The accounts of all lanes that are no task rows."""
    return [
        ProducerAccount(
            producer=entry.lane,
            records=entry.kind,
            expected=None if entry.unknown else entry.total,
            delivered=entry.delivered,
            dropped=entry.dropped,
            unmatched=entry.unmatched,
        )
        for entry in trace.meta.ledger
        if entry.kind not in (CORE_TASK, CONTROLLER_TASK)
    ]


def uncounted_accounts(trace: Trace) -> list[ProducerAccount]:
    """Controllers' phases that no account of the source counts."""
    counted = {entry.kind for entry in trace.meta.ledger}
    lanes, controllers = trace.phases.text("lane"), trace.phases["controller"].tolist()
    found = Counter(zip(lanes, controllers, strict=True))
    return [
        ProducerAccount(
            producer=f"{lane} {controller}",
            records=f"{lane}_phase",
            expected=None,
            delivered=count,
        )
        for (lane, controller), count in sorted(found.items())
        if lane in ("scheduler", "orchestrator") and f"{lane}_phase" not in counted
    ]


def uncounted_findings(trace: Trace) -> Iterator[CheckFinding]:
    """Phases that nothing counts, held against the tasks that they say they completed."""
    lanes = {one.records for one in uncounted_accounts(trace)}
    if "scheduler_phase" not in lanes:
        return
    own = np.array(trace.phases.text("lane"), object) == "scheduler"
    own &= np.array(trace.phases.text("kind"), object) == "complete"
    handled = trace.phases["tasks"][own & (trace.phases["tasks"] != MISSING32)]
    seen = int((trace.tasks["finish_ns"] != MISSING).sum())
    completed = int(handled.sum())
    if len(handled) and completed < seen:
        yield CheckFinding(
            producer="schedulers",
            kind="missing",
            sentence=f"The schedulers' phases complete {many_text(completed, 'task')}, and "
            f"{count_text(seen)} rows say that a scheduler saw them finish: phases are missing.",
            cause="The file keeps no account of its phases, so nobody says who lost them.",
        )


def ledger_findings(trace: Trace) -> Iterator[CheckFinding]:
    """A finding per lane that lost records, does not close, or does not know."""
    counted = trace.meta.ledger and not any(s.format in _UNCOUNTED for s in trace.meta.sources)
    if not counted and (trace.ran().any() or len(trace.phases) or len(trace.marks)):
        yield CheckFinding(
            producer="all",
            kind="unknown",
            sentence="Nothing counts what was recorded, so what is missing is not known.",
            cause="Files of this format hold what arrived, not how much there was.",
        )
    for entry in trace.meta.ledger:
        if entry.kind == "pmu":
            continue  # Counter rows are held against the tasks.
        yield from _of_entry(entry)


def _of_entry(entry: LedgerEntry) -> Iterator[CheckFinding]:
    many = many_text(entry.total, f"{entry.kind.replace('_', ' ')} record")
    if entry.unknown:
        there = entry.delivered + entry.unmatched
        yield CheckFinding(
            producer=entry.lane,
            kind="unknown",
            sentence=f"{have(there, 'record')} arrived; how many there should be is not known.",
            cause=_sentence(entry.reason),
        )
    if entry.dropped:
        yield CheckFinding(
            producer=entry.lane,
            kind="dropped",
            count=entry.dropped,
            sentence=f"{count_text(entry.dropped)} of {many} are lost.",
            cause=_sentence(entry.reason) or "The producer does not say why.",
        )
    if entry.unmatched and entry.kind not in (CORE_TASK, CONTROLLER_TASK):
        yield CheckFinding(
            producer=entry.lane,
            kind="unmatched",
            count=entry.unmatched,
            sentence=f"{count_text(entry.unmatched)} of {many} have no partner.",
            cause=_sentence(entry.reason),
        )
    left = entry.total - entry.delivered - entry.dropped - entry.unmatched
    if left:
        yield CheckFinding(
            producer=entry.lane,
            kind="missing" if left > 0 else "contradiction",
            count=abs(left),
            sentence=f"{many} were made, but {count_text(entry.delivered)} delivered, "
            f"{count_text(entry.dropped)} dropped and {count_text(entry.unmatched)} unmatched do "
            "not add up to that.",
            cause=_sentence(entry.reason) or "Nobody counted these as lost.",
        )
    if entry.reason and not (entry.unknown or entry.dropped or entry.unmatched or left):
        yield CheckFinding(
            producer=entry.lane,
            kind="harmless" if entry.reason.endswith(_NO_LOSS) else "unknown",
            sentence=f"All {many} that were counted are there, but not all is well.",
            cause=_sentence(entry.reason),
        )


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:].removesuffix('.')}." if reason else ""


def level_findings(trace: Trace) -> Iterator[CheckFinding]:
    """What the level that was asked for promises and the trace does not hold."""
    level = trace.meta.level
    if not level:
        return
    rows = int((trace.tasks["token"] != MISSING).sum()) or int(trace.ran().sum())
    if not rows:
        yield CheckFinding(
            producer="all",
            kind="missing",
            sentence=f"Level {level} was asked for, and there are 0 task records.",
            cause=_why_empty(trace),
        )
        return
    for asked, (records, meaning) in _ASKED.items():
        if asked > level:
            continue
        for where in _lacking(trace, asked):
            yield CheckFinding(
                producer={2: "schedulers", 3: "schedulers", 4: "orchestrator"}[asked],
                kind="missing",
                sentence=f"Level {level} was asked for, but the {_lane(asked)} empty{where}: there "
                f"are no {records} ({meaning}).",
                cause=f"{are(rows, 'task row')} there, so tasks did run. The recording "
                f"served less than level {asked}: its buffers for {records} were not set up (they "
                "are set up once, by the first run's level), or none was filled.",
            )


def _lane(asked: int) -> str:
    return {2: "scheduler rows are", 3: "scheduler lane is", 4: "orchestrator lane is"}[asked]


def _why_empty(trace: Trace) -> str:
    stated = [word for word in trace.runs.text("completeness") if word]
    if stated:
        return f"The collector's verdict is {', '.join(dict.fromkeys(stated))}."
    others = int((trace.phases["start_cycles"] != MISSING).sum())
    if others:
        return f"{many_text(others, 'phase')} of controllers are there, so the device did work."
    return "Nothing tells whether nothing ran or nothing was collected."


def _lacking(trace: Trace, asked: int) -> list[str]:
    """Where the records of a level are not there: nowhere, or in which runs."""
    if asked == 2:
        there = trace.tasks["dispatch_ns"] != MISSING
        there |= trace.tasks["finish_ns"] != MISSING
        return [] if there.any() else [""]
    lane = "scheduler" if asked == 3 else "orchestrator"
    phases = np.array(trace.phases.text("lane"), object) == lane
    if not phases.any():
        return [""]
    device = phases & (trace.phases["start_cycles"] != MISSING)
    if len(trace.runs) < 2 or not device.any():
        return []
    there = set(trace.phases["run"][phases].tolist())
    ran = set(trace.tasks["run"][trace.ran()].tolist())
    numbers = trace.runs["run"].tolist()
    return [
        f" in {run_name(trace, row)}"
        for row, run in enumerate(numbers)
        if run in ran and run not in there
    ]


def phase_findings(trace: Trace) -> Iterator[CheckFinding]:
    """Phases of controllers that end before they start, or lack a time."""
    phases = trace.phases
    lane = np.array(phases.text("lane"), object)
    own = (lane == "scheduler") | (lane == "orchestrator")
    start, end = phases["start_cycles"], phases["end_cycles"]
    yield from _phases_by_lane(
        trace,
        precedes(end, start),
        "backward",
        ("ends before it starts", "end before they start"),
        "A counter does not run back: the record was overwritten while it was read.",
    )
    counted = (start != MISSING) | (end != MISSING)
    yield from _phases_by_lane(
        trace,
        own & counted & ((start == MISSING) | (end == MISSING)),
        "zero",
        ("has start or end 0", "have start or end 0"),
        "0 is no time: the record's slot was reserved and never committed.",
    )


def _phases_by_lane(
    trace: Trace, mask: Array, kind: str, what: tuple[str, str], cause: str
) -> Iterator[CheckFinding]:
    """A finding for each lane; `what` is said of one phase, and of several."""
    phases = trace.phases
    lanes = phases.text("lane") if mask.any() else []
    keys: dict[str, list[int]] = {}
    for row in np.flatnonzero(mask).tolist():
        keys.setdefault(f"{lanes[row]} {int(phases['controller'][row])}", []).append(row)
    kinds = phases.text("kind") if keys else []
    for name, rows in keys.items():
        yield CheckFinding(
            producer=name,
            kind=kind,
            count=len(rows),
            sentence=f"{many_text(len(rows), 'phase')} {what[len(rows) > 1]}; the first is phase "
            f"{rows[0]} ({kinds[rows[0]]}) of the trace.",
            cause=cause,
        )
