"""`lanescope predict`: what a program costs on a board, by four figures, and what bounds it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import memory
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.model.boards import Board
    from lanescope.model.schedule.prediction import Prediction

HELP = "predict what a program costs on a board, and what bounds it"
EXAMPLE = "lanescope predict program.asm --board nexys_video --cost-source rtl --trace out.lanes"

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
    overlap.add_argument(
        "--outstanding", type=_count, default=2, metavar="N", help="transfers under way (2)"
    )
    overlap.add_argument(
        "--buffers", type=int, choices=(1, 2), default=1, help="2: prefetches are double-buffered"
    )
    overlap.add_argument("--serial", action="store_true", help="no schedule, only sums")
    memory.configure(parser)
    parser.add_argument("--trace", metavar="NAME.lanes", help="store the schedule; a path or a URL")
    parser.add_argument("--ignore-unknown", action="store_true", help="a total without what is X")
    parser.add_argument("--diff", action="store_true", help="what differs between two programs")
    parser.add_argument("--top", type=_count, default=12, metavar="N", help="rows per table (12)")


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
    with working("predicting"):
        predictions = [_predicted(args, case) for case in cases]
    stored = _store(predictions[0], args.trace) if args.trace else None
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("predict", _plain(predictions, args, stored))
        return 0
    sys.stdout.write(_text(predictions, args))
    if stored:
        print(
            f"\n{stored}: the schedule; 'lanescope report {stored}' or 'lanescope export' read it"
        )
    return 0


def _cases(args: argparse.Namespace) -> list[tuple[str, Board | None, str | None]]:
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


def _predicted(args: argparse.Namespace, case: tuple[str, Board | None, str | None]) -> Prediction:
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
        return first.to_dict(top=args.top) | {"trace": stored}
    figures = first.compare(*others).to_dict(top=args.top)
    if args.diff:
        figures["difference"] = first.difference(others[0]).to_dict()
    return figures


def _text(predictions: list[Prediction], args: argparse.Namespace) -> str:
    first, *others = predictions
    if args.diff:
        return first.difference(others[0]).text(top=args.top)
    return first.compare(*others).text() if others else first.text(top=args.top)


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 1 << 24:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text!r}")
    return int(text)
