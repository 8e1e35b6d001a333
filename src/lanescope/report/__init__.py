"""Results as something to read: plain text, a terminal, or JSON.

Names are imported when they are first used: plain sections need neither pyarrow nor rich.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanescope.report.as_json import report_dict
    from lanescope.report.build import Report, build_report
    from lanescope.report.text import render_text

__all__ = ["Report", "build_report", "render_text", "report_dict"]

_HOMES = {
    "Report": "build",
    "build_report": "build",
    "render_text": "text",
    "report_dict": "as_json",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"lanescope.report.{_HOMES[name]}"), name)
