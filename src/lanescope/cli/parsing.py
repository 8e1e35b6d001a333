"""The parser of the command line: argparse, with refusals of one sentence that say what is near."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from lanescope.errors import did_you_mean
from lanescope.render.colour import has_colour
from lanescope.render.names import printable

_REQUIRED = "the following arguments are required: "
_NUMBERS = {"int": "a whole number", "float": "a number"}
_WRONG_NUMBER = re.compile(r"invalid (int|float) value: ")


def complain(message: str) -> None:
    """Print what is wrong, one line; on a terminal one sees where it begins."""
    name = "\x1b[1;31mlanescope:\x1b[0m" if has_colour(sys.stderr) else "lanescope:"
    print(name, printable(message), file=sys.stderr)


class CommandParser(argparse.ArgumentParser):
    """Parser of `lanescope` (`is_top`), of a command, or of an action of a command."""

    def __init__(self, *, is_top: bool = False, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self._is_top = is_top

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the words; a command refuses what is left over, so that its own name is told.

        `given` says which options stand among the words.
        """
        found, rest = super().parse_known_args(args, namespace)
        if rest and not self._is_top:
            self.error(self._left_over(rest))
        if not self._is_top:
            found.given = self._given(args)
        return found, rest

    def error(self, message: str) -> NoReturn:
        """Print one sentence and end with exit code 2."""
        if message.startswith(_REQUIRED):
            message = f"expected {message.removeprefix(_REQUIRED)}, found nothing"
        match = _WRONG_NUMBER.search(message)
        if match is not None:
            found = message[match.end() :]
            message = f"{message[: match.start()]}expected {_NUMBERS[match[1]]}, found {found}"
        ending = "" if message.endswith("?") else f"; see '{self.prog} --help'"
        complain(message + ending)
        sys.exit(2)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say of a word that is none of the choices which of them is near."""
        if action.choices is None or value in action.choices:
            return
        known = [str(one) for one in action.choices]
        near = did_you_mean(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            what = str(action.metavar).lower()
            self.error(f"there is no {what} {value!r} in '{self.prog}'{near}")
        text = f"expected one of {', '.join(known)}, found {value!r}{near}"
        raise argparse.ArgumentError(action, text)

    def _given(self, words: Sequence[str]) -> frozenset[str]:
        """The long names of the options among the words, without the dashes before them."""
        known = self._option_string_actions
        names = [word.partition("=")[0] for word in words]
        actions = [known[name] for name in names if name in known]
        return frozenset(action.option_strings[-1].lstrip("-") for action in actions)

    def _left_over(self, rest: Sequence[str]) -> str:
        option = next((word for word in rest if word.startswith("-")), None)
        if option is None:
            return f"found {rest[0]!r} after everything that '{self.prog}' expects"
        name = option.partition("=")[0]
        near = did_you_mean(name, self._option_string_actions)
        return f"there is no option {name} in '{self.prog}'{near}"
