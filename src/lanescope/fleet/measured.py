"""What an index keeps of one trace or job: facts, labels, and measures with their unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NANOSECONDS, COUNT, RATIO = "ns", "count", "ratio"
"""Units of measures."""

Measure = tuple[str, str, float, str, int | None]
"""Group, name, value, unit, and of a mean over runs how many there were."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One trace or job in figures."""

    facts: dict[str, Any]
    """Columns of the table `traces`, as far as the trace itself knows them."""
    labels: dict[str, str]
    """Labels that the trace carries."""
    measures: list[Measure]
