"""What another board would give: influence of each value, ways out of a regime, policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.estimate import decode_step, tokens_per_s
from lanescope.model.fit.load import Load, residency_of
from lanescope.model.manifest.manifest import ManifestRegion
from lanescope.model.memory.policies import POLICIES, Touch, make_policy

_STEP = 0.1
_PASSES = 4


class Influence(NamedTuple):
    """Tokens per second with one value of the board at both ends of its range.

    A value without a range is moved by 10 % either way.
    """

    name: str
    basis: str
    low_value: float
    high_value: float
    at_low: float
    """Tokens per second with the low value."""
    at_high: float
    """Tokens per second with the high value."""
    has_range: bool

    @property
    def swing(self) -> float:
        """Difference between both rates, in tokens per second."""
        return abs(self.at_high - self.at_low)


def tornado(load: Load, board: FitBoard) -> list[Influence]:
    """The influence of every value of the board on the rate, the largest swing first."""
    influences = []
    for name, value in board.values.items():
        low = value.low if value.has_range else value.value * (1 - _STEP)
        high = value.high if value.has_range else value.value * (1 + _STEP)
        at_low = tokens_per_s(load, board.with_value(name, low))
        at_high = tokens_per_s(load, board.with_value(name, high))
        influences.append(Influence(name, value.basis, low, high, at_low, at_high, value.has_range))
    return sorted(influences, key=lambda one: one.swing, reverse=True)


@dataclass(frozen=True)
class WayOut:
    """What more of one thing would change."""

    what: str
    """`memory` or `link`."""
    more: float
    """How much more of it, in `unit`."""
    unit: str
    effect: str
    """The regime that it leads to, or that the link is no longer the bound."""
    tokens_per_s: float
    """The rate then."""


def ways_out(load: Load, board: FitBoard) -> list[WayOut]:
    """How much more memory makes weights or all resident, and how much more link hides it."""
    residency = residency_of(load, board.capacity_bytes)
    if residency.streamed_bytes == 0:
        return []
    ways = []
    sizes = {"resident": load.footprint.total}
    if residency.regime == "weight-stream":
        sizes = {"kv-swap": load.footprint.weight, **sizes}
    for regime, size in sizes.items():
        if size > board.capacity_bytes and load.kv_host_share == 0:
            roomy = board.with_value("capacity_bytes", size)
            more = size - board.capacity_bytes
            ways.append(WayOut("memory", more, "bytes", regime, tokens_per_s(load, roomy)))
    step = decode_step(load, board)
    copying = step.link_s + step.asked_s
    others = max(step.on_chip_s, step.storage_s + step.asked_storage_s)
    if "link_bytes_per_s" in board.values and copying > others > 0:
        link = board.values["link_bytes_per_s"].value
        needed = link * copying / others
        rate = tokens_per_s(load, board.with_value("link_bytes_per_s", needed))
        ways.append(WayOut("link", needed - link, "bytes/s", "link no longer the bound", rate))
    return [way for way in ways if way.tokens_per_s > 0]


def policy_bytes(regions: Sequence[ManifestRegion], capacity_bytes: int) -> dict[str, int]:
    """Bytes of weights that one pass moves over the link, by policy.

    The mean of the passes between the first, which fills the memory, and the last.
    """
    sizes: dict[int, int] = {}
    for region in regions:
        if region.kind == "weight":
            sizes[region.layer] = sizes.get(region.layer, 0) + region.size_bytes
    layers_in_turn = list(sizes) * _PASSES
    moved_per_pass = {}
    for name in POLICIES:
        policy = make_policy(name, capacity_bytes, sizes, future=layers_in_turn)
        moved = [policy.touch(Touch(unit, 0, sizes[unit])).moved_bytes for unit in layers_in_turn]
        middle = moved[len(sizes) : -len(sizes)]
        moved_per_pass[name] = sum(middle) // (_PASSES - 2)
    return moved_per_pass
