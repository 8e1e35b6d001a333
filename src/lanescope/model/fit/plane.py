"""The plane of capacity × link bandwidth: which regime, and whether the link is the bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

from lanescope.model.fit.estimate import steps, tokens_per_s
from lanescope.model.fit.load import Load, place
from lanescope.model.fit.machine import Machine

COLUMNS, ROWS = 48, 17
LETTERS = {
    ("resident", False): "R",
    ("kv-swap", True): "k",
    ("kv-swap", False): "K",
    ("weight-stream", True): "s",
    ("weight-stream", False): "S",
}
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
class Plane:
    """Rows from the fastest link down; `mark` is where the board lies, column and row."""

    capacities: tuple[int, ...]
    links: tuple[float, ...]
    letters: tuple[str, ...]
    rates: tuple[tuple[float, ...], ...]
    mark: tuple[int, int] | None


def make_plane(load: Load, machine: Machine) -> Plane:
    """Both axes logarithmic; the footprint and the board lie inside."""
    total = load.footprint.total
    own_link = machine.values.get("link_bytes_per_s")
    link = own_link.value if own_link is not None else _REFERENCE_LINK
    capacities = _steps(
        min(total, machine.capacity_bytes) / 4, max(total, machine.capacity_bytes) * 2, COLUMNS
    )
    links = tuple(reversed(_steps(link / 64, link * 64, ROWS)))
    letters, rates = [], []
    for row_link in links:
        cells = [
            _cell(load, machine, capacity=int(capacity), link=row_link) for capacity in capacities
        ]
        letters.append("".join(letter for letter, _ in cells))
        rates.append(tuple(rate for _, rate in cells))
    mark = None
    if own_link is not None:
        mark = (_nearest(capacities, machine.capacity_bytes), _nearest(links, link))
    sizes = tuple(int(capacity) for capacity in capacities)
    return Plane(sizes, links, tuple(letters), tuple(rates), mark)


def _cell(load: Load, machine: Machine, *, capacity: int, link: float) -> tuple[str, float]:
    values = dict(machine.values)
    values["capacity_bytes"] = values["capacity_bytes"]._replace(value=capacity)
    example = values["capacity_bytes"]
    values["link_bytes_per_s"] = example._replace(name="link_bytes_per_s", value=link)
    there = Machine(machine.board, values)
    decode, _ = steps(load, there)
    regime = place(load.footprint, capacity).regime
    exposed = decode.link_s > decode.on_chip_s
    return LETTERS[regime, regime != "resident" and exposed], tokens_per_s(load, there)


def _steps(low: float, high: float, count: int) -> tuple[float, ...]:
    span = log(high / low)
    return tuple(low * exp(span * step / (count - 1)) for step in range(count))


def _nearest(values: tuple[float, ...], wanted: float) -> int:
    return min(range(len(values)), key=lambda n: abs(log(values[n] / wanted)))
