"""The `lanescope` command: a table of commands, and the one place where errors are printed.

Each command is a module with HELP, EXAMPLE, `configure(parser)` and `run(args) -> exit code`.
Their modules import nothing heavy at the top, so that `--help` answers at once.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from importlib import import_module
from io import TextIOWrapper
from typing import Protocol, TextIO

from lanescope import __version__
from lanescope.cli.completion import IS_ASKED, answer_shell
from lanescope.cli.config import apply_defaults
from lanescope.cli.parsing import CommandParser, complain
from lanescope.errors import LanescopeError, PluginWarning
from lanescope.render.progress import silent

COMMANDS = {
    "run": "run",
    "bench": "bench",
    "collect": "collect",
    "agent": "agent",
    "import": "import_",
    "check": "check",
    "verify": "verify",
    "report": "report",
    "ranks": "ranks",
    "view": "view",
    "export": "export",
    "what-if": "what_if",
    "diff": "diff",
    "fleet": "fleet",
    "recover": "recover",
    "flight": "flight",
    "tensors": "tensors",
    "probe": "probe",
    "workloads": "workloads",
    "platforms": "platforms",
    "boards": "boards",
    "predict": "predict",
    "manifest": "manifest",
    "fit": "fit",
    "config": "config",
    "completion": "completion",
}
"""Command name to module name in this package."""


class Command(Protocol):
    """What a command module offers."""

    HELP: str
    EXAMPLE: str

    def configure(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (0 ok, 1 problem found, 2 usage)."""
    if sys.platform == "win32":
        _print_utf8()
    if argv is None:
        _look_for_garbage_seldom()
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _main(sys.argv[1:] if argv is None else argv)


def _main(words: Sequence[str]) -> int:
    if IS_ASKED in os.environ:
        answer_shell(lambda asked: _parser(COMMANDS, asked))
    try:
        parser = _prepared(words)
        args = parser.parse_args(words)
        if args.command is None:
            parser.print_help()
            return 2
        with silent() if getattr(args, "quiet", False) else nullcontext():
            code = _command(args.command).run(args)
        sys.stdout.flush()
        return code
    except LanescopeError as error:
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain again while shutting down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _complain(f"{error.filename or 'the system'}: {error.strerror or error}", 1)
    except MemoryError:
        return _complain("the machine's memory does not hold this; select a part of it", 1)
    except SystemError as error:  # numpy, where it gets no memory for something of its own
        return _complain(
            f"the machine's memory does not hold this ({error}); select a part of it", 1
        )
    except KeyboardInterrupt:
        return _complain("interrupted; nothing was left half-written", 130)


def _look_for_garbage_seldom() -> None:
    """Imports make many objects and hardly any garbage, and all goes with the process at its end.

    Of a small report the looks for garbage would be a tenth.
    """
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)


def _print_utf8() -> None:
    """Print every character also into files and pipes, for which Windows has another encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")


def _prepared(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these words, with the defaults that a file sets."""
    asked = next((word for word in words if not word.startswith("-")), "")
    # All commands are known only where one may be misspelt or help with all of them is asked for.
    sure = asked in COMMANDS and words[0] == asked
    needed = [asked] if sure else [] if words == ["--version"] else COMMANDS
    parser = _parser(needed, asked)
    # Help answers, and 'lanescope config' looks, also where the file is wrong.
    if asked in COMMANDS and asked != "config" and not {"-h", "--help"}.intersection(words):
        apply_defaults(_commands(parser)[asked], asked, list(COMMANDS))
    return parser


_show_other_warning = warnings.showwarning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A package that was left out is one line for people; other warnings look as always."""
    if issubclass(category, PluginWarning):
        _complain(str(message), 0)
    else:
        _show_other_warning(message, category, filename, lineno, file, line)


def _complain(message: str, code: int) -> int:
    complain(message)
    return code


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of one command, with all its options."""
    return _commands(_parser([name], name))[name]


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _command(name: str) -> Command:
    module: Command = import_module(f"lanescope.cli.{COMMANDS[name]}")
    return module


def _parser(names: Iterable[str], asked: str) -> argparse.ArgumentParser:
    """The parser of these commands; only the command that was asked for gets its arguments."""
    parser = CommandParser(
        prog="lanescope",
        is_top=True,
        description="Shows what every core of an AI accelerator did, when, and why it waited.",
        epilog="'lanescope COMMAND --help' shows an example of each command.",
    )
    parser.add_argument("--version", action="version", version=f"lanescope {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in names:
        command = _command(name)
        sub = commands.add_parser(
            name,
            help=command.HELP,
            description=command.HELP[0].upper() + command.HELP[1:] + ".",
            epilog=f"example:\n  {command.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == asked:
            command.configure(sub)
            sub.add_argument("--json", action="store_true", help="print machine-readable JSON")
    return parser
