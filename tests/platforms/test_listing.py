"""One platform in full, as text and as plain values."""

from __future__ import annotations

from typing import Any

from lanescope.platforms.listing import PlatformSheet, PlatformSummary, list_platforms


def row(section: str, key: str, value: Any, unit: str = "", **more: Any) -> dict[str, Any]:
    shared = {"meaning": f"what {key} is", "basis": "measured", "source": "a page", "to": ""}
    return {"section": section, "key": key, "value": value, "unit": unit, **shared, **more}


SUMMARY = PlatformSummary("tiny\x1b", "simulated", "a chip", {"schedulers": 2})
LONG = "a figure of " + "many-words " * 9
SHEET = PlatformSheet(
    SUMMARY,
    (
        row("clock", "counter_hz", 50_000_000, "Hz", source=LONG),
        row("clock", "host", "builds\x1b"),
        row("cost", "dispatch", 2.5, "cycles", basis="fitted", to="a run"),
        row("cost", "lanes", 1_024),
    ),
)


def test_every_value_has_a_line_and_its_source_the_next_ones() -> None:
    assert (
        SHEET.text()
        == """\
tiny\ufffd: a chip

[clock]
  counter_hz                       50,000,000 Hz  measured   what counter_hz is
      a figure of many-words many-words many-words many-words many-words many-words many-words
      many-words many-words
  host                                   builds\ufffd  measured   what host is
      a page

[cost]
  dispatch                            2.5 cycles  fitted     what dispatch is
      to a run: a page
  lanes                                    1,024  measured   what lanes is
      a page
"""
    )


def test_plain_values_have_the_facts_on_the_first_level() -> None:
    first = {"name": "tiny\x1b", "kind": "simulated", "text": "a chip", "schedulers": 2}
    assert SUMMARY.to_dict() == first
    assert SHEET.to_dict() == {**first, "values": list(SHEET.values)}


def test_a_simulated_chip_says_its_cores_controllers_and_clocks() -> None:
    texts = {one.name: one.text for one in list_platforms() if one.kind == "simulated"}
    assert texts["a2a3"].startswith("simulated: 72 cores (24 aic + 48 aiv) at ")
    facts = {one.name: one.facts for one in list_platforms()}
    assert facts["threads"] == facts["cuda"] == {}
    for name in texts:
        assert sum(facts[name]["cores"].values()) == int(texts[name].split()[1])
        builds = "(the host builds the graph)" in texts[name]
        assert builds == (facts[name]["orchestrators"] == 0)
        assert f"stamps from {facts[name]['counter_hz'] / 1e6:g} MHz" in texts[name]
        for kind in ("aic", "aiv"):
            assert f"{facts[name][f'{kind}_hz'] / 1e9:g} GHz" in texts[name]
