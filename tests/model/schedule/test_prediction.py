"""What a prediction says of itself: bounds, roofline, dicts, text and trace."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.model.schedule.counted import SHORTER, predicted

from lanescope.model.schedule.prediction import DEPENDENCIES, Bound


def test_the_busiest_unit_bounds_it() -> None:
    prediction = predicted()
    assert prediction.busy == {
        "matrix": 432,
        "vector": 30,
        "scalar_fp": 0,
        "scalar_int": 1,
        "control": 11,
        "memory": 0,
        "issue": 19,
    }
    assert prediction.overlapped is not None
    assert prediction.bound_by() == ("matrix", 432 / prediction.overlapped.cycles)


def test_roofline() -> None:
    """1 prefetch of 8192 bytes and 2 products of 2 × 4 × 4 × 64; 2048 operations in 72 cycles."""
    text = "H_PREFETCH_M gp0, gp0, a0, 1, 0\nM_MM 0, gp0, gp0\nM_MM 0, gp0, gp0\n"
    prediction = predicted(text)
    assert prediction.traffic == (8192, 64 * 72, 4096)
    roofline = prediction.roofline()
    assert roofline is not None
    assert roofline.intensity == 0.5
    assert roofline.peak_flop_per_s == pytest.approx(2048 / 72 * 1e8)
    assert roofline.ridge == pytest.approx(2048 / 72 * 1e8 / 1e9)
    assert roofline.side == "memory"
    assert roofline.attainable_flop_per_s == pytest.approx(0.5e9)
    # The products wait for the tile: 820 + 2 × 72 cycles at 100 MHz.
    assert roofline.reached_flop_per_s == pytest.approx(4096 / 964 * 1e8)
    assert predicted("M_MM 0, gp0, gp0").roofline() is None


def test_a_chain_longer_than_every_unit_is_busy_is_the_bound() -> None:
    text = "H_PREFETCH_M gp0, gp0, a0, 1, 0\nM_MM 0, gp0, gp0\nM_MM_WO gp0, gp0, 0\n"
    prediction = predicted(text)
    # The tile takes 820, the product waits for it and takes 72, writing out takes 1.
    assert prediction.bound_by() == Bound(DEPENDENCIES, 1.0)
    assert max(prediction.busy.values()) == 820


def test_its_dict_has_every_figure_and_the_hottest_lines_that_are_asked_for() -> None:
    prediction = predicted()
    figures = prediction.to_dict(top=1)
    assert figures["cycles"]["serial"] == prediction.serial
    assert figures["board"] == "nexys_video"
    assert [line["line"] for line in figures["lines"]] == [5]
    assert [line["line"] for line in prediction.to_dict()["lines"]][:2] == [5, 9]
    assert "memory" not in figures


def test_its_text_is_the_report() -> None:
    lines = predicted().text(top=1).splitlines()
    assert lines[0] == "program on nexys_video"
    assert "By opcode (1 of 5)" in lines


def test_it_prints_itself_in_one_line() -> None:
    assert repr(predicted()) == (
        "<Prediction of program on nexys_video, costs from emulator: "
        "474 cycles serial, 435 overlapped>"
    )


def test_its_schedule_is_a_trace_with_a_task_per_instruction() -> None:
    prediction = predicted()
    assert len(prediction.trace().tasks) == prediction.instructions


def test_others_stand_beside_it() -> None:
    both = predicted().compare(predicted(SHORTER))
    assert [one.serial for one in both.predictions] == [474, 328]
    assert predicted().difference(predicted(SHORTER)).figures["serial"] == 328 - 474


def test_a_core_without_a_clock_has_cycles_and_no_times() -> None:
    timed = predicted()
    core = replace(timed.core, clock_hz=None)
    still = replace(timed, table=timed.table._replace(core=core))
    assert (timed.elapsed_ps, timed.time_ns(5)) == (timed.best * 10_000, 50.0)
    assert (still.elapsed_ps, still.time_ns(5)) == (0, None)
