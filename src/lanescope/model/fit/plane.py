"""The plane of capacity × link bandwidth: which regime, and whether the link is the bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.estimate import decode_step, rate_of
from lanescope.model.fit.load import Load, residency_of
from lanescope.results import Result

COLUMNS, ROWS = 48, 17
LETTERS = {
    ("resident", False): "R",
    ("kv-swap", True): "k",
    ("kv-swap", False): "K",
    ("weight-stream", True): "s",
    ("weight-stream", False): "S",
}
"""Regime, and whether the link is the bound, to the letter that stands for both."""
MEANING = {
    "R": "resident",
    "k": "kv-swap, the link is the bound",
    "K": "kv-swap, hidden behind compute and memory",
    "s": "weight-stream, the link is the bound",
    "S": "weight-stream, hidden behind compute and memory",
}
_REFERENCE_LINK = 1_000_000_000
"""A board without a link is drawn around 1 GB/s."""


@dataclass(frozen=True)
class Plane(Result):
    """Boards of other capacities and links around the one of a fit, each with letter and rate."""

    DERIVED = ("meaning",)

    capacities: tuple[int, ...]
    """Bytes of memory per column, rising."""
    links: tuple[float, ...]
    """Bytes/s of the link per row, the fastest first."""
    letters: tuple[str, ...]
    """One text per row, one letter per column."""
    rates: tuple[tuple[float, ...], ...]
    """Tokens per second, per row and column."""
    mark: tuple[int, int] | None
    """Column and row of the board itself; None where it has no link."""

    @property
    def meaning(self) -> dict[str, str]:
        """What each letter stands for."""
        return MEANING

    @property
    def used(self) -> dict[str, str]:
        """The letters that occur, with what they stand for."""
        there = set("".join(self.letters))
        return {letter: meaning for letter, meaning in MEANING.items() if letter in there}


def make_plane(load: Load, board: FitBoard) -> Plane:
    """Compute the plane; both axes are logarithmic and hold the footprint and the board."""
    total = load.footprint.total
    own_link = board.values.get("link_bytes_per_s")
    link = own_link.value if own_link is not None else _REFERENCE_LINK
    capacities = _steps(
        max(1.0, min(total, board.capacity_bytes) / 4),
        max(total, board.capacity_bytes) * 2,
        COLUMNS,
    )
    links = tuple(reversed(_steps(link / 64, link * 64, ROWS)))
    letters, rates = [], []
    for row_link in links:
        cells = [
            _cell(load, board, capacity=int(capacity), link=row_link) for capacity in capacities
        ]
        letters.append("".join(letter for letter, _ in cells))
        rates.append(tuple(rate for _, rate in cells))
    mark = None
    if own_link is not None:
        mark = (_nearest(capacities, board.capacity_bytes), _nearest(links, link))
    sizes = tuple(int(capacity) for capacity in capacities)
    return Plane(sizes, links, tuple(letters), tuple(rates), mark)


def _cell(load: Load, board: FitBoard, *, capacity: int, link: float) -> tuple[str, float]:
    """Letter and tokens per second of the board with this capacity and link."""
    there = board.with_value("capacity_bytes", capacity).with_value("link_bytes_per_s", link)
    step = decode_step(load, there)
    regime = residency_of(load, capacity).regime
    exposed = step.link_s + step.asked_s > step.on_chip_s
    return LETTERS[regime, regime != "resident" and exposed], rate_of(load, there, step)


def _steps(low: float, high: float, count: int) -> tuple[float, ...]:
    """So many values from low to high, each the same factor above the one before."""
    span = log(high / low)
    return tuple(low * exp(span * step / (count - 1)) for step in range(count))


def _nearest(values: tuple[float, ...], wanted: float) -> int:
    """Index of the value whose ratio to the wanted one is closest to 1."""
    return min(range(len(values)), key=lambda n: abs(log(values[n] / wanted)))
