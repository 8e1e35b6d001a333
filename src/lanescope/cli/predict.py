"""`lanescope predict`: what a program costs on a board, by four figures, and what bounds it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import memory, quiet, writing
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.model.boards import Board
    from lanescope.model.schedule.prediction import Prediction
    from lanescope.render.page import Section

HELP = "predict what a program costs on a board, and what bounds it"
EXAMPLE = "lanescope predict program.asm --board nexys_video --cost-source rtl --trace out.lanes"

TOP = 12
"""Rows of a table on the full page and in JSON."""
_LEAST_GAIN = 0.005
"""A change that gives less is not worth a line."""
_MOST_INSTRUCTIONS = 2_000_000
"""Of longer programs nothing else is predicted than what was asked for."""
Case = tuple[str, "Board | None", "str | None"]
_SAME_WORDS = (
    *("settings", "isa", "dc_en", "mlen", "vlen", "blen", "hlen", "clock_mhz"),
    *("outstanding", "buffers", "serial", "ignore_unknown", "memory_model", "weight_manifest"),
    *("capacity", "host_bandwidth", "memory_size", "policy", "dram", "operations", "bind"),
)
"""Options that `lanescope.predict` takes by the same names."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lanescope predict`."""
    parser.add_argument("program", nargs="+", metavar="PROGRAM", help="assembly; several compare")
    parser.add_argument(
        "--board", action="append", metavar="NAME|FILE", help="see 'lanescope boards'; repeat"
    )
    parser.add_argument(
        "--cost-source",
        action="append",
        metavar="NAME|FILE",
        help="peer, peer-charged, emulator or rtl; repeat to compare (default: peer-charged where "
        "the board's file charges transfers in cycles, else emulator)",
    )
    parser.add_argument("--settings", metavar="FILE", help="sizes and latencies: a settings.toml")
    parser.add_argument("--isa", metavar="NAME|FILE", help="instruction set (default: plena)")
    parser.add_argument("--operations", metavar="FILE", help="numbers of the opcodes of a .mem")
    parser.add_argument(
        "--bind", action="append", metavar="NAME=N", help="a run-time count; LOW..HIGH; repeat"
    )
    sizes = parser.add_argument_group("the core, over what the settings say")
    for name in ("mlen", "vlen", "blen", "hlen"):
        sizes.add_argument(f"--{name}", type=_count, metavar="N")
    sizes.add_argument("--dc-en", type=int, choices=(0, 1), help="column of the settings")
    sizes.add_argument("--clock-mhz", type=_count, metavar="N", help="over the board's clock")
    overlap = parser.add_argument_group("the overlapped schedule")
    overlap.add_argument("--outstanding", type=_count, metavar="N", help="transfers under way (2)")
    overlap.add_argument(
        "--buffers", type=int, choices=(1, 2), help="2: prefetches are double-buffered (default: 1)"
    )
    overlap.add_argument("--serial", action="store_true", help="no schedule, only sums")
    memory.configure(parser)
    parser.add_argument("--trace", metavar="NAME.lanes", help="store the schedule; a path or a URL")
    writing.configure(parser)
    quiet.configure(parser)
    parser.add_argument("--ignore-unknown", action="store_true", help="a total without what is X")
    parser.add_argument("--diff", action="store_true", help="what differs between two programs")
    parser.add_argument("--full", action="store_true", help="print all tables and sources")
    parser.add_argument(
        "--top", type=_count, metavar="N", help="rows per table (12; 3 on the short page)"
    )


def run(args: argparse.Namespace) -> int:
    """Print one prediction, several side by side, or what differs between two."""
    from lanescope.render.progress import working

    cases = _cases(args)
    if args.trace and args.serial:
        raise UsageError("--trace stores the schedule, which --serial leaves out")
    if args.diff and len(cases) != 2:
        raise UsageError(f"--diff compares two predictions, found {len(cases)}")
    if args.trace and len(cases) != 1:
        raise UsageError(f"--trace stores one prediction, found {len(cases)}")
    writing.check_force(args, args.trace, "--trace NAME.lanes")
    with working("predicting"):
        predictions = [_predicted(args, case) for case in cases]
    stored = _store(predictions[0], args.trace) if args.trace else None
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("predict", _plain(predictions, args, stored))
        return 0
    if not args.quiet:
        sys.stdout.write(_text(predictions, args, cases))
    if stored:
        print(
            f"\n{stored}: the schedule; 'lanescope report {stored}' or 'lanescope export' read it"
        )
    return 0


def _cases(args: argparse.Namespace) -> list[Case]:
    """Every program on every board with every cost source, in this order."""
    from lanescope.model.boards import load_boards

    boards: list[Board | None] = [*load_boards(args.board)] if args.board else [None]
    sources: list[str | None] = args.cost_source or [None]
    return [
        (program, board, source)
        for program in args.program
        for board in boards
        for source in sources
    ]


def _predicted(args: argparse.Namespace, case: Case) -> Prediction:
    from lanescope.model.predicting import predict

    program, board, source = case
    same = {name: getattr(args, name) for name in _SAME_WORDS}
    return predict(program, board=board, cost_source=source, **same)


def _store(prediction: Prediction, path: str) -> str:
    from lanescope.trace import save

    return str(save(prediction.trace(), path))


def _plain(
    predictions: list[Prediction], args: argparse.Namespace, stored: str | None
) -> dict[str, Any]:
    """What `--json` prints, as dicts."""
    first, *others = predictions
    if not others:
        return first.to_dict(top=args.top or TOP) | {"trace": stored}
    figures = first.compare(*others).to_dict(top=args.top or TOP)
    if args.diff:
        figures["difference"] = first.difference(others[0]).to_dict()
    return figures


def _text(predictions: list[Prediction], args: argparse.Namespace, cases: list[Case]) -> str:
    from lanescope.render.plain import render_sections

    first, *others = predictions
    if args.diff:
        return first.difference(others[0]).text(top=args.top or TOP)
    if others:
        return first.compare(*others).text()
    if args.full:
        return first.text(top=args.top or TOP)
    page = first.short_page(**({} if args.top is None else {"top": args.top}))
    return render_sections([*page, _next(args, cases[0], first)])


def _next(args: argparse.Namespace, case: Case, now: Prediction) -> Section:
    """What a second buffer or more transfers would give, each predicted."""
    from lanescope.render.page import Section

    facts: list[tuple[float, str]] = []
    before = now.overlapped.cycles if now.overlapped else 0
    for change in _changes(args, now) if before else []:
        option, value = next(iter(change.items()))
        then = _predicted(argparse.Namespace(**{**vars(args), **change}), case).overlapped
        gain = then.cycles / before - 1 if then else 0.0
        if gain <= -_LEAST_GAIN:
            facts.append((gain, f"with --{option.replace('_', '-')} {value}"))
    rows = tuple((f"{100 * gain:+.1f}%", words) for gain, words in sorted(facts))
    more = "More: --full for all tables and sources, --trace NAME.lanes for the schedule"
    return Section(title="Next: what would pay" if rows else "Next", facts=rows, lines=(more,))


def _changes(args: argparse.Namespace, now: Prediction) -> list[dict[str, Any]]:
    """Options that are worth a try with this program."""
    if args.serial or now.instructions > _MOST_INSTRUCTIONS:
        return []
    changes: list[dict[str, Any]] = [{"outstanding": 2 * now.transfers.outstanding}]
    if now.transfers.buffers == 1:
        changes.append({"buffers": 2})
    return changes


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 1 << 24:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text!r}")
    return int(text)
