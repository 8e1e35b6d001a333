"""What import and export share: the formats listed in the help text, and their own options."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.formats import Exporter, FormatOption, Importer

_WIDTH = 100


def list_formats(parser: argparse.ArgumentParser, lines: Iterable[tuple[str, str]]) -> None:
    """Put a list of formats, (name, what it is), below the command's description."""
    named = list(lines)
    indent = 4 + max(len(name) for name, _ in named)
    listing = [
        textwrap.fill(
            text,
            _WIDTH,
            initial_indent=f"  {name}".ljust(indent),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for name, text in named
    ]
    parser.description = "\n".join([f"{parser.description}\n\nformats:", *listing])


def of_package(entry: Importer | Exporter) -> str:
    """Says where a format comes from, where it is not ours."""
    return f" (package {entry.package})" if entry.package else ""


def add_option(
    group: argparse._ArgumentGroup | argparse.ArgumentParser, option: FormatOption, text: str
) -> None:
    """Let the command line have an option of a format; `text` is its help."""
    group.add_argument(
        option.flag,
        dest=option.name,
        type=_argument(option.parse),
        choices=option.choices,
        metavar=option.metavar,
        help=text.replace("%", "%%"),
    )


def given(args: argparse.Namespace, options: Sequence[FormatOption]) -> dict[str, Any]:
    """The options that were used, by name."""
    values = {option.name: getattr(args, option.name) for option in options}
    return {name: value for name, value in values.items() if value is not None}


def refuse_options_of_others(
    args: argparse.Namespace,
    chosen: Importer | Exporter | None,
    known: Sequence[Importer | Exporter],
    *,
    option: str,
) -> None:
    """An option of one format says nothing about another; `option` is what chooses the format."""
    mine = {one.name for one in chosen.options} if chosen is not None else set()
    for one in known:
        for other in one.options:
            if other.name not in mine and getattr(args, other.name) is not None:
                what = one.reads if hasattr(one, "reads") else one.name
                raise UsageError(f"{other.flag} is for {what} only; add {option} {one.name}")


def _argument(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A format's way to read a value, with its error as argparse wants it."""

    def value(text: str) -> Any:
        try:
            return parse(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    value.__name__ = getattr(parse, "__name__", "value")
    return value
