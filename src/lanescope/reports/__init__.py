"""The report of a trace: the answers to every question of `analyze`, as a page and as JSON.

Names are imported when they are first used, so that a command's help needs no numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanescope.reports.build import Report, build_report

__all__ = ["Report", "build_report"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lanescope.reports import build

    return getattr(build, name)
