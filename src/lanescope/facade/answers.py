"""Questions to a trace: report, verdict, critical path."""

from __future__ import annotations

from lanescope.analyze.cores import verdict as judging
from lanescope.analyze.cores.verdict import Verdict
from lanescope.analyze.graph.critical import Critical, critical
from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike, opened, opened_in_part
from lanescope.reports.build import Report, build_report
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary


def report(trace: TraceLike, *, graph: bool = False) -> Report:
    """Answers every question about a trace: what `lanescope report` prints.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.
        graph: Whether to list the task graph, too: `report.graph`.

    Returns:
        The answers: `report.verdict`, `report.functions`, … by name, `report.text()` as a page,
        `report.to_dict()` for JSON.

    Raises:
        InputError: The path cannot be read as a trace.

    Examples:
        >>> report = lanescope.report("examples/small_run")
        >>> report.makespan.window.length_ns
        113440
        >>> print(report.text().splitlines()[0])
        Verdict
        >>> lanescope.report("examples/small_run", graph=True).graph.depth
        10
    """
    return build_report(opened_in_part(trace), also=("graph",) if graph else ())


def verdict(trace: TraceLike) -> Verdict:
    """Says where the time of the cores went: every nanosecond of every core has one reason.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.

    Returns:
        The chip first, then each kind of core, with a share per reason.

    Raises:
        InputError: The path cannot be read as a trace.
        UsageError: The trace has streams or tracks and no cores.

    Examples:
        >>> chip = lanescope.verdict("examples/small_run").chip
        >>> sum(share.ns for share in chip.shares) == chip.total_ns
        True
    """
    return judging.verdict(_of_cores(trace, "breakdown"))


def critical_path(trace: TraceLike) -> Critical:
    """Finds the two critical paths: what the graph demands, and what the run waited for.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.

    Returns:
        Lengths in ns, functions on the paths, and what runs on the observed path waited for.

    Raises:
        InputError: The path cannot be read as a trace.
        UsageError: The trace has streams or tracks and no cores.

    Examples:
        >>> path = lanescope.critical_path("examples/small_run")
        >>> sum(path.segments.values()) == path.window.length_ns
        True
    """
    return critical(_of_cores(trace, "critical_path"))


def _of_cores(trace: TraceLike, instead: str) -> Trace:
    """The trace, whose lanes must be cores."""
    whole = opened(trace)
    words = vocabulary(whole)
    if words.family != "cores":
        answer = {"streams": instead, "units": "units"}.get(words.family, "slices")
        raise UsageError(
            f"the lanes of {whole.meta.name} are {words.lane}s, not cores; "
            f"lanescope.report(trace).{answer} is about them"
        )
    return whole
