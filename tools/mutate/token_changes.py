"""Changes of C, CUDA headers and the page's scripts: one token for another, or a line less.

Comments, strings, `#include`s, imports and asserts of the compiler are left alone, and so is the
size of an array's first element: all have the same. What does not compile is no change.
"""

from __future__ import annotations

import re
from pathlib import Path

from tools.mutate.change import Change, make_change

_SKIPPED = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|(?<=[=(,:])\s*/(?:\\.|\[[^\]]*\]|[^/\\\n])+/[gimsuy]*"
    r"|^[ \t]*(?:#[ \t]*(?:include|ifndef|ifdef|endif|pragma)|import\b)[^\n]*"
    r"|^[ \t]*(?:_S|s)tatic_assert\b[^\n]*|sizeof \w+\[0\]",
    re.DOTALL | re.MULTILINE,
)
_EXCHANGED = (
    *((r"(?<=\s)<(?=\s)", "<="), (r"(?<=\s)<=(?=\s)", "<"), (r"(?<=\s)>(?=\s)", ">=")),
    *((r"(?<=\s)>=(?=\s)", ">"), (r"(?<=\s)<(?=\s)", ">="), (r"(?<=\s)>(?=\s)", "<=")),
    *((r"(?<=\s)===(?=\s)", "!=="), (r"(?<=\s)!==(?=\s)", "===")),
    *((r"(?<=\s)==(?=\s)", "!="), (r"(?<=\s)!=(?=\s)", "==")),
    *((r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\s(])!(?=[\w(])", "")),
    *((r"(?<=[\w)\]] )\+(?= )", "-"), (r"(?<=[\w)\]] )-(?= )", "+")),
    *((r"(?<=[\w)\]] )\*(?= )", "/"), (r"(?<=[\w)\]] )/(?= )", "*")),
    *((r"(?<=\s)\+=(?=\s)", "="), (r"(?<=\s)-=(?=\s)", "+="), (r"(?<=\s)\|=(?=\s)", "=")),
    (r"(?<=\s)&=(?=\s)", "="),
    *((r"\bMath\.min\b", "Math.max"), (r"\bMath\.max\b", "Math.min")),
    *((r"\btrue\b", "false"), (r"\bfalse\b", "true")),
    *((r"\bbreak;", "continue;"), (r"\bcontinue;", "break;")),
    *((r"_acquire\(", "_relaxed("), (r"_release\(", "_relaxed(")),
    *(
        (r"(?<![\w.#])0(?![\w.])", "1"),
        (r"(?<![\w.#])1(?![\w.])", "0"),
        (r"(?<![\w.#])1(?![\w.])", "2"),
    ),
)


_LEFT_OUT = (
    re.compile(r"^[ \t]*if \(.*\) (?:return\b.*|continue|break|throw\b.*);$", re.MULTILINE),
    re.compile(r"^[ \t]*[\w.>\[\]-]+(?: (?:[-+|&^]|<<|>>)?= .*|\(.*\));$", re.MULTILINE),
)
"""Guards, assignments and calls that are a line of their own."""


def token_removals(root: Path, file: Path) -> list[Change]:
    """Every such line of a file left out."""
    content = file.read_text()
    quiet = [match.span() for match in _SKIPPED.finditer(content)]
    return [
        make_change(root, file, content[: match.start()] + content[match.end() :])
        for pattern in _LEFT_OUT
        for match in pattern.finditer(content)
        if not any(first <= match.start() < last for first, last in quiet)
        and not match[0].lstrip().startswith("return(")
    ]


def token_changes(root: Path, file: Path) -> list[Change]:
    """Every exchange of a token in a file."""
    content = file.read_text()
    quiet = [match.span() for match in _SKIPPED.finditer(content)]
    found = []
    for pattern, becomes in _EXCHANGED:
        for match in re.finditer(pattern, content):
            if not any(first <= match.start() < last for first, last in quiet):
                changed = content[: match.start()] + becomes + content[match.end() :]
                found.append(make_change(root, file, changed))
    return found
