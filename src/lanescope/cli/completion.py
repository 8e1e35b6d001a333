"""`lanescope completion`: the script with which a shell completes commands, options and names."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from lanescope.cli.printing import print_json

HELP = "print the script with which bash, zsh or fish completes lanescope's words"
EXAMPLE = 'lanescope completion bash  # in ~/.bashrc: eval "$(lanescope completion bash)"'

SHELLS = ("bash", "zsh", "fish")
IS_ASKED = "_ARGCOMPLETE"
"""The variable that the script sets where a shell asks for the words that may come next."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the shell."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """Prints the script."""
    from lanescope.errors import LanescopeError

    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise LanescopeError(
            "completion needs the package argcomplete, found none; install it with "
            "'pip install lanescope[completion]'"
        ) from None
    script = shellcode(["lanescope"], shell=args.shell)
    if args.json:
        print_json("completion", {"shell": args.shell, "script": script})
    else:
        print(script, end="")
    return 0


def answer_shell(parser_for: Callable[[str], argparse.ArgumentParser]) -> None:
    """Answer a shell, and end; `parser_for` makes the parser with the options of one command."""
    import argcomplete

    words = os.environ.get("COMP_LINE", "").split()
    asked = next((word for word in words[1:] if not word.startswith("-")), "")
    parser = parser_for(asked)
    _add_names(parser)
    argcomplete.autocomplete(parser)


def _add_names(parser: argparse.ArgumentParser) -> None:
    """Let options that name one of ours offer these names."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _add_names(inner)
        elif action.dest in _NAMES:
            action.completer = _NAMES[action.dest]  # type: ignore[attr-defined]


def _workloads(**_: object) -> list[str]:
    from lanescope.workloads.catalogue import WORKLOADS

    return list(WORKLOADS)


def _platforms(**_: object) -> list[str]:
    from lanescope.platforms.request import REAL
    from lanescope.platforms.sim.chip import built_in_chips

    return [*REAL, *built_in_chips()]


def _boards(**_: object) -> list[str]:
    from lanescope.model.boards import board_names

    return list(board_names())


_NAMES = {"workload": _workloads, "platform": _platforms, "board": _boards}
