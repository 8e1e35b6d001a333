"""The gate for texts that came from a file: names, paths and sentences with them.

A name from a file is data, never markup, never a path and never a formula. Whoever shows it or
writes it takes it from here: `printable` and `clean` for a terminal, HTML and SVG (which escape it,
too), `file_name` for the file system, `spreadsheet_text` for CSV. SQL gets names as values only.
"""

from __future__ import annotations

import re

NAME_LIMIT = 40
"""Longest name in a cell, in characters."""
LINE_LIMIT = 1000
"""Longest sentence or fact, in characters."""
FILE_NAME_LIMIT = 180
"""Longest name of a file in bytes: file systems allow 255, and endings and drafts need some."""

_NO_FILE_NAME = re.compile(r"[/\\]|^\.+")
"""What would make a name a path, or the name of a hidden file."""
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""How a cell begins that a spreadsheet takes for a formula (OWASP, CSV Injection), or that was
made text already."""

_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}"""
)
"""A key of TOML with more than 32 parts: a.b.c…"""


def printable(text: str) -> str:
    """The text as one line of any length; � replaces every control character, a space a newline."""
    return "".join(c if c.isprintable() else "�" for c in text.replace("\n", " "))


def clean(text: str, limit: int = NAME_LIMIT) -> str:
    """The text as one printable line of at most `limit` characters; … marks a cut at the end."""
    kept = "".join(c if c.isprintable() else " " for c in text[: 4 * limit])
    line = " ".join(kept.split())
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return line[: limit - 1] + "…"


def clean_end(text: str, limit: int) -> str:
    """The text as one printable line, cut at the start where it is too long.

    This is for paths, which differ at the end.
    """
    line = clean(text[-4 * limit :], 4 * limit)
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return "…" + line[1 - limit :]


def file_name(text: str, otherwise: str = "trace") -> str:
    """The text as the name of one file or folder, which stays in the folder it is made in.

    _ replaces separators, leading dots and control characters. `otherwise` is the name where
    nothing is left of the text.
    """
    plain = "".join(c if c.isprintable() else "_" for c in text[:FILE_NAME_LIMIT])
    plain = _NO_FILE_NAME.sub("_", plain).encode()[:FILE_NAME_LIMIT].decode(errors="ignore")
    return plain if plain.strip("_ ") else otherwise


def spreadsheet_text(text: str) -> str:
    """The text with ' before it where a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def text_of_spreadsheet(cell: str) -> str:
    """The text of which `spreadsheet_text` made this cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def has_long_key(toml: str) -> bool:
    """Whether a text in TOML has a key of more than 32 parts.

    Python's reader takes a minute for one of 100,000.
    """
    return _LONG_KEY.search(toml) is not None
