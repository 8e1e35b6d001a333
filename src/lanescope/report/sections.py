"""The report as a list of sections, in reading order: every rendering shows these."""

from __future__ import annotations

from lanescope.report.build import Report
from lanescope.report.costs import counter_section, function_sections, queue_section
from lanescope.report.inside import inside_sections
from lanescope.report.overview import (
    capture_section,
    losses_section,
    makespan_section,
    notes_section,
    warning_section,
)
from lanescope.report.page import Section
from lanescope.report.threads import controller_sections


def sections(report: Report) -> list[Section]:
    """Warnings come first; sections with nothing to say are left out."""
    capture = report.capture
    page = [
        capture_section(capture),
        losses_section(report.losses),
        makespan_section(report.makespan, (capture.clock_hz, capture.base_cycles)),
        *function_sections(report.functions),
        *inside_sections(report.inside, report.slowest),
        *controller_sections(report.controllers),
    ]
    if report.losses.something_lost:
        page.insert(0, warning_section(report.losses))
    if any(queue.samples for queue in report.queues):
        page.append(queue_section(report.queues))
    if report.counters.rows or report.counters.silent:
        page.append(counter_section(report.counters))
    if capture.notes:
        page.append(notes_section(capture.notes))
    return page
