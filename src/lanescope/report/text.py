"""The report as plain text: aligned columns, no colour, nothing wider than asked where it fits."""

from __future__ import annotations

from lanescope.render.plain import render_sections
from lanescope.report.build import Report
from lanescope.report.sections import sections


def render_text(report: Report, width: int = 100) -> str:
    """The whole report, ending in a newline; tables too wide for `width` are cut in pieces."""
    return render_sections(sections(report), width)
