"""`lanescope predict`: what a program costs on a board, by four figures, and what bounds it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import memory as memory_options
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lanescope.model.cost.machine import Machine, Settings
    from lanescope.model.memory.program import MemoryRun
    from lanescope.model.schedule.predict import Prediction

HELP = "predict what a program costs on a board, and what bounds it"
EXAMPLE = "lanescope predict program.asm --board nexys_video --cost-source rtl --trace out.lanes"

_SIZES = ("mlen", "vlen", "blen", "hlen")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", nargs="+", metavar="PROGRAM", help="assembly; several compare")
    parser.add_argument(
        "--board", action="append", metavar="NAME|FILE", help="see 'lanescope boards'; repeat"
    )
    parser.add_argument(
        "--cost-source",
        action="append",
        metavar="NAME|FILE",
        help="peer, peer-charged, emulator (the default) or rtl; repeat to compare",
    )
    parser.add_argument("--settings", metavar="FILE", help="sizes and latencies: a settings.toml")
    parser.add_argument("--isa", default="plena", metavar="NAME|FILE", help="default: plena")
    sizes = parser.add_argument_group("the core, over what the settings say")
    for name in _SIZES:
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
    memory_options.configure(parser)
    parser.add_argument("--trace", type=Path, metavar="NAME.lanes", help="store the schedule")
    parser.add_argument("--ignore-unknown", action="store_true", help="a total without what is X")
    parser.add_argument("--diff", action="store_true", help="what differs between two programs")
    parser.add_argument("--top", type=_count, default=12, metavar="N", help="rows per table (12)")


def run(args: argparse.Namespace) -> int:
    from lanescope.render.progress import working

    if args.trace and args.serial:
        raise UsageError("--trace stores the schedule, which --serial leaves out")
    with working("predicting"):
        predictions = [_predicted(args, case) for case in _cases(args)]
    if args.diff and len(predictions) != 2:
        raise UsageError(f"--diff compares two predictions, found {len(predictions)}")
    if args.trace and len(predictions) != 1:
        raise UsageError(f"--trace stores one prediction, found {len(predictions)}")
    memory = _memory(predictions, args)
    stored = _store(predictions[0], args.trace) if args.trace else None
    if args.json:
        print(_json(predictions, memory, args=args, stored=stored))
        return 0
    from lanescope.model.schedule.compare import comparison_page, diff_page, memory_section
    from lanescope.model.schedule.page import prediction_page
    from lanescope.render.plain import render_sections

    if args.diff:
        page = diff_page(predictions[0], predictions[1], args.top)
    elif len(predictions) > 1:
        page = comparison_page(predictions)
    else:
        page = prediction_page(predictions[0], args.top)
    page += [memory_section(*pair) for pair in zip(predictions, memory, strict=False)]
    print(render_sections(page), end="")
    if stored:
        print(
            f"\n{stored}: the schedule; 'lanescope report {stored}' or 'lanescope export' read it"
        )
    return 0


def _cases(args: argparse.Namespace) -> list[tuple[str, str | None, str]]:
    """Every program on every board with every cost source, in this order."""
    boards: list[str | None] = args.board or [None]
    sources = args.cost_source or ["emulator"]
    return [
        (program, board, source)
        for program in args.program
        for board in boards
        for source in sources
    ]


def _predicted(args: argparse.Namespace, case: tuple[str, str | None, str]) -> Prediction:
    from lanescope.model.cost.source import load_cost_source
    from lanescope.model.isa.isa import load_isa
    from lanescope.model.isa.parse import read_program
    from lanescope.model.schedule.overlap import Transfers
    from lanescope.model.schedule.predict import predict_known, predict_serial, refuse_unknown

    program, board, source = case
    parsed = read_program(program, load_isa(args.isa))
    costs, machine = load_cost_source(source), _machine(args, board)
    if args.serial:
        found = predict_serial(parsed, costs, machine)
    else:
        transfers = Transfers(args.outstanding, args.buffers)
        found = predict_known(parsed, costs, machine, transfers=transfers)
    if not args.ignore_unknown:
        refuse_unknown(found)
    return found


def _machine(args: argparse.Namespace, name: str | None) -> Machine:
    from dataclasses import replace

    from lanescope.model.boards import board_names, load_board
    from lanescope.model.cost.machine import make_machine

    if name is None and args.settings is None:
        names = ", ".join(board_names())
        raise UsageError(f"predict needs --board (one of {names}, or a file) or --settings FILE")
    board = None if name is None else load_board(name)
    sizes = {size.upper(): getattr(args, size) for size in _SIZES if getattr(args, size)}
    machine = make_machine(board, _settings(args), sizes)
    return replace(machine, clock_hz=args.clock_mhz * 10**6) if args.clock_mhz else machine


def _settings(args: argparse.Namespace) -> Settings | None:
    from lanescope.model.cost.machine import read_settings

    return read_settings(args.settings, dc_en=args.dc_en) if args.settings else None


def _memory(predictions: Sequence[Prediction], args: argparse.Namespace) -> list[MemoryRun]:
    """The programs' transfers on another memory than the plain one, where one is asked for."""
    if not memory_options.is_asked(args):
        return []
    return [memory_options.run_on_memory(args, prediction) for prediction in predictions]


def _store(prediction: Prediction, path: Path) -> str:
    from lanescope.model.schedule.trace import schedule_trace
    from lanescope.trace import save

    save(schedule_trace(prediction), path)
    return str(path)


def _json(
    predictions: list[Prediction],
    memory: list[MemoryRun],
    *,
    args: argparse.Namespace,
    stored: str | None,
) -> str:
    import msgspec

    from lanescope.model.schedule.detail import difference, prediction_dict

    found: list[dict[str, Any]] = [prediction_dict(each, args.top) for each in predictions]
    for row, run_ in zip(found, memory, strict=False):
        row["memory"] = run_.as_dict()
    if len(found) == 1:
        return msgspec.json.encode({**found[0], "trace": stored}).decode()
    result: dict[str, Any] = {"predictions": found}
    if args.diff:
        result["difference"] = difference(*predictions)
    return msgspec.json.encode(result).decode()


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 1 << 24:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text!r}")
    return int(text)
