"""Why a stream ran nothing: every nanosecond of a gap has exactly one reason.

A gap ends when the next row of the stream starts; the call that launched this row is the evidence.
The gap is cut at three moments, and what is missing first gives the reason:

1. Until the call starts, the row is not launched. The reason is what the host did: it was busy
   (host_busy), it waited for a device itself (host_waiting), or none of its threads that launch has
   a row (host_unseen); `host_causes.py` has the rule. Before the first row of these threads nothing
   can be known (not_recorded). Before the first row of the whole stream the stream was not in use
   (nothing).
2. Then, until the last event that the row had to wait for, the stream waited (event). If the
   source does not tell which event that was, `events.py` says what it is taken to be.
3. The rest: a row launched within the gap is in its call until that returns (call), then on its way
   (launch). A row launched before the gap could have started: other streams of the device ran
   (crowded), or none did (start).

A gap between two rows of the same launch is inside a launched graph or operator (graph): nobody
recorded its edges, and kernels in it that were not recorded look the same. A row whose call is not
in the file says nothing about its gap (not_recorded). After the last row of the stream there was
nothing to do (nothing). Rows of the work `wait` are the device's own word for an event.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.accumulated import Accumulated
from lanescope.analyze.streams.events import events
from lanescope.analyze.streams.gaps import IdleGaps
from lanescope.analyze.streams.host_causes import HostWatch
from lanescope.analyze.streams.host_time import HostTime
from lanescope.analyze.streams.work import DeviceWork
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

IDLE_LABELS = {
    "host_busy": "late launch, host busy",
    "host_waiting": "late launch, host waited",
    "host_unseen": "late launch, no row of the host",
    "call": "in the launch call",
    "launch": "launched, on its way",
    "event": "waited for an event",
    "crowded": "could start, other streams ran",
    "start": "could start, did not yet",
    "graph": "between rows of one launch",
    "nothing": "nothing launched",
    "not_recorded": "not recorded",
}
"""Reasons why a stream was idle, and their words in a table."""


@dataclass(frozen=True, slots=True, eq=False)
class GapReasons:
    """The gaps of one lane, and what each reason takes of each gap."""

    gaps: IdleGaps
    by: dict[str, Array]
    """Reason to nanoseconds by gap; they add up to the gap."""
    names: Counter[int]
    """Innermost rows of the host while a launch was late: code of the name to nanoseconds."""


class Reasoning:
    """The rule of this module over one trace: clocks of threads and devices are made once."""

    def __init__(self, trace: Trace, work: DeviceWork, host: HostTime) -> None:
        """Prepare the rule for a trace."""
        self.work = work
        self.events = events(trace, work)
        self._watch = HostWatch(work, host)
        self._devices: dict[int, Accumulated] = {}

    def of_gaps(self, gaps: IdleGaps, rows: Array, device: int) -> GapReasons:
        """The reasons for gaps between rows of the work; `rows` are what the gaps number."""
        work = self.work
        by = {what: np.zeros(len(gaps.start), np.int64) for what in IDLE_LABELS}
        after = np.append(rows, -1)[gaps.after]
        before = np.append(rows, -1)[gaps.before]
        last, first = after < 0, before < 0
        call = np.where(last, MISSING, work.call_start[after])
        blind = ~last & (call == MISSING)
        launch = work.launch[after]
        inside = ~last & ~first & (launch == work.launch[before]) & (launch != MISSING)
        plain = ~(last | blind | inside)
        by["nothing"][last] = gaps.length[last]
        by["not_recorded"][blind & ~inside] = gaps.length[blind & ~inside]
        by["graph"][inside] = gaps.length[inside]
        launched = np.where(plain, np.clip(call, gaps.start, gaps.end), gaps.start)
        by["nothing"] += np.where(plain & first, launched - gaps.start, 0)
        thread = np.where(plain & ~first & (launched > gaps.start), work.thread[after], -1)
        names: Counter[int] = Counter()
        for number in np.unique(thread[thread >= 0]).tolist():
            mine = thread == number
            causes = self._watch.asked(number, device, gaps.start[mine], launched[mine])
            names += causes.names
            for what, ns in causes.by.items():
                by[what][mine] += ns
        self._launched(by, gaps, after, plain, launched, device)
        return GapReasons(gaps, by, names)

    def _launched(
        self,
        by: dict[str, Array],
        gaps: IdleGaps,
        after: Array,
        plain: Array,
        launched: Array,
        device: int,
    ) -> None:
        """Give the time from the launch to the end of each gap its reason."""
        happened = self.events.end[after]
        ready = np.where(happened == MISSING, launched, np.clip(happened, launched, gaps.end))
        ready = np.where(self.events.unknown[after], gaps.end, ready)
        ready = np.where(plain, ready, gaps.end)
        by["event"] += np.where(plain, ready - launched, 0)
        within = plain & (self.work.call_start[after] >= gaps.start) & (ready == launched)
        returned = np.clip(self.work.call_end[after], launched, gaps.end)
        by["call"] += np.where(within, returned - launched, 0)
        by["launch"] += np.where(within, gaps.end - returned, 0)
        late = plain & ~within
        others = np.where(late, self._device(device).between(ready, gaps.end), 0)
        by["crowded"] += others
        by["start"] += np.where(late, gaps.end - ready - others, 0)

    def _device(self, device: int) -> Accumulated:
        """Time in which anything ran on a device."""
        if device not in self._devices:
            mine = self.work.busy & (self.work.device == device)
            self._devices[device] = Accumulated.of_union(self.work.start[mine], self.work.end[mine])
        return self._devices[device]
