"""What a chip's performance counters are: their registers and event groups, read from pmus/*.toml.

A group is the choice of a run: up to as many events as there are counters, one per counter.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from lanescope.device.registers import RegisterMap
from lanescope.errors import UsageError

DEFAULT_GROUP = 2
NOT_MODELLED = "not modelled"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one counter counts."""

    slot: int
    """Number of the counter."""
    id: int
    """What selects it."""
    name: str
    counts: str
    """What the simulator adds for a task; see counting.py."""
    request_bytes: int = 0
    note: str = ""


class EventGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that are counted together."""

    number: int
    name: str
    events: tuple[Event, ...]

    def ids(self, counters: int) -> list[int]:
        """What each counter's selector is set to; 0: nothing."""
        found = {event.slot: event.id for event in self.events}
        return [found.get(slot, 0) for slot in range(counters)]

    def names(self, counters: int) -> list[str]:
        """What each counter is called; empty: it counts nothing."""
        found = {event.slot: event.name for event in self.events}
        return [found.get(slot, "") for slot in range(counters)]


class CounterUnit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The performance counters of one kind of core."""

    reader: str
    """Who reads them after a task: the controller, or the core itself."""
    sources: dict[str, str]
    registers: RegisterMap
    groups: tuple[EventGroup, ...]


def counter_units() -> tuple[str, ...]:
    """Names of the units that lanescope knows."""
    found = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def counter_unit(name: str) -> CounterUnit:
    return msgspec.toml.decode((_folder() / f"{name}.toml").read_bytes(), type=CounterUnit)


def _folder() -> Traversable:
    return files("lanescope.platforms.sim") / "pmus"


def read_group(unit: CounterUnit, value: object) -> EventGroup:
    """A group from its number or name; True is the default one."""
    wanted = str(DEFAULT_GROUP) if value is True else str(value).strip().lower()
    for group in unit.groups:
        if wanted in (str(group.number), group.name):
            return group
    known = ", ".join(f"{group.number} {group.name}" for group in unit.groups)
    raise UsageError(f"expected a group of PMU events ({known}), found {value!r}")
