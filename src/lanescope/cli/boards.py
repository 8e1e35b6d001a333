"""`lanescope boards`: list boards, show every value of one, check a file against physics."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lanescope.cli.printing import print_json
from lanescope.errors import UsageError
from lanescope.render.names import printable

HELP = "list the boards, show one with its sources, or check a board file"
EXAMPLE = "lanescope boards check my_board.yaml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lanescope boards`."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "show", "check"),
        default="list",
        help="list (the default), show NAME, or check NAME",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a board, or a board's YAML file")


def run(args: argparse.Namespace) -> int:
    """Do the action; the exit code is 1 where a check finds something."""
    from lanescope.model.boards import board_names
    from lanescope.model.boards.listing import check_board, show_board

    if args.action == "list":
        _list(args)
        return 0
    if args.name is None:
        raise UsageError(f"boards {args.action} needs a board: one of {', '.join(board_names())}")
    if args.action == "show":
        _print(show_board(args.name), args)
        return 0
    checked = check_board(args.name)
    _print(checked, args)
    return 1 if checked.findings else 0


def _list(args: argparse.Namespace) -> None:
    from lanescope.model.boards.listing import list_boards

    boards = list_boards()
    if args.json:
        print_json("boards", [board.to_dict() for board in boards])
        return
    for board in boards:
        print(f"{board.name:<12}  {printable(board.summary)}")


def _print(answer: Any, args: argparse.Namespace) -> None:
    if args.json:
        print_json(f"boards-{args.action}", answer.to_dict())
    else:
        sys.stdout.write(answer.text())
