"""The board of a command: one name or file; a second one is never left out silently."""

from __future__ import annotations

import argparse

from lanescope.errors import UsageError


def configure(parser: argparse.ArgumentParser, *, text: str, required: bool) -> None:
    """Add `--board`, which may be written several times so that the command sees all of them."""
    parser.add_argument(
        "--board", action="append", required=required, metavar="NAME|FILE", help=text
    )


def the_board(args: argparse.Namespace) -> str | None:
    """The one board that was named, None without one; several are refused."""
    boards: list[str] = args.board or []
    if len(boards) > 1:
        named = ", ".join(boards)
        raise UsageError(f"{args.command} takes one --board, found {len(boards)}: {named}")
    return boards[0] if boards else None
