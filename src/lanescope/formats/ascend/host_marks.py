"""What rows of host threads mark: steps of the program, and calls in which the host waits."""

from __future__ import annotations

import numpy as np

from lanescope.formats.ascend.names import wait_kinds
from lanescope.formats.streams import HostRows, StepRows, WaitRows
from lanescope.formats.streams.recording import CATEGORIES
from lanescope.trace import MISSING

_STEP = "ProfilerStep#"
_CALL, _WAIT = CATEGORIES.index("call"), CATEGORIES.index("wait")


def steps_of(rows: HostRows) -> StepRows:
    """Rows of the host that the profiler calls ProfilerStep#N."""
    numbers = {
        code: int(name.removeprefix(_STEP))
        for code, name in enumerate(rows.names)
        if name.startswith(_STEP) and name.removeprefix(_STEP).isdecimal()
    }
    at = np.flatnonzero(np.isin(rows.name, list(numbers)))
    return StepRows(
        step=np.array([numbers[code] for code in rows.name[at].tolist()], np.int64),
        name=[rows.names[code] for code in rows.name[at].tolist()],
        thread=rows.thread[at],
        start=rows.start[at],
        end=rows.end[at],
    )


def mark_waits(rows: HostRows) -> None:
    """Make waits of the calls that synchronise, each with a number that no launch has."""
    waiting = (wait_kinds(rows.names)[rows.name] >= 0) & (rows.category == _CALL)
    rows.category = np.where(waiting, _WAIT, rows.category)
    assert rows.launch is not None
    own = -2 - np.arange(len(rows.launch))
    rows.launch = np.where(waiting & (rows.launch == MISSING), own, rows.launch)


def waits_of(rows: HostRows) -> WaitRows:
    """The calls in which the host waits; which stream it waits for is not told."""
    at = np.flatnonzero(rows.category == _WAIT)
    assert rows.launch is not None
    return WaitRows(
        kind=wait_kinds(rows.names)[rows.name[at]],
        lane=np.full(len(at), -1, np.int64),
        on_lane=np.full(len(at), -1, np.int64),
        launch=rows.launch[at],
        on_launch=np.full(len(at), MISSING),
        start=rows.start[at],
        end=rows.end[at],
    )
