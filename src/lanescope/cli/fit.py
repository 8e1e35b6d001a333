"""`lanescope fit`: does a model fit a board, how fast is it then, and what would help."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import board, memory, model, places, quiet, writing
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.model.boards import Board
    from lanescope.model.fit.result import Fit

HELP = "tell whether a model fits a board, and its tokens per second"
EXAMPLE = "lanescope fit config.json --board custom_a7 --context 2048 --weight-dtype mxfp8"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lanescope fit`."""
    model.configure(parser)
    board.configure(parser, text="see 'lanescope boards'; repeat to compare", required=True)
    parser.add_argument(
        "--context", type=int, default=2048, metavar="N", help="tokens per sequence (default: 2048)"
    )
    parser.add_argument(
        "--batch", type=int, default=1, metavar="N", help="sequences at once (default: 1)"
    )
    memory.configure_capacity(parser)
    core = parser.add_argument_group("arithmetic")
    core.add_argument(
        "--compute",
        metavar="RATE",
        help="operations per second that are reached, like 8.9G (default: the board's peak, or "
        "what predict's schedule of a tile program reaches on its core)",
    )
    core.add_argument("--cost-source", metavar="NAME|FILE", help="of that schedule: emulator")
    core.add_argument("--settings", metavar="FILE", help="sizes and latencies: a settings.toml")
    for name in ("mlen", "blen", "vlen"):
        core.add_argument(f"--{name}", type=int, metavar="N")
    parser.add_argument(
        "--storage",
        metavar="RATE",
        help="the host reads the weights from its storage at this rate, like 6GB/s",
    )
    parser.add_argument(
        "--kv-on-host", action="store_true", help="the whole KV cache stays in the host's memory"
    )
    parser.add_argument(
        "--svg",
        type=places.local,
        metavar="FILE",
        help="write the plane of capacity × link as a picture",
    )
    writing.configure(parser)
    quiet.configure(parser)
    parser.add_argument(
        "--full",
        action="store_true",
        help="also print policies, sensitivity, and the plane of capacity × link",
    )


def run(args: argparse.Namespace) -> int:
    """Print the fit as text or JSON, and write its picture where one is asked for."""
    from lanescope.model.boards import load_boards

    boards = load_boards(args.board)
    if len(boards) > 1 and args.svg is not None:
        raise UsageError(f"--svg draws the plane of one board, found {len(boards)}")
    writing.check_force(args, args.svg, "--svg FILE")
    first, *others = [_fitted(args, one) for one in boards]
    if args.svg is not None:
        _write(args.svg, first.svg())
    answer = first.compare(*others) if others else first
    if args.json:
        from lanescope.cli.printing import print_json

        written = {} if args.svg is None else {"svg": str(args.svg)}
        print_json("fit", answer.to_dict() | written)
    else:
        if not args.quiet:
            sys.stdout.write(_text(first, others, full=args.full))
        if args.svg is not None:
            print(f"written: {args.svg}")
    return 0


def _text(first: Fit, others: list[Fit], *, full: bool) -> str:
    """The boards side by side, the whole page of one, or the short one."""
    if others or full:
        return first.compare(*others).text() if others else first.text()
    return f"{first.short()}More: --full, and --svg FILE for a picture\n"


def _fitted(args: argparse.Namespace, one: Board) -> Fit:
    from lanescope.model.fitting import fit

    return fit(
        args.model,
        board=one,
        context=args.context,
        batch=args.batch,
        config=args.config,
        weight_dtype=args.weight_dtype,
        kv_dtype=args.kv_dtype,
        capacity=args.capacity,
        host_bandwidth=args.host_bandwidth,
        storage=args.storage,
        compute=args.compute,
        kv_on_host=args.kv_on_host,
        cost_source=args.cost_source,
        settings=args.settings,
        mlen=args.mlen,
        blen=args.blen,
        vlen=args.vlen,
    )


def _write(path: Path, text: str) -> None:
    from lanescope.errors import OutputError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error
