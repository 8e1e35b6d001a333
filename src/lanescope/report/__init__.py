"""Results as something to read: plain text, a terminal, or JSON.

`render_terminal` alone needs rich, which is imported when it is first called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lanescope.report.as_json import report_dict
from lanescope.report.build import Report, build_report
from lanescope.report.text import render_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Report", "build_report", "render_terminal", "render_text", "report_dict"]


def render_terminal(report: Report, console: Console) -> None:
    """Print the report on a rich console."""
    from lanescope.report.terminal import render_terminal as render

    render(report, console)
