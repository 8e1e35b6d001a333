"""What a page knows of the job whose ranks its traces are: the panel above the lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True, eq=False)
class JobPanel:
    """The job of a page with one trace per rank, all on one time axis."""

    about: dict[str, Any]
    """The key `job` of the page's header; only plain numbers, text, lists and dicts."""
    meets: Sequence[Array]
    """By trace, over its task rows: the collective that the task takes part in, or MISSING."""


def page_header(served: bool, traces: list[dict[str, Any]], job: JobPanel | None) -> dict[str, Any]:
    """The header of a whole page."""
    header: dict[str, Any] = {"served": served, "traces": traces}
    return header if job is None else {**header, "job": job.about}
