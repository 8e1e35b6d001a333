"""Sentences about task rows: what is wrong, where, and what the data say of the cause."""

from __future__ import annotations

import numpy as np

from lanescope.checks.finding import CheckFinding
from lanescope.checks.naming import (
    are,
    core_name,
    have,
    listed,
    per_core_text,
    rows_text,
    tasks_text,
)
from lanescope.checks.simpler.facts import buffer_records
from lanescope.checks.tasks import TaskSides
from lanescope.render.cells import count_text, many_text
from lanescope.trace import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK

_KEPT = "Every task is kept."


def scheduler_missing(sides: TaskSides) -> list[CheckFinding]:
    """Tasks that ran on a core and that no scheduler row names."""
    mask = sides.scheduler_missing
    number = int(mask.sum())
    if not number or not sides.due:
        return []
    total = len(sides.rows)
    if number == total:
        return []  # The level's finding says that there is no scheduler row at all.
    where = rows_text(sides.trace, sides.rows[mask])
    threads = _threads(sides, mask)
    who = f"{threads} wrote no row, or lost it before it was published"
    return [
        CheckFinding(
            producer=threads,
            kind="missing",
            count=number,
            sentence=f"{have(number, 'task')} a core row and no scheduler row, of "
            f"{count_text(total)}: {where}. {_KEPT} Dispatch and finish of these are not known.",
            cause=_joined(
                f"Not the core: its row is there. So {who}.",
                _position(sides, mask),
                _rotation(sides, mask, CONTROLLER_TASK, "the scheduler's"),
                _stated(sides, mask),
            ),
        )
    ]


def core_missing(sides: TaskSides) -> list[CheckFinding]:
    """Dispatches whose core has no row."""
    mask = sides.core_missing
    number = int(mask.sum())
    if not number:
        return []
    where = rows_text(sides.trace, sides.rows[mask])
    seen = "the scheduler saw the task finish, so the core ran it"
    return [
        CheckFinding(
            producer=_cores(sides, mask),
            kind="missing",
            count=number,
            sentence=f"{have(number, 'scheduler row')} no core row, of "
            f"{count_text(len(sides.rows))}: {where}. Start and end of these are not known, and "
            "the row does not say which task it was.",
            cause=_joined(
                f"The core's record was never committed: {seen}.",
                _position(sides, mask),
                _rotation(sides, mask, CORE_TASK, "the core's"),
                _candidates(sides, number),
            ),
        )
    ]


def core_zero(sides: TaskSides) -> list[CheckFinding]:
    """Rows of cores whose start or end is 0."""
    mask = sides.core_zero
    number = int(mask.sum())
    if not number:
        return []
    trace = sides.trace
    finished = int((mask & ~sides.scheduler_missing & ~sides.scheduler_zero).sum())
    ran = ""
    if sides.due and finished:
        ran = (
            f"For {count_text(finished)} of them the scheduler has dispatch and finish, so the "
            "core ran the task and its record alone was not written."
        )
    elif sides.due:
        ran = "The scheduler has no row for any of them either: the tasks may not have run."
    return [
        CheckFinding(
            producer=_cores(sides, mask),
            kind="zero",
            count=number,
            sentence=f"{have(number, 'core row')} start or end 0, of {count_text(len(sides.rows))} "
            f"({per_core_text(trace, sides.core[mask])}); first "
            f"{rows_text(trace, sides.rows[mask][:1])}.",
            cause=_joined(
                "0 is no time: the core's slot was reserved and never committed.",
                ran,
                _position(sides, mask),
                _rotation(sides, mask, CORE_TASK, "the core's"),
            ),
        )
    ]


def scheduler_zero(sides: TaskSides) -> list[CheckFinding]:
    """Rows of schedulers with one of their two times."""
    mask = sides.scheduler_zero
    number = int(mask.sum())
    if not number:
        return []
    return [
        CheckFinding(
            producer=_threads(sides, mask),
            kind="zero",
            count=number,
            sentence=f"{have(number, 'scheduler row')} dispatch or finish 0: "
            f"{rows_text(sides.trace, sides.rows[mask])}.",
            cause=_joined(
                "The scheduler wrote one of the two times and not the other.",
                _position(sides, mask),
            ),
        )
    ]


def duplicated(sides: TaskSides) -> list[CheckFinding]:
    """Rows that share run, core and token with another."""
    mask = sides.duplicated
    number = int(mask.sum())
    if not number:
        return []
    cause = "One dispatch gives one row per side: a buffer was delivered twice, or runs are mixed."
    if (sides.run == MISSING32).all() and len(np.unique(sides.core[mask])) > 1:
        cause += " The rows name no run, so two runs in one file look like this."
    return [
        CheckFinding(
            producer=_cores(sides, mask),
            kind="duplicated",
            count=number,
            sentence=f"{are(number, 'row')} not the only one with core and token: "
            f"{rows_text(sides.trace, sides.rows[mask])}. They cannot be joined.",
            cause=cause,
        )
    ]


