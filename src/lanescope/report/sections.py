"""The report as a list of sections, in reading order: every rendering shows these."""

from __future__ import annotations

from lanescope.analyze.controllers.sections import controller_sections
from lanescope.analyze.cores.verdict_section import peer_sections, verdict_section
from lanescope.analyze.graph.critical_section import critical_sections, critical_sentence
from lanescope.analyze.inside.sections import inside_sections
from lanescope.analyze.recording.sections import (
    capture_section,
    losses_section,
    makespan_section,
    notes_section,
    warning_section,
)
from lanescope.analyze.tasks.sections import counter_section, function_sections, queue_section
from lanescope.render.page import Section
from lanescope.report.build import Report


def sections(report: Report) -> list[Section]:
    """Warnings come first, then the verdict; sections with nothing to say are left out."""
    capture = report.capture
    page = [
        capture_section(capture),
        losses_section(report.losses),
        makespan_section(report.makespan, (capture.clock_hz, capture.base_cycles)),
        *critical_sections(report.critical),
        *function_sections(report.functions),
        *inside_sections(report.inside, report.slowest),
        *controller_sections(report.controllers),
    ]
    if report.verdict.chip is not None:
        sentence = critical_sentence(report.critical)
        page.insert(0, verdict_section(report.verdict, report.suspects, sentence))
    if report.losses.something_lost:
        page.insert(0, warning_section(report.losses))
    if any(queue.samples for queue in report.queues):
        page.append(queue_section(report.queues))
    if report.peer is not None:
        page += peer_sections(report.peer)
    if report.counters.rows or report.counters.silent:
        page.append(counter_section(report.counters))
    if capture.notes:
        page.append(notes_section(capture.notes))
    return page
