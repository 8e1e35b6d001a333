"""The line protocol of a probe agent: its words, its limits, and reading an answer.

docs/probe-agent.md describes it. A request is `NUMBER WORD ARGUMENT…`. Its answer is one line:
`NUMBER ok VALUE…`, or `NUMBER error SENTENCE`. A value that is not there is the word `none`.
"""

from __future__ import annotations

import re

from lanescope.errors import LanescopeError

VERSION = 1
GREETING = f"lanescope-probe-agent {VERSION}"
"""The first line that an agent writes, unasked."""
LINE_BYTES = 4096
"""The longest line with its end, in either direction."""
PIECE_BYTES = 1024
"""The most bytes of memory in one line; each is two hexadecimal digits."""
MOST_BUFFERS = 64
"""Buffers that an agent must have room for."""
NONE = "none"

_NUMBER = re.compile(r"0x[0-9a-f]{1,16}|[0-9]{1,20}")


class WrongLine(LanescopeError):
    """A line that is not of the protocol; the message says what was expected."""


def number(word: str, below: int) -> int:
    """Read a number: decimal, or hexadecimal after 0x in small letters."""
    if _NUMBER.fullmatch(word):
        value = int(word, 16) if word.startswith("0x") else int(word)
        if value < below:
            return value
    raise WrongLine(f"expected a number below {below:#x}, found {shown(word)}")


def maybe_number(word: str, below: int) -> int | None:
    """Read a number, or `none`."""
    return None if word == NONE else number(word, below)


def octets(word: str, size: int) -> bytes:
    """Read bytes that were written as pairs of hexadecimal digits."""
    if re.fullmatch(r"(?:[0-9a-f]{2})*", word) and len(word) == 2 * size:
        return bytes.fromhex(word)
    raise WrongLine(f"expected {size} bytes as {2 * size} digits 0-9a-f, found {shown(word)}")


def read_answer(line: str, asked: int) -> list[str]:
    """Return the values of an answer.

    Raises:
        WrongLine: the line is no answer, answers another request, or refuses this one.
    """
    words = line.split(" ")
    if len(words) < 2 or not words[0].isdecimal() or words[1] not in ("ok", "error"):
        raise WrongLine(f"expected '{asked} ok …' or '{asked} error …', found {shown(line)}")
    if words[0] != str(asked):
        raise WrongLine(f"expected the answer number {asked}, found number {shown(words[0])}")
    if words[1] == "error":
        raise WrongLine(f"it refuses: {shown(' '.join(words[2:]))}")
    return words[2:]


def shown(text: str) -> str:
    """Return foreign text as a message can show it: short, on one line, in quotes."""
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
