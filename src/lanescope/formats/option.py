"""Options of one format: what a file does not say about itself, or what to write of a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lanescope.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatOption:
    """One option of an importer or exporter; `core_mhz` is `--core-mhz` on the command line."""

    name: str
    help: str
    """What it says, in a few words."""
    metavar: str | None = None
    """What stands for the value in the help text."""
    choices: tuple[str, ...] | None = None
    """The values that are allowed; None allows any."""
    parse: Callable[[str], Any] = str
    """Makes the value of a text. It raises UsageError or ValueError where the text is wrong."""

    @property
    def flag(self) -> str:
        """The option as people type it."""
        return "--" + self.name.replace("_", "-")


def parsed(
    owner: str, options: tuple[FormatOption, ...], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Check the options of a call from Python against those that the format `owner` has.

    Options that are None count as not given.
    """
    known = {option.name: option for option in options}
    values = {}
    for name, value in given.items():
        if value is None:
            continue
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"format {owner} has no option {name!r}; {has}")
        values[name] = _value(known[name], str(value))
    return values


def _value(option: FormatOption, text: str) -> Any:
    if option.choices is not None and text not in option.choices:
        allowed = ", ".join(option.choices)
        raise UsageError(f"option {option.name!r} is one of {allowed}, found {text!r}")
    try:
        return option.parse(text)
    except ValueError as error:
        raise UsageError(f"option {option.name!r}: {error}") from error
