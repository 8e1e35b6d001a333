"""What a simulated core under test can be made to do, as words: `NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.platforms.sim.bringup import SimulatedCore

SWITCHES = {
    "address": ("virtual", "engine", "physical"),
    "physical": ("told", "none"),
    "wrap": ("linear", "ring"),
    "pointer": ("byte_offset", "byte_count", "burst_index"),
    "cache": ("coherent", "stale"),
    "form": ("chip6", "byte_swapped", "eight_byte"),
    "fixp_code": ("10", "6"),
    "owner": ("exclusive", "contended"),
    "kind": ("aic", "aiv"),
}
"""The first of each is what the core does without being told. With `address=engine` the engine has
a stream of its own. With `physical=none` nobody is told physical addresses."""


def switched_core(settings: Sequence[str]) -> SimulatedCore:
    """Return a simulated core of a5 that does what the settings say.

    Raises:
        UsageError: a setting is unknown, or two of them contradict each other.
    """
    from lanescope.platforms.sim.bringup import SimulatedCore, Surroundings
    from lanescope.platforms.sim.chip import load_chip
    from lanescope.platforms.sim.engine import Behaviour

    chosen = {name: values[0] for name, values in SWITCHES.items()}
    for setting in settings:
        name, _, value = setting.partition("=")
        if value not in SWITCHES.get(name, ()):
            known = "; ".join(f"{key}={'|'.join(values)}" for key, values in SWITCHES.items())
            raise UsageError(f"expected --set NAME=VALUE with {known}, found {setting!r}")
        chosen[name] = value
    if chosen["wrap"] == "linear" and chosen["pointer"] != "byte_offset":
        raise UsageError("a linear buffer has pointer=byte_offset; choose wrap=ring for others")
    behaviour = Behaviour(
        address=chosen["address"],
        wrap=chosen["wrap"],
        pointer=chosen["pointer"],
        coherent=chosen["cache"] == "coherent",
        form=chosen["form"],
        fixp_code=int(chosen["fixp_code"]),
    )
    around = Surroundings(
        owner_period=3 if chosen["owner"] == "contended" else 0,
        tells_physical=chosen["physical"] == "told",
    )
    return SimulatedCore(load_chip("a5"), behaviour, around, kind=chosen["kind"])
