"""`lanescope config`, and the file that it shows: lanescope.toml, or [tool.lanescope] in
pyproject.toml, with defaults for options by command. An option that is written goes before it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lanescope.cli.printing import print_json
from lanescope.errors import UsageError, did_you_mean

HELP = "show the defaults that a lanescope.toml sets here, and where it is"
EXAMPLE = "lanescope config --json"

OWN, SHARED = "lanescope.toml", "pyproject.toml"
NEVER = ("force", "device", "cluster", "listen", "connect", "token-file", "help", "version")
"""Options that a file may not set: a folder that came from elsewhere would replace files with
them, run code, or open a port."""


class _Fallback(list[Any]):
    """Defaults of an option that may be repeated: the first one that is written replaces them."""

    def __copy__(self) -> list[Any]:
        return []


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The file in force, and its tables by command."""

    path: Path
    tables: dict[str, Any]


def configure(parser: argparse.ArgumentParser) -> None:
    """`lanescope config` has no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope config`: every key is checked, also of commands that do not run now."""
    from lanescope.cli import COMMANDS, parser_of

    config = find_config()
    values: list[dict[str, Any]] = []
    if config is not None:
        for name in tables_of(config, COMMANDS):
            parser = parser_of(name)
            for action, table, key in _keys(config, parser, name):
                _value(config, action, f"{table}.{key}", _inner(config, table)[key])
                value = _inner(config, table)[key]
                values.append({"command": table.replace(".", " "), "option": key, "value": value})
    if args.json:
        path = None if config is None else str(config.path)
        print_json("config", {"file": path, "defaults": values})
        return 0
    if config is None:
        print(f"no {OWN} and no [tool.lanescope] in a {SHARED}, here or above")
        return 0
    print(config.path)
    for one in values:
        print(f"  {one['command']} --{one['option']} {_shown(one['value'])}")
    return 0


def find_config() -> ConfigFile | None:
    """The nearest file in this folder or above, up to a repository's root or the home folder."""
    try:
        folder = Path.cwd()
    except OSError:  # somebody deleted it
        return None
    home = Path(os.environ.get("HOME") or "/")
    for place in (folder, *folder.parents):
        for name in (OWN, SHARED):
            path = place / name
            if path.is_file() and (tables := _read(path)) is not None:
                return ConfigFile(path, tables)
        if place == home or (place / ".git").exists():
            break
    return None


def _read(path: Path) -> dict[str, Any] | None:
    """The tables of a file; None of a pyproject.toml without a [tool.lanescope]."""
    try:
        text = path.read_bytes()
        if path.name == SHARED and b"tool.lanescope" not in text:
            return None
        import tomllib

        tables: Any = tomllib.loads(text.decode())
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: expected TOML with a table per command, found: {error}"
        ) from None
    for name in ("tool", "lanescope") if path.name == SHARED else ():
        tables = tables.get(name) if isinstance(tables, dict) else None
    return tables if isinstance(tables, dict) else None


def apply_defaults(parser: argparse.ArgumentParser, name: str, known: list[str]) -> None:
    """Give the options of a command the defaults of the file in force.

    Raises:
        UsageError: the file cannot be read, has a table of no command, a key of no option, or a
            value that the option does not take.
    """
    config = find_config()
    if config is None or name not in tables_of(config, known):
        return
    for action, table, key in _keys(config, parser, name):
        value = _value(config, action, f"{table}.{key}", _inner(config, table)[key])
        action.default = value
        action.required = False


def tables_of(config: ConfigFile, known: Any) -> list[str]:
    """The commands that the file has a table of; refuses a table of no command."""
    for name, table in config.tables.items():
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(f"{config.path}: [{name}] is no command of lanescope{near}")
        if not isinstance(table, dict):
            raise UsageError(
                f"{config.path}: expected a table [{name}], found {_shown(table)}; write the "
                'option below it, as in [report] and since = "1ms"'
            )
    return list(config.tables)


def _inner(config: ConfigFile, table: str) -> dict[str, Any]:
    found: Any = config.tables
    for name in table.split("."):
        found = found[name]
    return dict(found)


def _keys(
    config: ConfigFile, parser: argparse.ArgumentParser, table: str
) -> Iterator[tuple[argparse.Action, str, str]]:
    """Every key of a table with its option; an action of a command has a table in the command's."""
    actions: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            actions = dict(action.choices)
    options = _options(parser)
    for key, value in _inner(config, table).items():
        if isinstance(value, dict) and key in actions:
            yield from _keys(config, actions[key], f"{table}.{key}")
        elif key in options:
            yield options[key], table, key
        else:
            near = did_you_mean(key, [*options, *actions])
            raise UsageError(f"{config.path}: {table}.{key} is no option that a file may set{near}")


def _options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Options of a command by their long names."""
    found = {}
    for action in parser._actions:
        for word in action.option_strings:
            name = word.lstrip("-")
            if word.startswith("--") and name not in NEVER:
                found[name] = action
    return found


def _value(config: ConfigFile, action: argparse.Action, key: str, value: Any) -> Any:
    """The value as the option keeps it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise _refused(config, key, "true or false", value)
        return value
    several = isinstance(action, argparse._AppendAction) or action.nargs in ("+", "*")
    values = value if several and isinstance(value, list) else [value]
    read = [_one(config, action, key, one) for one in values]
    return _Fallback(read) if several else read[0]


def _one(config: ConfigFile, action: argparse.Action, key: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _refused(config, key, "text or a number", value)
    kind: Any = action.type or str
    try:
        read = kind(str(value))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{config.path}: {key}: {error}") from None
    except ValueError:
        words = {int: "a whole number", float: "a number"}
        raise _refused(config, key, words.get(kind, "another value"), value) from None
    if action.choices is not None and read not in action.choices:
        raise _refused(config, key, f"one of {', '.join(map(str, action.choices))}", value)
    return read


def _refused(config: ConfigFile, key: str, expected: str, value: Any) -> UsageError:
    return UsageError(f"{config.path}: {key}: expected {expected}, found {_shown(value)}")


def _shown(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
