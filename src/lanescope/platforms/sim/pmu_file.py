"""A chip's performance counters: their registers and groups of events, read from pmus/*.toml.

A run counts one group. A group has at most as many events as there are counters, one for each.
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
    """An event that one counter counts."""

    slot: int
    """Number of the counter."""
    id: int
    """What the counter's selector is set to."""
    name: str
    counts: str
    """The rule by which the simulator counts it; see counting.py."""
    request_bytes: int = 0
    note: str = ""


class EventGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that are counted together."""

    number: int
    name: str
    events: tuple[Event, ...]

    def ids(self, counters: int) -> list[int]:
        """Return what each counter's selector is set to; 0: it counts nothing."""
        by_slot = {event.slot: event.id for event in self.events}
        return [by_slot.get(slot, 0) for slot in range(counters)]

    def names(self, counters: int) -> list[str]:
        """Return the name of each counter's event; empty: it counts nothing."""
        by_slot = {event.slot: event.name for event in self.events}
        return [by_slot.get(slot, "") for slot in range(counters)]


class CounterUnit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The performance counters of one kind of core."""

    reader: str
    """Who reads them after a task: `controller`, or `core`, the core itself."""
    sources: dict[str, str]
    registers: RegisterMap
    groups: tuple[EventGroup, ...]


def counter_units() -> tuple[str, ...]:
    """Return the names of the counter units that lanescope knows."""
    names = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def counter_unit(name: str) -> CounterUnit:
    """Read a counter unit by its name."""
    return msgspec.toml.decode((_folder() / f"{name}.toml").read_bytes(), type=CounterUnit)


def _folder() -> Traversable:
    return files("lanescope.platforms.sim") / "pmus"


def read_group(unit: CounterUnit, value: object) -> EventGroup:
    """Return a group by its number or name; True is the default group."""
    wanted = str(DEFAULT_GROUP) if value is True else str(value).strip().lower()
    for group in unit.groups:
        if wanted in (str(group.number), group.name):
            return group
    known = ", ".join(f"{group.number} {group.name}" for group in unit.groups)
    raise UsageError(f"expected a group of PMU events ({known}), found {value!r}")
