"""`lanescope boards`: list boards, show every value of one, check a file against physics."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from lanescope.errors import UsageError
from lanescope.render.cells import printable

if TYPE_CHECKING:
    from lanescope.model.boards import Board

HELP = "list the boards, show one with its sources, or check a board file"
EXAMPLE = "lanescope boards check my_board.yaml"

_WIDTH = 100


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "show", "check"),
        default="list",
        help="list (the default), show NAME, or check NAME",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a board, or a board's YAML file")


def run(args: argparse.Namespace) -> int:
    from lanescope.model.boards import board_names, load_board

    if args.action == "list":
        return _list([load_board(name) for name in board_names()], args)
    if args.name is None:
        raise UsageError(f"boards {args.action} needs a board: one of {', '.join(board_names())}")
    board = load_board(args.name)
    return _show(board, args) if args.action == "show" else _check(board, args)


def _list(boards: list[Board], args: argparse.Namespace) -> int:
    if args.json:
        _print_json([_row(board) for board in boards])
        return 0
    for board in boards:
        print(f"{board.name:<12}  {printable(board.summary)}")
    return 0


def _row(board: Board) -> dict[str, Any]:
    return {
        "name": board.name,
        "summary": board.summary,
        "capacity_bytes": board.memory.capacity_bytes.value,
        "peak_bytes_per_s": board.memory.peak_bytes_per_s.value,
    }


def _show(board: Board, args: argparse.Namespace) -> int:
    from lanescope.model.boards import values

    rows = [(place, given) for place, given in values(board)]
    if args.json:
        _print_json(
            {
                "name": board.name,
                "summary": board.summary,
                "notes": list(board.notes),
                "values": {place: _value(given) for place, given in rows},
            }
        )
        return 0
    print(f"{printable(board.name)}: {printable(board.summary)}")
    for note in board.notes:
        _wrapped(note, "  ")
    section = None
    for place, given in rows:
        head, _, key = place.rpartition(".")
        if head != section:
            section = head
            print(f"\n[{section}]" if section else "")
        print(f"  {key or place:<36} {_amount(given):>25}  {given.basis}")
        _wrapped(given.source + (f" ({given.note})" if given.note else ""), "      ")
    return 0


def _check(board: Board, args: argparse.Namespace) -> int:
    """Exit code 1 when something was found."""
    from lanescope.model.boards.lint import lint

    findings = lint(board)
    if args.json:
        _print_json({"name": board.name, "findings": [found._asdict() for found in findings]})
    elif not findings:
        print(f"{printable(board.name)}: nothing contradicts itself")
    for found in findings if not args.json else ():
        print(f"{printable(board.name)}: {found.place}: {printable(found.text)} [{found.check}]")
    return 1 if findings else 0


def _value(given: Any) -> dict[str, Any]:
    import msgspec

    fields: dict[str, Any] = msgspec.structs.asdict(given)
    return {key: value for key, value in fields.items() if value is not None}


def _amount(given: Any) -> str:
    if isinstance(given.value, str):
        return printable(given.value)
    text = f"{given.value:,}"
    if given.low is not None or given.high is not None:
        low = given.value if given.low is None else given.low
        high = given.value if given.high is None else given.high
        text += f" ({low:,} to {high:,})"
    return text


def _wrapped(text: str, indent: str) -> None:
    for line in textwrap.wrap(printable(text), _WIDTH - len(indent), break_on_hyphens=False):
        print(indent + line)


def _print_json(value: Any) -> None:
    import msgspec

    print(msgspec.json.encode(value).decode())
