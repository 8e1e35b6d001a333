"""Pages of one prediction: the screen that is printed, and the sentences that stand sometimes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.model.schedule.counted import PLENA, TEXT, VIDEO, predicted

from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.figures import predict_known
from lanescope.model.schedule.page import memory_sections, prediction_page, short_page
from lanescope.model.schedule.prediction import Prediction
from lanescope.render.page import Section
from lanescope.render.plain import render_sections

MIXED = (
    "S_LUI_INT gp1, 1\nM_MM 0, gp1, gp0\nV_FOO gp1\nH_PREFETCH_V gp0, gp0, a0, 0, 0\n"
    "V_RED_MAX f1, gp0\n"
)
SHORT = """\
! Not in the totals
  1 line, 1 instruction if every loop count holds, beside 4 that are counted
  line 3, column 1: unknown opcode V_FOO

program on nexys_video
  program  5 lines, 5 with an instruction, 0 loops, 4 instructions run
  core     MLEN 64, VLEN 64, BLEN 4, HLEN 16; 100 MHz, latencies of board nexys_video
  costs    emulator: what the emulator charges: it waits for every transfer, here its bytes at the
           board's bandwidth

Figures
  figure                cycles  time ns  what it is
  --------------------  ------  -------  -------------------------------
  serial sum               129  1,290.0  one instruction after the other
  overlapped               129  1,290.0  in order, 2 transfers, 1 buffer
  critical path             73    730.0  the longest chain of results
  busiest unit: matrix      72    720.0  no overlap can be faster
  bound by dependencies (56.6% of the overlapped)

Why the next instruction waited
  122 cycles (94.6%): an SRAM range was not ready, or was still read
  carried along the critical path, in cycles: gp1 (1)

By opcode (2 of 4)
  opcode        count  cycles each  cycles  of serial  basis
  ------------  -----  -----------  ------  ---------  ---------
  M_MM              1  72               72      55.8%  published
  H_PREFETCH_V      1  52               52      40.3%  published

Hottest lines
  line  instruction                      count  cycles  of serial  waited  critical
  ----  -------------------------------  -----  ------  ---------  ------  --------
     2  M_MM 0, gp1, gp0                     1      72      55.8%       0        72
     4  H_PREFETCH_V gp0, gp0, a0, 0, 0      1      52      40.3%       0         0
"""


def section(page: list[Section], title: str) -> Section:
    return next(one for one in page if one.title.startswith(title))


def test_the_screen_that_is_printed() -> None:
    assert render_sections(short_page(predicted(MIXED), 2)) == SHORT


def test_without_a_clock_or_a_board_the_screen_says_so() -> None:
    made = predicted()
    core = replace(VIDEO, clock_hz=None, board=None)
    figures = predict_known(parse(TEXT, PLENA), load_cost_source("emulator"), core)
    bare = replace(figures, chosen="by hand")
    for page in (short_page(bare, 2), prediction_page(bare, 2)):
        first = page[0]
        assert first.title == "program on no board"
        assert dict(first.facts)["why these"] == "by hand"
        assert "no clock, " in " ".join(text for _, text in first.facts)
    assert "why these" not in dict(short_page(made, 2)[0].facts)


@pytest.mark.parametrize(("count", "more"), [(8, ()), (10, ("and 2 more",))])
def test_eight_lines_without_a_meaning_are_shown(count: int, more: tuple[str, ...]) -> None:
    text = "V_FOO gp1\n" * count + "S_LUI_INT gp1, 1\n"
    for page in (short_page(predicted(text), 2), prediction_page(predicted(text), 2)):
        lines = page[0].lines
        assert lines[0].startswith(f"{count} lines, {count} instructions if every loop count holds")
        shown = tuple(f"line {n + 1}, column 1: unknown opcode V_FOO" for n in range(8))
        assert lines[1:] == (*shown, *more)


def test_three_waits_and_no_carriers_are_on_the_screen_and_all_on_the_prediction_page() -> None:
    made = predicted()
    assert made.overlapped is not None
    waits = {"unit": 10, "register": 40, "sram": 20, "slot": 30}
    carriers = {f"gp{n}": n for n in range(6)}
    done = made.overlapped._replace(cycles=200, waits=waits, carriers=carriers)
    one = replace(made, overlapped=done)
    lines = [
        "40 cycles (20.0%): a register or accumulator was not ready",
        "30 cycles (15.0%): too many transfers were under way",
        "20 cycles (10.0%): an SRAM range was not ready, or was still read",
        "10 cycles (5.0%): its unit was busy",
        "carried along the critical path, in cycles: gp5 (5), gp4 (4), gp3 (3), gp2 (2)",
    ]
    title = "Why the next instruction waited"
    assert section(short_page(one, 2), title).lines == tuple(lines[:3])
    assert section(prediction_page(one, 2), title).lines == tuple(lines)
    never = replace(one, overlapped=done._replace(waits=dict.fromkeys(waits, 0), carriers={}))
    assert section(prediction_page(never, 2), title).lines == ("never",)
    serial = replace(made, overlapped=None)
    assert not [one for one in prediction_page(serial, 2) if one.title == title]


def used(prediction: Prediction) -> str | None:
    return dict(section(prediction_page(prediction, 2), "Memory and arithmetic").facts).get("used")


def test_costs_that_take_no_notice_of_bytes_may_use_more_than_the_board_has() -> None:
    """512 bytes in 520 ns, in 250 ns, and in no time."""
    fetch = "H_PREFETCH_V gp0, gp0, a0, 0, 0\n"
    assert used(predicted(fetch)) == "0.9846 GB/s, 98.5% of what transfers get"
    assert used(predicted(fetch, "peer-charged")) == (
        "2.048 GB/s; the costs of peer-charged take no notice of bytes, so this is more than the "
        "board's 1 GB/s: they are too low for these sizes"
    )
    assert used(predicted(fetch, "peer")) is None


def test_a_prediction_without_a_memory_model_has_no_section_of_it() -> None:
    assert memory_sections([predicted()]) == []


KEYS = {
    ("Figures", "figure"),
    ("By opcode", "opcode"),
    ("By category", "name"),
    ("By region", "name"),
    ("By section, from the comments", "name"),
    ("By loop, with all inside it", "lines"),
    ("Hottest lines", "line", "instruction"),
}


def test_rows_are_named_by_these_columns() -> None:
    found = {
        (one.title, *(column.title for column in one.columns if column.key))
        for one in prediction_page(predicted(), 20)
        if one.columns
    }
    assert found == KEYS
