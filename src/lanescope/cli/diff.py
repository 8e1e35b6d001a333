"""`lanescope diff`: compare runs; regressions first, and an exit code for machines."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lanescope.cli.options import quiet, source
from lanescope.cli.options.growth import growth_limit
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.analyze.compare.diff import Diff, Difference
    from lanescope.analyze.compare.program_diff import ProgramDiff

HELP = "compare runs: what got slower, faster, new or gone; where a prediction is off"
EXAMPLE = (
    'lanescope diff old1.lanes old2.lanes --new new1.lanes new2.lanes --fail-if "makespan>+2%"'
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope diff`."""
    parser.add_argument(
        "base", nargs="+", metavar="TRACE",
        help="the base, paths or URLs; of two traces without --new, the second is the new one",
    )  # fmt: skip
    parser.add_argument("--new", nargs="+", default=[], metavar="TRACE", help="the new side")
    parser.add_argument(
        "--fail-if", action="append", default=[], metavar="NAME>+X%",
        help="exit 1 when makespan, a core-time reason, a function or a phase grew by more, and "
        "that is no chance; repeat",
    )  # fmt: skip
    quiet.configure(parser)
    source.configure_part(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope diff`; returns the exit code."""
    from lanescope.facade.comparing import diff
    from lanescope.render.progress import working

    base, new = args.base, args.new
    if not new:
        if len(base) != 2:
            raise UsageError(
                f"expected two traces, or --new and the other side's, found {len(base)}"
            )
        base, new = base[:1], base[1:]
    conditions = [growth_limit(text) for text in args.fail_if]
    with working("comparing"):
        comparison = diff(base, new, **source.part_of(args))
    broken = [
        sentence
        for name, limit in conditions
        if (sentence := _broken(comparison, name, limit=limit))
    ]
    _print(args, comparison, broken)
    return 1 if broken else 0


def _broken(comparison: Diff, name: str, *, limit: float) -> str | None:
    if comparison.program is not None:
        return _program_broken(comparison.program, name, limit=limit)
    rows = [row for row in comparison.rows if row.name == name]
    if not rows:
        told = ("run", "core time", "device time")
        known = dict.fromkeys(row.name for row in comparison.rows if row.group in told)
        of_cores = not any(row.group == "device time" for row in comparison.rows)
        others = "a function, a phase, a core" if of_cores else "a kernel, a row of the host"
        raise UsageError(
            f"expected --fail-if with a measure of these runs ({', '.join(known)}, {others}), "
            f"found {name!r}"
        )
    worst = max(rows, key=_growth)
    if _growth(worst) <= limit or worst.verdict == "same":
        return None
    return f"{name} changed by {100 * _growth(worst):+.2f} %, more than +{100 * limit:g} %"


def _program_broken(program: ProgramDiff, name: str, *, limit: float) -> str | None:
    changes = program.changes()
    if name not in changes:
        known = ", ".join(one.name for one in program.figures if one.name in changes)
        raise UsageError(
            f"expected --fail-if with a figure of both sides ({known}, an opcode), found {name!r}"
        )
    if changes[name] <= limit:
        return None
    return f"{name} changed by {100 * changes[name]:+.2f} %, more than +{100 * limit:g} %"


def _growth(row: Difference) -> float:
    """Relative; what was not there before has grown without limit."""
    if row.change is not None:
        return row.change
    return float("inf") if row.new_ns else float("-inf")


def _print(args: argparse.Namespace, comparison: Diff, broken: list[str]) -> None:
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("diff", {**comparison.to_dict(), "failed": broken})
        return
    from lanescope.analyze.compare.diff_text import diff_text
    from lanescope.render.names import printable

    if not args.quiet:
        print(diff_text(comparison), end="\n" if broken else "")
    print("".join(f"FAILED: {printable(sentence)}\n" for sentence in broken), end="")
