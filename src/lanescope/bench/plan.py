"""Which configurations are measured, and in which order.

Every round runs each of them once, in an order of its own, so that a machine that grows slower or
faster meanwhile does so for all alike.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.device.flags import read_level
from lanescope.device.head import PROTOCOLS
from lanescope.errors import UsageError

OFF = "off"
"""Stands for the protocol where nothing is recorded."""
BASELINE = "staging"
"""The protocol that the others are compared with."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """How much is recorded, and who moves a core's records."""

    level: int
    protocol: str

    @property
    def name(self) -> str:
        return OFF if self.level == 0 else f"{self.level} {self.protocol}"


def configurations(levels: Sequence[str], protocols: Sequence[str]) -> tuple[Configuration, ...]:
    """Level 0 once, every other level with every protocol; nothing twice."""
    for protocol in protocols:
        if protocol not in PROTOCOLS:
            raise UsageError(f"expected a protocol ({', '.join(PROTOCOLS)}), found {protocol!r}")
    found: dict[Configuration, None] = {}
    for level in [read_level(level) for level in levels]:
        for protocol in protocols if level else (OFF,):
            found[Configuration(level, protocol)] = None
    return tuple(found)


def rounds_of(
    found: Sequence[Configuration], rounds: int, *, seed: int
) -> list[tuple[Configuration, ...]]:
    """The order of every round; the same seed gives the same orders."""
    if rounds < 2:
        raise UsageError(f"expected at least 2 rounds, for a spread to be seen, found {rounds}")
    chance = random.Random(seed)
    return [tuple(chance.sample(list(found), len(found))) for _ in range(rounds)]
