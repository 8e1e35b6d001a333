"""Pictures of a job, shape by shape: the work of ranks in steps, and their waiting."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.reports.pictures import shapes

from lanescope.jobs import plots
from lanescope.jobs.plots import job_plots
from lanescope.jobs.waits import RankWait
from lanescope.trace.table import Array

NAN = float("nan")


@dataclass
class Made:
    """What the pictures read of a report; `ratio` is the work beside peers, by rank and step."""

    ratio: Array
    numbers: list[int]
    steps: list[int]
    waits: tuple[RankWait, ...] = ()


def waited(rank: int, wait_ns: int, transfer_ns: int, times_last: int) -> RankWait:
    return RankWait(rank, 9, wait_ns, 0, transfer_ns, times_last, 0, 0, 0)


def drawn(made: Made) -> dict[str, list[str]]:
    report = SimpleNamespace(
        matrix=SimpleNamespace(step=np.array(made.steps)),
        job=SimpleNamespace(ranks=made.numbers, numbers=made.numbers),
        waits=SimpleNamespace(collectives=bool(made.waits), ranks=made.waits),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "peer_ratios", lambda report: made.ratio)
        return {name: shapes(svg) for name, svg in job_plots(cast(Any, report)).items()}


SMALL = Made(
    ratio=np.array([[1.0, 0.75, NAN], [1.2, 2.0, 1.0]]),
    numbers=[4, 7],
    steps=[3, 4, 5],
    waits=(waited(7, 3_000, 1_000, 1), waited(4, 1_000, 500, 2), waited(5, -5, 0, 0)),
)
STEPS = [
    "900 x 160",
    "text text title 16 26 Work of every rank in every step, beside its peers",
    "text soft 16 46 columns: steps; rows: ranks; red: longer than peers",
    "text soft 82 72 end rank 4",
    "rect h4 90 60 25 17 rank 4, step 3: 1.00 of the median of its peers",
    "rect h0 116 60 25 17 rank 4, step 4: 0.75 of the median of its peers",
    "text soft 82 90 end rank 7",
    "rect h7 90 78 25 17 rank 7, step 3: 1.20 of the median of its peers",
    "rect h8 116 78 25 17 rank 7, step 4: 2.00 of the median of its peers",
    "rect h4 142 78 25 17 rank 7, step 5: 1.00 of the median of its peers",
    "rect h0 90 116 58 12",
    "rect h1 150 116 58 12",
    "rect h2 210 116 58 12",
    "rect h3 270 116 58 12",
    "rect h4 330 116 58 12",
    "rect h5 390 116 58 12",
    "rect h6 450 116 58 12",
    "rect h7 510 116 58 12",
    "rect h8 570 116 58 12",
    "text soft 149 144 middle 0.8",
    "text soft 209 144 middle 0.9",
    "text soft 269 144 middle 0.95",
    "text soft 329 144 middle 0.98",
    "text soft 389 144 middle 1.02",
    "text soft 449 144 middle 1.05",
    "text soft 509 144 middle 1.1",
    "text soft 569 144 middle 1.3",
]

WAITS = [
    "900 x 144",
    "text text title 16 26 Waiting and transfer in collectives, by rank",
    "rect c1 90 36 12 12",
    "text soft 108 46 waiting for others",
    "rect c0 240 36 12 12",
    "text soft 258 46 transfer",
    "text soft 82 71 end rank 5",
    "rect c1 90 60 0 14",
    "rect c0 90 60 0 14",
    "text soft 96 71 -5 ns, last 0 times",
    "text soft 82 89 end rank 4",
    "rect c1 90 78 160 14",
    "rect c0 250 78 80 14",
    "text soft 336 89 1.00 µs, last 2 times",
    "text soft 82 107 end rank 7",
    "rect c1 90 96 480 14",
    "rect c0 570 96 160 14",
    "text soft 736 107 3.00 µs, last 1 time",
]


def test_every_rank_has_a_row_and_every_step_a_column_but_where_it_has_no_work() -> None:
    assert drawn(SMALL)["ranks-steps.svg"] == STEPS


def test_the_rank_that_waits_least_is_first_and_no_bar_is_shorter_than_nothing() -> None:
    """640 pixels are the 4 µs of the rank with most."""
    assert drawn(SMALL)["ranks-waits.svg"] == WAITS


def test_a_job_without_steps_or_collectives_has_no_such_picture() -> None:
    assert drawn(Made(np.zeros((0, 3)), [], [1, 2, 3])) == {}
    assert drawn(Made(np.zeros((2, 0)), [0, 1], [])) == {}


def test_many_ranks_and_steps_share_a_cell_which_shows_what_is_farthest_from_the_peers() -> None:
    """Of 256 ranks and 256 steps, two and two are a cell of 5 × 6.17 pixels; a name has 16."""
    ratio = np.ones((256, 256))
    ratio[0, 1], ratio[1, 0], ratio[254:, 254:] = 1.3, 0.8, NAN
    lines = drawn(Made(ratio, list(range(256)), list(range(10, 266))))["ranks-steps.svg"]
    cells = [one for one in lines if " of the median of its peers" in one]
    assert lines[0] == "900 x 764"
    assert len(cells) == 128 * 128 - 1
    assert cells[0] == (
        "rect h7 90 60 5.17 5 ranks 0 to 1, steps 10 to 11: 1.30 of the median of its peers"
    )
    assert cells[1].startswith("rect h4 96.17 60 5.17 5 ranks 0 to 1, steps 12 to 13: 1.00 of ")
    names = [one.split(" end ")[1] for one in lines if " end rank " in one]
    assert names == [f"rank {number}" for number in range(0, 256, 6)]


def test_of_many_ranks_those_that_wait_least_and_most_are_drawn() -> None:
    many = Made(np.ones((1, 1)), [0], [1], tuple(waited(k, 100 * k, 0, 0) for k in range(41)))
    lines = drawn(many)["ranks-waits.svg"]
    assert lines[0] == "900 x 810"
    assert lines[6] == (
        "text soft 340 46 the 20 ranks that wait least and the 20 that wait most of 41"
    )
    names = [one.split(" end ")[1] for one in lines if " end rank " in one]
    assert names == [f"rank {k}" for k in range(41) if k != 20]
    forty = Made(np.ones((1, 1)), [0], [1], many.waits[:40])
    assert "wait most" not in " ".join(drawn(forty)["ranks-waits.svg"])
