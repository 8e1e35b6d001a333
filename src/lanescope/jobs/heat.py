"""The heat map of a job: the work of every rank in every step, beside the ranks of its role."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.stragglers import against_peers
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.report import JobReport

LIMITS = (0.8, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.3)
"""Between these ratios to its peers a cell has one colour."""
COLOURS = {
    "light": (
        *("#2a5caa", "#5f8fd0", "#9dbde6", "#d3e0f2", "#eef0f2"),
        *("#f8ddc6", "#f0b183", "#dd7345", "#b5301f"),
    ),
    "dark": (
        *("#78a9f5", "#5a86cc", "#42639a", "#2f4668", "#262c35"),
        *("#553c2c", "#8a5635", "#cf6f43", "#ff6a50"),
    ),
}
"""By theme, a colour for each stretch between the limits, from the least ratio on."""


def peer_ratios(report: JobReport) -> Array:
    """Work by rank and step beside the others of the role, as `stragglers.py` has it.

    A rank that is alone in its role is its own measure: 1. NaN is a step that a rank does not have.
    """
    role = np.array([one.role for one in sorted(report.stragglers.ranks, key=lambda r: r.rank)])
    work = report.matrix.work
    ratio = against_peers(work, role).ratio
    alone = np.bincount(role)[role] == 1
    return np.where(alone[:, None] & ~np.isnan(work), 1.0, ratio)


def hundredths(ratio: Array) -> Array:
    """Ratios in steps of 0.01 as bytes: 0 where there is none, 255 for 2.55 and more."""
    known = ~np.isnan(ratio)
    steps = np.rint(100 * np.where(known, ratio, 0.0)).clip(1, 255)
    return np.where(known, steps, 0).astype(np.uint8)
