"""Published points: predicted, scored and printed; the two promises."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from pathlib import Path
from statistics import median

from validation.h200 import OTHER_SHAPES, h200_outcomes
from validation.offload import Excluded, Prediction, calibrated, predict
from validation.points import Point, read_points
from validation.report import print_calibration, print_excluded, print_groups, print_outcomes
from validation.score import Outcome, family_of, is_covered, scores

JUDGED = ("weight streaming", "weight streaming with KV", "partial residency")
MOST_MEDIAN_ERROR = 0.10
LEAST_COVERED = 0.80
_OTHER_SHAPES = Path(__file__).parent / "h200_other_shapes.csv"


def score_own(points: Path, measured: Path) -> list[str]:
    """The points we develop with, each left out of its own prediction; what does not hold."""
    found = read_points(points)
    outcomes = own_outcomes(points, measured)
    _print(found, outcomes, pool=outcomes, known=())
    return _judge(outcomes, outcomes)


def score_others(points: Path, known: Path, measured: Path) -> list[str]:
    """Other people's points: links and intervals come from ours, or from their other points."""
    found, ours = read_points(points), read_points(known)
    outcomes = outcomes_of(predict(found, ours))
    pool = [*own_outcomes(known, measured), *outcomes]
    _print(found, outcomes, pool=pool, known=ours)
    return _judge(outcomes, pool)


def own_outcomes(points: Path, measured: Path) -> list[Outcome]:
    """Published points, and layers measured on an H200: those in the data, and our own."""
    outcomes = outcomes_of(predict(read_points(points)))
    outcomes += h200_outcomes(measured) if measured.is_file() else []
    return outcomes + h200_outcomes(_OTHER_SHAPES, group=OTHER_SHAPES)


def outcomes_of(results: Sequence[Prediction | Excluded]) -> list[Outcome]:
    return [_outcome(result) for result in results if isinstance(result, Prediction)]


def _print(
    points: Sequence[Point],
    outcomes: Sequence[Outcome],
    *,
    pool: Sequence[Outcome],
    known: Sequence[Point],
) -> None:
    results = predict(points, known)
    print_outcomes(outcomes, pool)
    print_groups(scores(outcomes, pool))
    print_calibration([result for result in results if isinstance(result, Prediction)])
    print_excluded([result for result in results if isinstance(result, Excluded)])
    fitted = [one for one in calibrated(points) if one.point.family in JUDGED]
    if fitted:
        middle = median(abs(one.error) for one in fitted)
        print(
            f"\nfor comparison, with every run of a link in its fit: median error {middle:.1%} "
            f"over {len(fitted)} points of weight streaming and partial residency"
        )


def _outcome(prediction: Prediction) -> Outcome:
    point = prediction.point
    fitted = f"link of {', '.join(prediction.fitted_on)}" if prediction.fitted_on else "given link"
    return Outcome(
        id=point.id,
        group=point.family,
        predicted=prediction.predicted,
        measured=point.measured,
        baseline=prediction.baseline,
        log_ratio=prediction.log_ratio,
        run=point.run,
        detail=f"{prediction.link_bytes_per_s / 1e9:.2f} GB/s, {fitted}; tokens/s",
    )


def _judge(outcomes: Sequence[Outcome], pool: Sequence[Outcome]) -> list[str]:
    """The two promises: small median error, honest intervals."""
    judged = [outcome for outcome in outcomes if outcome.group in JUDGED]
    if not judged:
        return []
    middle = median(abs(outcome.error) for outcome in judged)
    covered = sum(is_covered(outcome, pool) for outcome in judged) / len(judged)
    everywhere = sum(is_covered(outcome, pool) for outcome in outcomes)
    print(
        f"\nweight streaming and partial residency: median error {middle:.1%} over {len(judged)} "
        f"points left out one by one (must be ≤ {MOST_MEDIAN_ERROR:.0%})"
    )
    print(
        f"their intervals hold {covered:.0%} of the measured values (must be ≥ "
        f"{LEAST_COVERED:.0%}); over all groups {everywhere} of {len(outcomes)}"
    )
    problems = []
    if middle > MOST_MEDIAN_ERROR:
        problems.append(f"median error {middle:.1%}")
    if covered < LEAST_COVERED:
        problems.append(f"coverage {covered:.0%}")
    return problems


def write_residuals(outcomes: Sequence[Outcome], path: Path) -> None:
    """The ratios that `lanescope fit` takes its intervals from."""
    lines = [
        "# Measured to predicted rate of published points, each predicted without its own run.",
        "# Written by `python -m validation --write-residuals`; do not edit.",
    ]
    for pool in dict.fromkeys(family_of(outcome) for outcome in outcomes):
        runs = {o.run: o for o in outcomes if family_of(o) == pool}
        lines += ["", f'["{pool}"]']
        lines += [f'"{o.id}" = {exp(o.log_ratio):.4f}' for o in runs.values()]
    path.write_text("\n".join(lines) + "\n")
