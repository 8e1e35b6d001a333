"""What to do next about a trace of streams: what is idle or exposed most, and the longest kernel.

No replay stands behind it. A device cannot save more than the time that is named, so every gain is
the most that it can be.
"""

from __future__ import annotations

from lanescope.analyze.analysis import Answers
from lanescope.analyze.next_step import MOST_STEPS, TRACE, NextStep, NextSteps
from lanescope.analyze.streams.breakdown import Breakdown
from lanescope.analyze.streams.idle import Idle
from lanescope.analyze.streams.kernel_names import short_name
from lanescope.analyze.streams.kernels import KernelCost
from lanescope.render.names import clean

_LEAST_GAIN = 0.005
_FASTER = 0.1
_IDLE = {
    "launch earlier, or in fewer calls": ("host_busy", "host_unseen", "call", "launch"),
    "let the host wait less for the device": ("host_waiting",),
    "shorten what other streams wait for": ("event",),
    "close gaps inside launched graphs": ("graph",),
}
"""What to do, and the reasons of idle time that it is about (`reasons.py`)."""


def next_steps(answers: Answers) -> NextSteps:
    """The changes of a trace of streams that can save most."""
    breakdown: Breakdown = answers["breakdown"]
    idle: Idle = answers["idle"]
    whole = sum(device.span_ns for device in breakdown.devices)
    if not whole:
        return NextSteps((), "No device has work with times.")
    saved = {
        words: (sum(one.ns(what) for one in idle.devices for what in reasons), "idle")
        for words, reasons in _IDLE.items()
    }
    devices = breakdown.devices
    exposed = sum(device.exposed_communication_ns for device in devices)
    saved["hide communication behind compute"] = (exposed, "breakdown")
    copies = sum(device.exposed_memory_ns for device in devices)
    saved["hide copies behind compute, or copy less"] = (copies, "breakdown")
    kernels: tuple[KernelCost, ...] = answers["kernels"]
    if kernels:
        longest = kernels[0]
        name = f"{clean(short_name(longest.name))} {100 * _FASTER:.0f} % faster"
        saved[name] = (int(_FASTER * longest.total_ns), "kernels")
    best = sorted(saved.items(), key=lambda pair: -pair[1][0])[:MOST_STEPS]
    steps = tuple(
        NextStep(
            words,
            -ns / whole,
            -ns / whole,
            0.0,
            foreseen=False,
            command=("report", TRACE, "--section", section),
        )
        for words, (ns, section) in best
        if ns >= _LEAST_GAIN * whole
    )
    return NextSteps(steps, "" if steps else "The devices had no time to save.")
