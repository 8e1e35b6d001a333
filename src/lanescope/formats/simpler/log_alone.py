"""A host log without records: its spans on the host's own clock, and a run per invocation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.host_lanes import host_lanes
from lanescope.formats.simpler.host_spans import with_host_spans
from lanescope.formats.simpler.hosting import HostLogs
from lanescope.formats.simpler.invocations import RUN
from lanescope.formats.simpler.records import Array
from lanescope.trace import MISSING, HostClock, Table, Trace, Words


def of_logs(trace: Trace, logs: HostLogs) -> Trace:
    """The trace, which has no records, with all that the logs tell."""
    lanes = host_lanes(logs, [], [])
    if not lanes:
        problem = "is a host's log without any span ([STRACE] lines), and no records lie beside it"
        raise InputError(logs.logs[0].path, f"{problem}; name the folder of the run")
    starts = [int(lane.start_ns.min()) for lane in lanes if len(lane.start_ns)]
    zero = min(starts, default=0)
    trace = with_host_spans(trace, lanes, [zero])
    words = Words(trace.words)
    spans = [one.only(RUN) for one in logs.invocations]
    known = [(one, span) for one, span in zip(logs.invocations, spans, strict=True) if span]
    epochs = [MISSING if one.run_epoch is None else one.run_epoch for one, _ in known]
    start = np.array([span.ts_ns - zero for _, span in known], np.int64)
    runs: dict[str, Array] = {
        "run": np.arange(len(known), dtype=np.int32),
        "epoch": np.array(epochs, np.int64),
        "start_ns": start,
        "end_ns": start + np.array([span.dur_ns for _, span in known], np.int64),
        "clock": np.full(len(known), words.code("host"), np.int32),
        "slack_ns": np.zeros(len(known), np.int64),
    }
    note = (
        "There are no records beside the host's log: a run's length is that of its span "
        f"{RUN!r}, and device spans are drawn as early as they can lie."
    )
    return replace(trace, words=words.freeze(), runs=Table.build("runs", runs)).with_meta(
        host_clock=HostClock(zero, 0, 0, "calibrated"),
        notes=(*trace.meta.notes, note),
        ledger=(*trace.meta.ledger, *logs.ledger()),
        extra=trace.meta.extra | logs.facts(),
    )
