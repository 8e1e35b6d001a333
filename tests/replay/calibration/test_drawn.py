"""Values that are drawn for tasks and times without records."""

from __future__ import annotations

import numpy as np

from lanescope.replay.calibration.absences import Absences, Pieces
from lanescope.replay.calibration.drawn import drawn_like, filled


def test_values_are_drawn_from_the_same_group() -> None:
    values = np.array([1, 2, 3, 4, 5, -1, 100, -1])
    group = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    known = values >= 0
    drawn = drawn_like(values, group, known, np.random.default_rng(3))
    assert drawn[known].tolist() == [1, 2, 3, 4, 5, 100]
    assert drawn[5] in (1, 2, 3, 4, 5)
    assert drawn[7] in (1, 2, 3, 4, 5, 100), "one value of a group is too few"
    assert (
        drawn_like(values, group, values < -1, np.random.default_rng(3)).tolist() == values.tolist()
    )


def idle_pieces(*spans: tuple[int, int]) -> Pieces:
    """Of one scheduler, which had nothing to do before each."""
    start, end = np.array(spans, np.int64).T
    zero = np.zeros(len(spans), np.int64)
    return Pieces(
        scheduler=zero,
        start_ns=start,
        end_ns=end,
        finishes=zero + 1,
        dispatches=zero,
        idle=zero == 0,
        last_ns=start - 1,
        acts=np.arange(len(spans)),
    )


def test_who_comes_at_a_random_moment_waits_as_long_as_was_recorded() -> None:
    """Half of the recorded waits took 100 ns, the others 10 µs."""
    spans = [(20_000 * n, 20_000 * n + (100 if n % 2 else 10_000)) for n in range(40)]
    none = Absences(**{name: np.zeros(0, np.int64) for name in Absences.__slots__})
    far = 50_000_000
    made = filled(none, idle_pieces(*spans), (0, far), turn_ns=1, seed=5)
    moments = np.random.default_rng(1).uniform(1_000_000, far, 20_000)
    place = np.searchsorted(made.end_ns, moments)
    wait = np.where(made.start_ns[place] <= moments, made.end_ns[place] - moments, 0)
    # A least length of far / 20,000 is 2.5 µs: short waits are drawn as such.
    assert abs(wait.mean() / ((10_000 + 2_500) / 2) - 1) < 0.1
    assert abs(np.count_nonzero(wait > 5_000) / len(wait) - 0.5 * 0.75) < 0.03


def test_times_that_are_known_stay_as_they_were() -> None:
    known = Absences(
        scheduler=np.array([0]), start_ns=np.array([5_000]), end_ns=np.array([6_000]),
        acts=np.array([7]),
    )  # fmt: skip
    made = filled(known, idle_pieces((1_000, 2_000)), (0, 20_000), turn_ns=50, seed=1)
    mine = made.start_ns == 5_000
    assert (made.end_ns[mine].tolist(), made.acts[mine].tolist()) == ([6_000], [7])
    inside = (made.end_ns > 1_000) & (made.start_ns < 2_050)
    assert not inside.any(), "a piece without an absence, and a turn behind it"
    assert (made.start_ns[1:] >= made.end_ns[:-1]).all()
    assert len(made.start_ns) > 3


def test_without_a_wait_nothing_is_drawn() -> None:
    none = Absences(**{name: np.zeros(0, np.int64) for name in Absences.__slots__})
    never = idle_pieces((0, 9)).rows(np.zeros(1, bool))
    assert len(filled(none, never, (0, 9), turn_ns=1, seed=0).acts) == 0
