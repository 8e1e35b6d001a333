"""Runs every comparison and prints the scoreboard: `make validate`.

Exit 1 if a figure that must hold does not. Without the data it says so and checks nothing.
"""

from __future__ import annotations

import argparse
import sys
from math import exp
from pathlib import Path
from statistics import median

from validation.emulator import emulator_records
from validation.h200 import h200_outcomes
from validation.offload import Excluded, Prediction, calibrated, predict
from validation.points import read_points
from validation.report import (
    print_calibration,
    print_excluded,
    print_groups,
    print_outcomes,
    print_recorded,
)
from validation.score import FAMILIES, Outcome, is_covered, scores

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
RESIDUALS = ROOT / "src" / "lanescope" / "model" / "fit" / "residuals.toml"
JUDGED = ("weight streaming", "weight streaming with KV", "partial residency")
MOST_MEDIAN_ERROR = 0.10
LEAST_COVERED = 0.80


def main() -> int:
    args = _arguments()
    problems: list[str] = []
    if (args.data / "plena" / "emulator_reference.json").is_file():
        records = emulator_records(args.data / "plena" / "emulator_reference.json")
        print_recorded(records)
        problems += [
            f"{record.name}: {record.error:+.2%}" for record in records if not record.holds
        ]
    else:
        print(f"no recorded emulator runs in {args.data / 'plena'}: not checked")
    points = args.points or args.data / "published" / "offload_points.csv"
    if points.is_file():
        problems += _published(args, points)
    else:
        print(f"no published points at {points}: not checked")
    for problem in problems:
        print(f"DOES NOT HOLD: {problem}")
    return 1 if problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with plena/ and published/")
    parser.add_argument("--points", type=Path, help="other published points, in the same columns")
    parser.add_argument(
        "--calibrate-on", type=Path, help="points that may calibrate links and are not scored"
    )
    parser.add_argument(
        "--write-residuals", action="store_true", help=f"write {RESIDUALS.relative_to(ROOT)}"
    )
    return parser.parse_args()


def _published(args: argparse.Namespace, path: Path) -> list[str]:
    """Prints the published points; returns what should hold and does not."""
    known = read_points(args.calibrate_on) if args.calibrate_on else []
    results = predict(read_points(path), known)
    predictions = [result for result in results if isinstance(result, Prediction)]
    outcomes = [_outcome(prediction) for prediction in predictions]
    measured = args.data / "published" / "h200_layer_streaming.csv"
    if measured.is_file():
        outcomes += h200_outcomes(measured)
    print_outcomes(outcomes)
    print_groups(scores(outcomes))
    print_calibration(predictions)
    print_excluded([result for result in results if isinstance(result, Excluded)])
    if args.write_residuals:
        _write_residuals(outcomes)
    fitted = [one for one in calibrated(read_points(path)) if one.point.family in JUDGED]
    if fitted:
        middle = median(abs(one.error) for one in fitted)
        print(
            f"\nfor comparison, with every run of a link in its fit: median error {middle:.1%} "
            f"over {len(fitted)} points of weight streaming and partial residency"
        )
    return _judge(outcomes)


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


def _judge(outcomes: list[Outcome]) -> list[str]:
    """The two promises: small median error, honest intervals."""
    judged = [outcome for outcome in outcomes if outcome.group in JUDGED]
    if not judged:
        return []
    middle = median(abs(outcome.error) for outcome in judged)
    covered = sum(is_covered(outcome, outcomes) for outcome in judged) / len(judged)
    everywhere = sum(is_covered(outcome, outcomes) for outcome in outcomes)
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


def _write_residuals(outcomes: list[Outcome]) -> None:
    lines = [
        "# Measured to predicted rate of published points, each predicted without its own run.",
        "# Written by `python -m validation --write-residuals`; do not edit.",
    ]
    for pool in dict.fromkeys(FAMILIES[outcome.group] for outcome in outcomes):
        runs = {o.run: o for o in outcomes if FAMILIES[o.group] == pool}
        lines += ["", f'["{pool}"]']
        lines += [f'"{o.id}" = {exp(o.log_ratio):.4f}' for o in runs.values()]
    RESIDUALS.write_text("\n".join(lines) + "\n")
    print(f"written: {RESIDUALS.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
