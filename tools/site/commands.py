"""The page of all commands, made of their argparse parsers: names, options, defaults, examples."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from lanescope.cli import COMMANDS, _parser

_INTRO = """# Commands

This page is made of the parsers of the commands when the site is built.
`lanescope COMMAND --help` prints the same.
[commands.md](../commands.md) says what all commands have in common.
"""


def commands_page() -> str:
    """Markdown of every command, in the order of `lanescope --help`."""
    return "\n".join([_INTRO, *(line for name in COMMANDS for line in _command(name))])


def _command(name: str) -> Iterator[str]:
    parser = _subparsers(_parser([name], name))[name]
    yield from _section(parser, f"lanescope {name}", "##")
    for action, inner in _subparsers(parser).items():
        yield from _section(inner, f"lanescope {name} {action}", "###")


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _section(parser: argparse.ArgumentParser, title: str, marks: str) -> Iterator[str]:
    yield f"{marks} {title}\n"
    first, *rest = (parser.description or "").split("\n")
    yield f"{_escaped(first)}\n"
    if any(rest):
        yield "```text\n" + "\n".join(rest).strip("\n") + "\n```\n"
    example = (parser.epilog or "").partition("example:\n")[2].strip()
    yield f"```sh\n{example}\n```\n"
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if _is_told(one)]
        if not actions:
            continue
        if group.title not in ("positional arguments", "options"):
            yield f"{(group.title or '').capitalize()}:\n"
        head = "argument" if group.title == "positional arguments" else "option"
        yield f"| {head} | meaning |\n|---|---|"
        yield from (f"| {_names(one)} | {_meaning(parser, one)} |" for one in actions)
        yield ""


def _is_told(action: argparse.Action) -> bool:
    shown = action.help is not argparse.SUPPRESS
    return shown and not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def _names(action: argparse.Action) -> str:
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    )
    if not value and action.option_strings and action.nargs != 0:
        value = action.dest.upper()
    many = "…" if action.nargs in ("+", "*") else ""
    if not action.option_strings:
        return f"`{value or action.dest}{many}`".replace("|", "\\|")
    if action.nargs == "?":
        value = f"[{value}]"
    return f"`{', '.join(action.option_strings)} {value}{many}".strip().replace("|", "\\|") + "`"


def _meaning(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return _escaped(text)


def _escaped(text: str) -> str:
    for sign in "\\|*_<>":
        text = text.replace(sign, f"\\{sign}" if sign not in "<>" else f"&{'lg'[sign == '>']}t;")
    return text
