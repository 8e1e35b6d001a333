"""What a view is made of: bars with arguments, the lanes they lie on, arrows; and series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.trace import MISSING
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Argument:
    """A named value of every bar.

    Whole numbers are int64, MISSING where not known; others are float64, NaN where not known.
    Texts are whole numbers, too: places in `words`.
    """

    name: str
    values: Array
    words: tuple[str, ...] = ()

    @property
    def known(self) -> Array:
        """Mask of the bars whose value is known."""
        whole = self.values.dtype != np.float64
        return np.asarray(self.values != MISSING if whole else np.isfinite(self.values))

    def rows(self, rows: Array | slice) -> Argument:
        """The same argument of these bars."""
        return Argument(self.name, self.values[rows], self.words)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars made from the rows of one table."""

    lane: Array
    """Number of the view's lane, before sub-lanes are made."""
    start_ns: Array
    end_ns: Array
    name: Array
    """Place in `names`."""
    names: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()
    category: str = ""
    """Which rows they are: `task`, `mark`, `stall`, `phase`; of `dispatched` tasks nothing but
    dispatch and finish is known; other bars show rows that are drawn already."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Columns that are the same in all these rows, by name."""


Producer = tuple[int | str | None, str | int | None]
"""What a lane shows: core and pipe, or kind and number of a controller; None where not known."""


@dataclass(frozen=True, slots=True)
class Arrows:
    """Arrow i goes from bar `source[i]` to bar `target[i]`; sorted by source, then target."""

    source: Array
    target: Array
    not_drawn: int
    """How many dependencies have no arrow."""


@dataclass(frozen=True, slots=True)
class View:
    """Bars laid on lanes, sorted by lane, then start, then longest first.

    Bar i is row `row[i]` of `parts[part[i]]`. Any two bars of a lane are disjoint or nested. Bars
    that overlap otherwise are on a sub-lane, which is named "LANE (2)" and so on.
    """

    name: str
    lanes: tuple[str, ...]
    under: tuple[int, ...]
    """Per lane the lane that it is a part of, such as the core of a pipe; -1 for most."""
    parts: tuple[Bars, ...]
    part: Array
    row: Array
    lane: Array
    start_ns: Array
    end_ns: Array
    order: Array
    """The order in which the begin (2i) and the end (2i + 1) of every bar i are written.

    The begins are in the order of the bars.
    """
    arrows: Arrows
    producers: tuple[Producer, ...] = ()
    """Per lane what it shows; empty where the view shows rows that are drawn already."""


@dataclass(frozen=True, slots=True)
class Series:
    """A value over time, sorted by time. It keeps each value until the next one."""

    name: str
    time_ns: Array
    value: Array
    counter: str | None = None
    """Which counter it is; None where it is made of other rows."""
    core: int | None = None