def backward(sides: TaskSides) -> list[CheckFinding]:
    """Rows that end before they start."""
    mask = sides.backward
    number = int(mask.sum())
    if not number:
        return []
    said = f"{many_text(number, 'row')} end before they start"
    return [
        CheckFinding(
            producer=_cores(sides, mask),
            kind="backward",
            count=number,
            sentence=f"{'1 row ends before it starts' if number == 1 else said}: "
            f"{rows_text(sides.trace, sides.rows[mask])}.",
            cause="A counter does not run back: the row was overwritten while it was read, or "
            "holds the times of two tasks.",
        )
    ]


def disordered(sides: TaskSides) -> list[CheckFinding]:
    """Rows whose times contradict dispatch ≤ receive ≤ start ≤ end ≤ finish, or their tokens."""
    mask = sides.disordered
    number = int(mask.sum())
    if not number:
        return []
    return [
        CheckFinding(
            producer=_cores(sides, mask),
            kind="disordered",
            count=number,
            sentence=f"{have(number, 'row')} times out of order (dispatch, receive, start, end, "
            "finish; and one task of a core after the other): "
            f"{rows_text(sides.trace, sides.rows[mask])}.",
            cause="One row holds times of two dispatches, or core and scheduler count by "
            "different clocks.",
        )
    ]


def gaps(sides: TaskSides) -> list[CheckFinding]:
    """Tokens that neither side names although those around them are there."""
    trace = sides.trace
    found = sides.gaps() if buffer_records(trace, CORE_TASK) is not None else []
    if not found:
        return []
    number = sum(count for _, count in found)
    names = [
        f"{core_name(trace, int(sides.core[row]))} after token {int(sides.token[row])}"
        for row, _ in found
    ]
    both = "neither core nor scheduler has a row of them" if sides.due else "no row names them"
    return [
        CheckFinding(
            producer="cores and schedulers" if sides.due else "cores",
            kind="unknown",
            count=number,
            sentence=f"{have(number, 'dispatch number')} no row: {listed(names)}; {both}.",
            cause="Tokens count the dispatches of a core one by one. Both rows were lost, or the "
            "runtime left out the number.",
        )
    ]


FINDERS = (
    scheduler_missing,
    core_missing,
    core_zero,
    scheduler_zero,
    duplicated,
    backward,
    disordered,
    gaps,
)


def _joined(*sentences: str) -> str:
    return " ".join(one for one in sentences if one)


def _cores(sides: TaskSides, mask: Array) -> str:
    cores = np.unique(sides.core[mask]).tolist()
    return core_name(sides.trace, cores[0]) if len(cores) == 1 else f"{len(cores)} cores"


def _threads(sides: TaskSides, mask: Array) -> str:
    """The schedulers that serve the cores of these rows."""
    table = sides.trace.cores
    served = table["controller"][np.isin(table["core"], np.unique(sides.core[mask]))]
    threads = np.unique(served[served != MISSING32]).tolist()
    return listed([f"scheduler {one}" for one in threads]) if threads else "the scheduler"


def _position(sides: TaskSides, mask: Array) -> str:
    """Whether the rows are the last ones of their cores."""
    number, last = int(mask.sum()), int(sides.last_on_core(mask).sum())
    if last == number:
        return (
            "No row follows on the core, so the recording may have been stopped or cut off there."
        )
    if not last:
        return "Later rows of the same cores are there, so the end was not cut off."
    return f"{count_text(last)} of them are the last of their cores, as after a cut; others not."


def _rotation(sides: TaskSides, mask: Array, records: str, whose: str) -> str:
    """Whether a buffer can have been lost: only where a core has more rows than one holds."""
    size = buffer_records(sides.trace, records)
    if size is None:
        return ""
    cores, counts = np.unique(sides.core, return_counts=True)
    most = int(counts[np.isin(cores, np.unique(sides.core[mask]))].max())
    if most <= size:
        return (
            f"A lost buffer is ruled out: {whose} buffer holds {count_text(size)} rows, and no "
            f"such core has more than {count_text(most)}, so it never rotated."
        )
    lost = int(np.unique(sides.core[mask], return_counts=True)[1].max())
    rotated = (
        f"A core has {count_text(most)} rows, and {whose} buffer holds {count_text(size)}: it "
        "rotated, and a record may be lost at that moment."
    )
    if lost >= size:
        return f"{rotated} A lost buffer is possible, too."
    return f"{rotated} A whole lost buffer is ruled out: no core lost {count_text(size)} rows."


def _stated(sides: TaskSides, mask: Array) -> str:
    """What the schedulers say themselves about losses."""
    stated = [e for e in sides.trace.meta.ledger if e.lane.startswith(("scheduler", "collector"))]
    if not stated:
        return ""
    lossy = [entry for entry in stated if entry.dropped or entry.reason]
    if not lossy:
        return "The schedulers' own accounts report no loss."
    return "Losses are reported by " + listed([f"{e.lane} ({e.reason})" for e in lossy]) + "."


def _candidates(sides: TaskSides, number: int) -> str:
    """Tasks that the graph declares and no row names: the missing ones are among them."""
    trace = sides.trace
    kind = np.array(trace.tasks.text("kind"), object)
    nodes = trace.tasks["task"][kind == "node"].tolist()
    if not nodes:
        return ""
    sure = "it is" if len(nodes) == number == 1 else "they are among those"
    return f"By the task graph {sure} {tasks_text(trace, nodes)}, which no core row names."
