"""A prediction between two ends: as facts, as a table, as a note beside others, and as a dict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.model.schedule.counted import SHORTER, predicted

from lanescope.model.isa.binding import RunTimeCount
from lanescope.model.schedule.compare import comparison_page
from lanescope.model.schedule.interval import (
    CountInterval,
    interval_dict,
    interval_facts,
    interval_notes,
    interval_sections,
)
from lanescope.model.schedule.prediction import Prediction

ROUTES = RunTimeCount("routes", 2, 3, (4,), given=False)


def between(*counts: RunTimeCount, low: Prediction | None = None) -> Prediction:
    return replace(predicted(), interval=CountInterval(counts, low, None))


def test_the_page_has_both_ends_of_every_figure() -> None:
    low, high = predicted(SHORTER), predicted()
    (section,) = interval_sections(between(ROUTES, low=low))
    assert low.overlapped is not None and high.overlapped is not None
    least = (328, low.overlapped.cycles, low.overlapped.critical_path)
    most = (474, high.overlapped.cycles, high.overlapped.critical_path)
    assert [column.cells for column in section.columns] == [
        ("serial", "overlapped", "critical path"),
        least,
        most,
        tuple(cycles * 10.0 for cycles in least),
        tuple(cycles * 10.0 for cycles in most),
    ]


def test_figures_without_a_schedule_are_left_out() -> None:
    low, high = (replace(predicted(text), overlapped=None) for text in (SHORTER, SHORTER + "\n"))
    made = replace(high, interval=CountInterval((ROUTES,), low, None))
    (section,) = interval_sections(made)
    assert section.columns[0].cells == ("serial",)


def test_beside_other_predictions_a_note_has_the_least() -> None:
    low, made = (
        predicted(SHORTER),
        between(ROUTES, ROUTES._replace(name="n"), low=predicted(SHORTER)),
    )
    note = (
        f"program on nexys_video: {low.best:,} to {made.best:,} cycles for routes 2 to 3, n 2 to "
        "3; the table has the most"
    )
    assert interval_notes(made) == [note]
    (section,) = comparison_page([made, predicted()])
    assert section.notes[1:] == (note,)


def test_counts_that_are_one_number_make_no_table_and_no_note() -> None:
    known = between(ROUTES._replace(low=3))
    assert interval_sections(known) == interval_notes(known) == []
    assert interval_sections(predicted()) == interval_notes(predicted()) == []
    assert interval_facts(predicted()) == [] and interval_dict(predicted()) is None
    told = interval_dict(known)
    assert told is not None
    assert (told["instructions"], told["cycles"]["serial"]) == ((20, 20), (474, 474))


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (ROUTES, "routes is 2 to 3 (line 4), known at run time only: --bind routes=N"),
        (ROUTES._replace(given=True), "routes is 2 to 3 (line 4), as --bind says"),
        (
            RunTimeCount("n", 5, 5, (1, 2, 3, 4), given=True),
            "n is 5 (line 1, 2, 3, 4), as --bind says",
        ),
        (
            RunTimeCount("n", 5, 5, (1, 2, 3, 4, 5), given=True),
            "n is 5 (line 1, 2, 3, 4, …), as --bind says",
        ),
        (RunTimeCount("n", 5, 5, (), given=True), "n is 5, as --bind says"),
    ],
)
def test_what_was_taken_for_a_count_is_said(count: RunTimeCount, said: str) -> None:
    assert interval_facts(between(count)) == [("count", said)]


def test_the_dict_has_pairs() -> None:
    low, high = predicted(SHORTER), predicted()
    told = interval_dict(between(ROUTES, low=low))
    assert told is not None
    assert told["counts"] == [ROUTES._asdict()]
    assert told["cycles"]["serial"] == (328, 474)
    assert told["time_ns"]["serial"] == [3280.0, 4740.0]
    assert told["instructions"] == (low.instructions, high.instructions)
    assert told["bound_by"] == ("matrix", "matrix")
