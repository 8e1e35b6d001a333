"""Every error lanescope raises on purpose; the command line prints them, nobody else does.

LanescopeError
├── InputError      a file that was read is not what it should be   (exit 1)
├── OutputError     something could not be written                  (exit 1)
├── PluginError     another package's code failed or is refused     (exit 1)
├── TransportError  the memory of a device cannot be reached        (exit 1)
└── UsageError      the command or call asks for something unknown  (exit 2)

A message is one sentence: what was expected, what was found, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable


class LanescopeError(Exception):
    """Base of all; `exit_code` is what the command line returns."""

    exit_code = 1


class InputError(LanescopeError):
    """A file is not what it should be; the message starts with its path or its URL."""

    def __init__(self, path: object, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = str(path)
        self.problem = problem


class OutputError(LanescopeError):
    """Something could not be written; what was there before is untouched."""


class PluginError(LanescopeError):
    """Code of another package failed or cannot be used; the message names the package."""


class TransportError(LanescopeError):
    """The memory of a device cannot be reached, or not any more; what was drained is kept."""


class UsageError(LanescopeError):
    """The caller asked for something that does not exist."""

    exit_code = 2


class PluginWarning(UserWarning):
    """A package was left out; the command line prints the sentence, Python shows a warning."""


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """The end of a refusal that names the nearest known word; empty where none is near."""
    from difflib import get_close_matches

    words = {word.lower(): word for word in known}
    near = get_close_matches(found.lower(), words, 1)
    return f"; did you mean {words[near[0]]}?" if near else ""
