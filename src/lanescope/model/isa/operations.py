"""Reads an operation table: the numbers of the opcodes of one build, as its header has them.

Lines like `M_MM = 6'h01,` between whatever else a SystemVerilog header holds.
"""

from __future__ import annotations

import re
from pathlib import Path

from lanescope.errors import InputError
from lanescope.model.isa.words import OPCODES

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRY = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*6\s*'\s*([hHdDbB])\s*(\w+)")
_BASES = {"h": 16, "d": 10, "b": 2}
_MOST_BYTES = 1 << 20


def read_operations(path: str | Path) -> dict[int, str]:
    """Number to name of every opcode in an operation table."""
    try:
        content = Path(path).read_bytes()[: _MOST_BYTES + 1]
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error
    if len(content) > _MOST_BYTES:
        raise InputError(path, f"expected an operation table of at most {_MOST_BYTES:,} bytes")
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), content.decode(errors="replace"))
    names: dict[int, str] = {}
    for match in _ENTRY.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        code = _number(path, match, line)
        other = names.setdefault(code, match[1])
        if other != match[1]:
            raise InputError(path, f"line {line}: {code:#04x} is {match[1]} and {other}: keep one")
    if not names:
        raise InputError(path, "expected lines like NAME = 6'h01, found none")
    twice = [name for name in set(names.values()) if list(names.values()).count(name) > 1]
    if twice:
        raise InputError(path, f"expected one number of {min(twice)}, found two")
    return names


def _number(path: str | Path, match: re.Match[str], line: int) -> int:
    """The number of an entry, 0 to 63."""
    try:
        code = int(match[3].replace("_", ""), _BASES[match[2].lower()])
    except ValueError:
        code = OPCODES
    if code >= OPCODES:
        text = match[0].partition("=")[2].strip()
        raise InputError(path, f"line {line}: expected a number of six bits, found {text}")
    return code
