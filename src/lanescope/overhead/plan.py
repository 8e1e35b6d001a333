"""Which configurations are measured, and in which order.

Every round runs each configuration once, in an order of its own. A machine that becomes slower or
faster during the rounds then does so for all configurations alike.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.device.flags import read_level
from lanescope.device.head import PROTOCOLS
from lanescope.errors import UsageError
from lanescope.results import Result

OFF = "off"
"""Stands for the protocol where nothing is recorded."""
COMPARED = PROTOCOLS[:3]
"""Protocols that are compared unless others are named."""
BASELINE = "staging"
"""The protocol that the others are compared with."""
LEAST_ROUNDS = 2
"""With fewer rounds nothing can be said about the spread."""


@dataclass(frozen=True, slots=True)
class Configuration(Result):
    """How much is recorded, and who moves a core's records."""

    level: int
    protocol: str

    @property
    def name(self) -> str:
        """The configuration's row in a table: "off", or level and protocol."""
        return OFF if self.level == 0 else f"{self.level} {self.protocol}"


def configurations(
    levels: Sequence[int | str], protocols: Sequence[str]
) -> tuple[Configuration, ...]:
    """Combine every level with every protocol. Level 0 comes once, and nothing comes twice."""
    for protocol in protocols:
        if protocol not in PROTOCOLS:
            raise UsageError(f"expected a protocol ({', '.join(PROTOCOLS)}), found {protocol!r}")
    chosen: dict[Configuration, None] = {}
    for level in [read_level(level) for level in levels]:
        for protocol in protocols if level else (OFF,):
            chosen[Configuration(level, protocol)] = None
    return tuple(chosen)


def require_rounds(rounds: int) -> None:
    """Refuse too few rounds."""
    if rounds < LEAST_ROUNDS:
        raise UsageError(
            f"expected at least {LEAST_ROUNDS} rounds, for a spread to be seen, found {rounds}"
        )


def rounds_of(
    keys: Sequence[Configuration], rounds: int, *, seed: int
) -> list[tuple[Configuration, ...]]:
    """Return the order of every round; a seed always gives the same orders."""
    require_rounds(rounds)
    chance = random.Random(seed)
    return [tuple(chance.sample(list(keys), len(keys))) for _ in range(rounds)]
