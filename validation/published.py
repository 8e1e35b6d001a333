"""Published points: predicted, scored and printed; the promises."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from pathlib import Path

from lanescope.model.fit.scope import GROUPS
from validation.calibrate import Excluded, Prediction, predict
from validation.h200 import OTHER_SHAPES, Row, h200_outcomes, read_rows
from validation.reading import read_points
from validation.report import print_calibration, print_excluded, print_groups, print_outcomes
from validation.score import (
    LEAST_COVERED,
    MOST_COVERED,
    GroupScore,
    Outcome,
    is_covered,
    scores,
)

LEAST_PREDICTED = 0.80
"""Share of the published points that must be predicted: refusing is no way to be right."""
_OTHER_SHAPES = Path(__file__).parent / "h200_other_shapes.csv"
_FEW = 8
"""A share of fewer points than this says nothing."""


def score_own(points: Path, measured: Path) -> list[str]:
    """The points we develop with, each left out of its own prediction; what does not hold."""
    results = predict(read_points(points))
    outcomes = [*outcomes_of(results), *h200_outcomes(_rows(measured))]
    return _judge(results, outcomes, pool=outcomes)


def score_others(points: Path, known: Path, measured: Path) -> list[str]:
    """Other people's points: links and intervals come from ours, or from their other points."""
    ours = read_points(known)
    results = predict(read_points(points, ours), ours)
    outcomes = outcomes_of(results)
    pool = [*own_outcomes(known, measured), *outcomes]
    return _judge(results, outcomes, pool=pool)


def score_layers(layers: Path, measured: Path) -> list[str]:
    """Other people's passes over layers on an H200; starts and intervals also come from ours."""
    others, ours = read_rows(layers, group="these layers on an H200"), _rows(measured)
    outcomes = h200_outcomes([*others, *ours])
    return _judge([], outcomes[: len(others)], pool=outcomes)


def own_outcomes(points: Path, measured: Path) -> list[Outcome]:
    """Published points, and layers measured on an H200: those in the data, and our own."""
    return [*outcomes_of(predict(read_points(points))), *h200_outcomes(_rows(measured))]


def _rows(measured: Path) -> list[Row]:
    theirs = read_rows(measured) if measured.is_file() else []
    return [*theirs, *read_rows(_OTHER_SHAPES, group=OTHER_SHAPES)]


def outcomes_of(results: Sequence[Prediction | Excluded]) -> list[Outcome]:
    return [_outcome(result) for result in results if isinstance(result, Prediction)]


def _outcome(prediction: Prediction) -> Outcome:
    point, known = prediction.point, prediction.known
    fitted = f"from {', '.join(prediction.fitted_on)}" if prediction.fitted_on else "given"
    link, storage = known.link_bytes_per_s, known.storage_bytes_per_s
    links = "" if link is None else f"{link / 1e9:.2f} GB/s {fitted}; "
    links = links if storage is None else f"storage {storage / 1e9:.2f}, link {links}"
    return Outcome(
        id=point.id,
        group=point.family,
        pool=prediction.group,
        predicted=prediction.predicted,
        measured=point.measured,
        baseline=prediction.baseline,
        log_ratio=prediction.log_ratio,
        run=point.run,
        detail=f"{links}tokens/s",
    )


def _judge(
    results: Sequence[Prediction | Excluded],
    outcomes: Sequence[Outcome],
    *,
    pool: Sequence[Outcome],
) -> list[str]:
    """Print the scoreboard; the promises that do not hold, a sentence each."""
    print_outcomes(outcomes, pool)
    groups = scores(outcomes, pool)
    print_groups(groups)
    print_calibration([result for result in results if isinstance(result, Prediction)])
    excluded = [result for result in results if isinstance(result, Excluded)]
    print_excluded(excluded)
    return [*_problems(groups), *_overall(outcomes, pool), *_share(len(results), len(excluded))]


def _problems(groups: Sequence[GroupScore]) -> list[str]:
    return [problem for group in groups for problem in group.problems()]


def _overall(outcomes: Sequence[Outcome], pool: Sequence[Outcome]) -> list[str]:
    if not outcomes:
        return []
    covered = sum(is_covered(outcome, pool) for outcome in outcomes) / len(outcomes)
    print(
        f"\nthe intervals hold {covered:.0%} of {len(outcomes)} measured values (must be "
        f"{LEAST_COVERED:.0%} to {MOST_COVERED:.0%})"
    )
    right = LEAST_COVERED <= covered <= MOST_COVERED or len(outcomes) < _FEW
    return [] if right else [f"coverage {covered:.0%}"]


def _share(points: int, excluded: int) -> list[str]:
    if points == 0:
        return []
    share = 1 - excluded / points
    print(
        f"predicted: {points - excluded} of {points} published points, {share:.0%} (must be ≥ "
        f"{LEAST_PREDICTED:.0%})"
    )
    right = share >= LEAST_PREDICTED or points < _FEW
    return [] if right else [f"predicted only {share:.0%} of the points"]


def write_residuals(outcomes: Sequence[Outcome], path: Path) -> None:
    """The ratios that `lanescope fit` takes its intervals from: those of its own groups."""
    lines = [
        "# Measured to predicted rate of published runs, each predicted without itself.",
        "# Written by `python -m validation --write-residuals`; do not edit.",
    ]
    for name in GROUPS:
        runs = {one.run: one for one in outcomes if one.pool == name}
        lines += ["", f'["{name}"]']
        lines += [f'"{one.id}" = {exp(one.log_ratio):.4f}' for one in runs.values()]
    path.write_text("\n".join(lines) + "\n")
