"""Predictions side by side."""

from __future__ import annotations

from dataclasses import replace

from tests.model.schedule.counted import SHORTER, predicted

from lanescope.model.memory.program import MemoryRun
from lanescope.model.memory.statistics import Statistics
from lanescope.model.schedule.compare import Comparison, comparison_page
from lanescope.model.schedule.page import memory_sections


def test_a_row_per_prediction() -> None:
    (section,) = comparison_page([predicted(), predicted(SHORTER, "peer")])
    cells = {column.title: column.cells for column in section.columns}
    keys = [column.title for column in section.columns if column.key]
    assert keys == ["program", "board", "costs"]
    assert cells["program"] == ("program", "program")
    assert cells["board"] == ("nexys_video", "nexys_video")
    assert cells["costs"] == ("emulator", "peer")
    assert cells["serial"] == (474, 504 - 2 * 72 - 2)
    assert cells["bound by"][0] == "matrix (99.3%)"


def test_what_a_total_leaves_out_is_a_note() -> None:
    (section,) = comparison_page([predicted("V_FOO gp1\nS_LUI_INT gp1, 1")])
    assert section.notes[1:] == ("program, emulator: 1 line left out",)


def test_a_memory_that_was_asked_for_has_a_section() -> None:
    run = MemoryRun("hbm", Statistics("hbm", "free"), ("too small",))
    plain, charged = predicted(), replace(predicted(), memory=run)
    (section,) = memory_sections([plain, charged])
    assert section.title == "Memory model: hbm (program on nexys_video)"
    assert section.lines[0] == "warning: too small"


def test_a_comparison_as_dict_holds_every_prediction() -> None:
    both = Comparison((predicted(), predicted(SHORTER)))
    serial = [one["cycles"]["serial"] for one in both.to_dict(top=0)["predictions"]]
    assert serial == [474, 328]
    assert both.text().startswith("Predictions side by side\n")
