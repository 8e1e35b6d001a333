"""Limits of growth that commands take: `--fail-if "makespan > +2%"`."""

from __future__ import annotations

import re

from lanescope.errors import UsageError

_LIMIT = re.compile(r"\s*(.+?)\s*>\s*\+?(\d+(?:\.\d+)?)\s*%\s*")


def growth_limit(text: str) -> tuple[str, float]:
    """Name of a measure, and by which share of itself it may grow."""
    match = _LIMIT.fullmatch(text)
    if match is None:
        raise UsageError(f'expected --fail-if "NAME>+X%", found {text!r}')
    return match[1], float(match[2]) / 100
