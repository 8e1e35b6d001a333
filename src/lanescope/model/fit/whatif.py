"""What another machine would give: sensitivity per value, the way out of a regime, policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lanescope.model.fit.estimate import runnable, steps, tokens_per_s
from lanescope.model.fit.load import Load, place
from lanescope.model.fit.machine import Machine
from lanescope.model.manifest.manifest import Region
from lanescope.model.memory.policies import POLICIES, Touch, make_policy

_STEP = 0.1
_PASSES = 4


class Influence(NamedTuple):
    """Tokens per second with one value at both ends of its range, or 10 % off."""

    name: str
    basis: str
    low_value: float
    high_value: float
    at_low: float
    at_high: float
    has_range: bool

    @property
    def swing(self) -> float:
        return abs(self.at_high - self.at_low)


def tornado(load: Load, machine: Machine) -> list[Influence]:
    """Most influential first."""
    found = []
    for name, value in machine.values.items():
        low = value.low if value.has_range else value.value * (1 - _STEP)
        high = value.high if value.has_range else value.value * (1 + _STEP)
        at_low = tokens_per_s(load, machine.with_value(name, low))
        at_high = tokens_per_s(load, machine.with_value(name, high))
        found.append(Influence(name, value.basis, low, high, at_low, at_high, value.has_range))
    return sorted(found, key=lambda one: one.swing, reverse=True)


@dataclass(frozen=True)
class WayOut:
    """What more of one thing would change."""

    what: str
    more: float
    unit: str
    effect: str
    tokens_per_s: float


def ways_out(load: Load, machine: Machine) -> list[WayOut]:
    """More memory until the weights or all are resident; more link until it is hidden."""
    residency = place(load.footprint, machine.capacity_bytes)
    if residency.streamed_bytes == 0:
        return []
    ways = []
    sizes = {"resident": load.footprint.total}
    if residency.regime == "weight-stream":
        sizes = {"kv-swap": load.footprint.weight, **sizes}
    for regime, size in sizes.items():
        roomy = machine.with_value("capacity_bytes", size)
        more = size - machine.capacity_bytes
        ways.append(WayOut("memory", more, "bytes", regime, tokens_per_s(load, roomy)))
    decode, _ = steps(load, machine)
    if runnable(residency, machine) and decode.link_s > decode.on_chip_s > 0:
        link = machine.values["link_bytes_per_s"].value
        needed = link * decode.link_s / decode.on_chip_s
        faster = machine.with_value("link_bytes_per_s", needed)
        rate = tokens_per_s(load, faster)
        ways.append(WayOut("link", needed - link, "bytes/s", "link no longer the bound", rate))
    return ways


def policy_bytes(regions: Sequence[Region], capacity_bytes: int) -> dict[str, int]:
    """Bytes of weights over the link per pass, after the first ones, for each policy."""
    sizes: dict[int, int] = {}
    for region in regions:
        if region.kind == "weight":
            sizes[region.layer] = sizes.get(region.layer, 0) + region.size_bytes
    trace = list(sizes) * _PASSES
    found = {}
    for name in POLICIES:
        policy = make_policy(name, capacity_bytes, sizes, future=trace)
        moved = [policy.touch(Touch(unit, 0, sizes[unit])).moved_bytes for unit in trace]
        middle = moved[len(sizes) : -len(sizes)]
        found[name] = sum(middle) // (_PASSES - 2)
    return found
