"""docs/counters.md: its tables of events are those that the simulator has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanescope.platforms.sim.pmu_file import NOT_MODELLED, counter_unit, counter_units

PAGE = (Path(__file__).parents[1] / "docs" / "counters.md").read_text()


@pytest.mark.parametrize("unit", counter_units())
def test_the_events_are_listed_as_counted_or_not_modelled(unit: str) -> None:
    section = PAGE.partition(f"({unit.upper()})")[2].partition("###")[0]
    rows = re.findall(r"^\| (\d) (\w+) \| (.+) \| (.+) \|$", section, re.MULTILINE)
    assert [
        (int(number), name, re.findall(r"`(\w+)`", yes), re.findall(r"`(\w+)`", no))
        for number, name, yes, no in rows
    ] == [
        (
            group.number,
            group.name,
            [event.name for event in group.events if event.counts != NOT_MODELLED],
            [event.name for event in group.events if event.counts == NOT_MODELLED],
        )
        for group in counter_unit(unit).groups
    ]
