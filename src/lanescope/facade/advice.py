"""What to do next about a run, whatever its lanes are, and the words for it on a page."""

from __future__ import annotations

import shlex

from lanescope.analyze.next_step import TRACE, NextStep, NextSteps
from lanescope.facade.opening import TraceLike, opened
from lanescope.render.page import Section
from lanescope.reports.build import Report, build_report
from lanescope.trace.trace import Trace

_REPORT = ("report", TRACE)
_FIRST = ("processors", "clock")
"""Conditions of a recording of which no change of the program is foreseen."""


def next_steps(trace: TraceLike) -> NextSteps:
    """Says what would shorten a run most: up to three changes, each with what it would give.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.

    Returns:
        The changes, best first, with the command that tells more about each; or the reason why
        there are none. Of cores a replay foresees the gain. Of streams it is the most that can
        be saved.

    Raises:
        InputError: The path cannot be read as a trace.

    Examples:
        >>> lanescope.next_steps("examples/small_run").steps[0].command[:2]
        ('what-if', 'TRACE')
    """
    whole = opened(trace)
    return steps_of(build_report(whole, detail=False), whole)


def steps_of(report: Report, trace: Trace) -> NextSteps:
    """The same for a trace whose report is there already."""
    if report.vocabulary.family == "cores":
        if any(one.what in _FIRST for one in report.conditions):
            return NextSteps((), "First what stands at the top: the figures are not the program's.")
        from lanescope.replay import next_steps as of_cores

        return of_cores.next_steps(trace)
    if report.vocabulary.family == "streams":
        from lanescope.analyze.streams import next_steps as of_streams

        return of_streams.next_steps(report)
    return NextSteps(())


def next_section(steps: NextSteps, place: str) -> Section:
    """What to do next with the trace at this place, and where there is more."""
    name = shlex.quote(place)
    more = f"More: lanescope report {name} --full, lanescope view {name}"
    if not steps.steps:
        lines = (steps.reason,) if steps.reason else ()
        return Section(title="Next", lines=(*lines, more))
    rows = [(_gain(one), f"{one.what}: {_command(one, place)}") for one in steps.steps]
    if all(one.command[:2] == _REPORT for one in steps.steps):  # said once, the page is short
        rows = [(_gain(one), f"{one.what}: {shlex.join(one.command[2:])}") for one in steps.steps]
        more = f"Each with lanescope report {name}, all with --full; lanescope view shows it"
    return Section(title="Next: what would pay", facts=tuple(rows), lines=(more,))


def _gain(step: NextStep) -> str:
    """The change of the run's length, with its interval or as a bound."""
    if not step.foreseen:
        return f"at most {100 * step.change:+.1f}%"
    ends = f"{100 * step.low_change:+.1f} to {100 * step.high_change:+.1f}"
    return f"{100 * step.change:+.1f}% ({ends})"


def _command(step: NextStep, place: str) -> str:
    return shlex.join(["lanescope", *(place if word == TRACE else word for word in step.command)])
