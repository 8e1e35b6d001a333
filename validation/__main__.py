"""Runs every comparison and prints the scoreboard: `make validate`.

Exit 1 if a figure that must hold does not. A comparison that is known to miss says MISSED and does
not fail. Where other people's data is not found, the run says so and checks the rest.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validation.emulator import emulator_records
from validation.overhead import overheads, print_overheads
from validation.profiler import compared, print_compared
from validation.published import (
    own_outcomes,
    score_layers,
    score_others,
    score_own,
    write_residuals,
)
from validation.report import print_recorded
from validation.scaling import print_scaling, scaling
from validation.silicon import CASES, CHIP, graph_of, print_cases, simulated

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
RESIDUALS = ROOT / "src" / "lanescope" / "model" / "fit" / "residuals.toml"


def main() -> int:
    args = _arguments()
    problems, missed = [], []
    if not args.points and not args.layers:
        problems += print_cases([simulated(case, graph_of(case)) for case in CASES])
        problems += print_scaling(scaling(graph_of(CASES[0]), CHIP))
        missed += print_overheads(overheads())
        problems += _recorded(args.data / "plena")
    problems += _published(args)
    for line in missed:
        print(f"MISSED: {line}")
    for problem in problems:
        print(f"DOES NOT HOLD: {problem}")
    return 1 if problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with plena/ and published/")
    parser.add_argument(
        "--points",
        type=Path,
        help="score these points instead, in the same columns; ours fit their links",
    )
    parser.add_argument(
        "--layers",
        type=Path,
        help="score these passes over layers on an H200 instead, in the columns of ours",
    )
    parser.add_argument(
        "--write-residuals", action="store_true", help=f"write {RESIDUALS.relative_to(ROOT)}"
    )
    return parser.parse_args()


def _recorded(folder: Path) -> list[str]:
    reference = folder / "emulator_reference.json"
    if not reference.is_file():
        print(f"no programs and recorded runs in {folder}: not checked")
        return []
    rows = compared(folder)
    print_compared(rows)
    records = emulator_records(reference)
    print_recorded(records)
    return [
        *(f"{row.program} under {row.model}" for row in rows if not row.holds),
        *(f"{record.name}: {record.error:+.2%}" for record in records if not record.holds),
    ]


def _published(args: argparse.Namespace) -> list[str]:
    own = args.data / "published" / "offload_points.csv"
    measured = args.data / "published" / "h200_layer_streaming.csv"
    if not own.is_file():
        print(f"no published points in {own.parent}: not checked")
        return []
    if args.write_residuals:
        write_residuals(own_outcomes(own, measured), RESIDUALS)
        print(f"written: {RESIDUALS.relative_to(ROOT)}")
    if args.layers:
        return score_layers(args.layers, measured)
    if args.points:
        return score_others(args.points, own, measured)
    return score_own(own, measured)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        sys.exit(f"validation: {error}")
