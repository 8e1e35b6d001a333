"""Task rows: what the cores and the schedulers say of the same dispatches, held side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.checks.finding import CheckFinding, ProducerAccount
from lanescope.checks.naming import core_name
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.schema import TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK, precedes

ORDER = ("dispatch", "receive", "start", "end", "finish")
"""The moments of a task in the order in which they happen."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskSides:
    """Masks over the rows of `tasks` that name a core: what is wrong with each side of a row."""

    trace: Trace
    rows: Array
    """row numbers in `tasks`, by core, run and token"""
    core: Array
    run: Array
    token: Array
    duplicated: Array
    backward: Array
    core_missing: Array
    """the scheduler has a row, the core has none"""
    core_zero: Array
    """the core has a row without its times"""
    scheduler_missing: Array
    """the core has a row, the scheduler has none"""
    scheduler_zero: Array
    """the scheduler has a row without one of its times"""
    disordered: Array
    due: bool
    """whether schedulers should have a row for every task: level 2 and above"""

    @classmethod
    def of(cls, trace: Trace) -> TaskSides:
        """Look at every row of a trace."""
        tasks = trace.tasks
        rows = np.flatnonzero((tasks["core"] != MISSING32) & ~_counted_only(trace))
        order = np.lexsort((tasks["token"][rows], tasks["run"][rows], tasks["core"][rows]))
        rows = rows[order]
        column = {name: tasks[name][rows] for name in ("core", "run", "token", "flags", "task")}
        times = {name: _moment(trace, name)[rows] for name in ORDER}
        flags = column["flags"]
        duplicated = (flags & TaskFlag.DUPLICATE_TOKEN) != 0
        no_core = (flags & TaskFlag.NO_CORE_RECORD) != 0
        named = column["task"] != MISSING
        no_scheduler = (flags & TaskFlag.NO_CONTROLLER_RECORD) != 0
        some = (times["dispatch"] != MISSING) | (times["finish"] != MISSING)
        return cls(
            trace=trace,
            rows=rows,
            core=column["core"],
            run=column["run"],
            token=column["token"],
            duplicated=duplicated & ~(no_core & named),
            backward=(flags & TaskFlag.BACKWARDS) != 0,
            core_missing=no_core & ~named & ~duplicated,
            core_zero=no_core & named,
            scheduler_missing=no_scheduler & ~some & ~duplicated,
            scheduler_zero=no_scheduler & some & ~duplicated,
            disordered=_disordered(times, flags, _ordered(trace)) | _out_of_turn(column, times),
            due=trace.meta.level >= 2,
        )

    def accounts(self) -> list[ProducerAccount]:
        """What each core, and the scheduler for each core, should have delivered."""
        result = []
        for core in np.unique(self.core).tolist():
            own = self.core == core
            result.append(self._account(core, own, CORE_TASK))
            if self.due:
                result.append(self._account(core, own, CONTROLLER_TASK))
        return result

    def _account(self, core: int, own: Array, records: str) -> ProducerAccount:
        missing, zero = self.core_missing, self.core_zero
        if records == CONTROLLER_TASK:
            missing, zero = self.scheduler_missing, self.scheduler_zero
        backward = self.backward & ~missing & ~zero
        duplicated = self.duplicated & ~missing & ~zero & ~backward
        bad = missing | zero | backward | duplicated
        return ProducerAccount(
            producer=core_name(self.trace, core),
            records=records,
            expected=int(own.sum()),
            delivered=int((own & ~bad).sum()),
            missing=int((own & missing).sum()),
            zero=int((own & zero).sum()),
            backward=int((own & backward).sum()),
            duplicated=int((own & duplicated).sum()),
            disordered=int((own & self.disordered).sum()) if records == CORE_TASK else 0,
        )

    def last_on_core(self, mask: Array) -> Array:
        """Of the rows in the mask those behind which no other row of their core and run follows."""
        end = np.ones(len(self.core), bool)
        end[:-1] = (self.core[1:] != self.core[:-1]) | (self.run[1:] != self.run[:-1])
        last = np.zeros(len(end), bool)
        open_end = False
        for row in range(len(end) - 1, -1, -1) if mask.any() else ():
            open_end = bool(mask[row]) and (open_end or bool(end[row]))
            last[row] = open_end
        return last

    def gaps(self) -> list[tuple[int, int]]:
        """Pairs of a row, and how many tokens are missing between it and the next on its core."""
        same = (self.core[1:] == self.core[:-1]) & (self.run[1:] == self.run[:-1])
        known = (self.token[1:] != MISSING) & (self.token[:-1] != MISSING)
        step = np.where(same & known, self.token[1:] - self.token[:-1], 1)
        at = np.flatnonzero(step > 1)
        return list(zip(at.tolist(), (step[at] - 1).tolist(), strict=True))


def _counted_only(trace: Trace) -> Array:
    """Rows that only the hardware counters know: a run without records."""
    if trace.meta.level:
        return np.zeros(len(trace.tasks), bool)
    return np.asarray((trace.tasks["flags"] & TaskFlag.NO_CORE_RECORD) != 0)


def _moment(trace: Trace, name: str) -> Array:
    """A time of all rows, in cycles where the source counts cycles."""
    cycles = trace.tasks[f"{name}_cycles"]
    return cycles if (cycles != MISSING).any() else trace.tasks[f"{name}_ns"]


def _ordered(trace: Trace) -> tuple[str, ...]:
    """The moments whose order is known: a core that schedules stamps a dispatch after it is done,
    when the other core may have begun."""
    on_cores = (trace.controllers["worker"] != MISSING32).any()
    return ORDER[1:-1] if on_cores else ORDER


def _disordered(times: dict[str, Array], flags: Array, order: tuple[str, ...]) -> Array:
    """Rows in which a later moment has the earlier time; a row that ends backward is not one."""
    found = np.zeros(len(flags), bool)
    for place, first in enumerate(order):
        for second in order[place + 1 :]:
            found |= precedes(times[second], times[first])
    result: Array = found & ((flags & TaskFlag.BACKWARDS) == 0)
    return result


def _out_of_turn(column: dict[str, Array], times: dict[str, Array]) -> Array:
    """Rows that start before the row with the token before theirs has ended on the core."""
    found = np.zeros(len(column["core"]), bool)
    if len(found) < 2:
        return found
    same = (column["core"][1:] == column["core"][:-1]) & (column["run"][1:] == column["run"][:-1])
    known = column["token"][1:] != MISSING
    good = (column["flags"] & (TaskFlag.BACKWARDS | TaskFlag.DUPLICATE_TOKEN)) == 0
    early = precedes(times["start"][1:], times["end"][:-1])
    found[1:] = same & known & early & good[1:] & good[:-1]
    return found


def task_findings(sides: TaskSides) -> list[CheckFinding]:
    """Everything that is wrong with task rows, one finding per kind."""
    from lanescope.checks.task_sentences import FINDERS

    return [finding for find in FINDERS for finding in find(sides)]
