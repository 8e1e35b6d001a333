"""Takes out of a script what only people read: comments, indentation, blanks beside signs.

Texts, templates, patterns and names stay as they are: an error in a browser still says where. A
slash after a name, a number or a closing bracket divides; a pattern does not stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<space>\s+)
    |(?P<code>[^\s"'`/{}]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_PIECE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
"""A template up to its end, or up to the code inside it."""
_DIVIDES = re.compile(r"""[\w$)\]}"'`]$""")
_BEFORE_PATTERN = re.compile(
    r"(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await)$"
)
_STYLE = re.compile(r'("[^"]*")|/\*.*?\*/\s*|(?<=[{};:,])\s+|\s+(?=[{}])|\n\s*', re.DOTALL)


def shortened(script: str) -> str:
    """The same script in fewer bytes; a line ends where it ended, unless its last sign goes on."""
    parts = [""]
    gap = ""
    for kind, token in _tokens(script):
        if kind in ("space", "comment"):
            gap = "\n" if "\n" in token or gap == "\n" else " "
            continue
        if gap and _needed(parts[-1][-1:], gap, token[0]):
            parts.append(gap)
        parts.append(token)
        gap = ""
    return "".join(parts) + "\n"


def shortened_style(style: str) -> str:
    """A style sheet without comments, indentation and blanks after signs; its texts stay."""
    return _STYLE.sub(lambda found: found[1] or "", style)


def _needed(before: str, gap: str, after: str) -> bool:
    """Whether two tokens would mean something else without the gap between them."""
    if gap == "\n":
        return before not in "{;,(["
    if _is_word(before) and _is_word(after):
        return True
    return before in "+-/" and after in "+-/"


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"


def _tokens(script: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token. The braces that are open within a template are counted."""
    at, last, open_braces = 0, "", [0]
    while at < len(script):
        kind, token = _token(script, at, last)
        if token == "}" and len(open_braces) > 1 and open_braces[-1] == 0:
            open_braces.pop()
            token = "}" + _piece(script, at + 1)
            kind = "template"
        elif token == "{":
            open_braces[-1] += 1
        elif token == "}":
            open_braces[-1] -= 1
        if kind == "template" and token.endswith("${"):
            open_braces.append(0)
        at += len(token)
        if kind not in ("space", "comment"):
            last = token
        yield kind, token


def _token(script: str, at: int, last: str) -> tuple[str, str]:
    if script[at] == "`":
        return "template", "`" + _piece(script, at + 1)
    found = _TOKEN.match(script, at)
    assert found is not None  # the last alternative takes any character
    kind, token = str(found.lastgroup), found[0]
    if token == "/" and (not _DIVIDES.search(last) or _BEFORE_PATTERN.search(last)):
        pattern = _PATTERN.match(script, at)
        if pattern is not None:
            return "pattern", pattern[0]
    return kind, token


def _piece(script: str, at: int) -> str:
    found = _PIECE.match(script, at)
    if found is None:
        raise ValueError(f"a template does not end; it goes on with {script[at : at + 40]!r}")
    return found[0]
