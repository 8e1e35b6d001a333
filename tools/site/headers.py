"""The page of the C headers: every public function with its declaration and its comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEADERS = Path(__file__).resolve().parents[2] / "native" / "include" / "lanescope"
_FIRST = ("region.h", "core.h", "controller.h", "writer.h", "file.h", "cuda.cuh", "calls.cuh")
"""Headers that a runtime needs; all others follow."""
_MARK = re.compile(r"^/\* ---- (?:(.*); )?(since \d+\.\d+\.\d+|inside) -+ \*/$")
_FUNCTION = re.compile(r"^(?:LS_FN|LS_SLOW|LS_CALL|(?:static )?__device__) ")
_INTRO = """# The C headers

This page is made of the comments in `native/include/lanescope/` when the site is built.
A runtime includes `<lanescope/lanescope.h>` and links nothing;
`lanescope.include_directory()` says where the headers are.
[recording.md](../recording.md) explains how the functions belong together, with a whole runtime.
A function stays as it is from the version that stands beside it.
Functions that are not here can change.
"""


class HeaderFunction(NamedTuple):
    """A public function as its header writes it."""

    name: str
    declaration: str
    comment: str
    since: str


def headers_page() -> str:
    """Markdown of all headers that have public functions."""
    parts = [_INTRO]
    others = {file.name for file in HEADERS.iterdir() if file.is_file()} - {*_FIRST}
    for name in (*_FIRST, *sorted(others)):
        text = (HEADERS / name).read_text()
        if not any(public_functions(text)):
            continue
        parts += [f"## {name}\n", f"{_opening(text)}\n"]
        for one in public_functions(text):
            parts += [f"### `{one.name}`\n", f"```c\n{one.declaration}\n```\n"]
            parts += [f"{one.comment}\n"] if one.comment else []
            parts.append(f"Since {one.since}.\n")
    return "\n".join(parts)


def public_functions(text: str) -> Iterator[HeaderFunction]:
    """Functions of a header that stand under a mark `since`, in its order."""
    since, lines = "", text.splitlines()
    for number, line in enumerate(lines):
        if mark := _MARK.match(line):
            since = mark[2].removeprefix("since ") if mark[2] != "inside" else ""
        elif _FUNCTION.match(line):
            if since:
                declaration = _declaration(lines[number:])
                name = re.findall(r"(\w+)\(", declaration)[0]
                yield HeaderFunction(name, declaration, _comment_before(lines, number), since)


def _declaration(lines: list[str]) -> str:
    """Down to the body, without the macros of the house."""
    head = re.split(r"\s*\{", "\n".join(lines[:8]), maxsplit=1)[0]
    return re.sub(r"^(LS_FN|LS_SLOW) ", "", head).strip() + ";"


def _comment_before(lines: list[str], number: int) -> str:
    """The comment that ends on the line above; empty where there is none, or a mark."""
    above = number - 1
    while above >= 0 and lines[above].startswith(("template", "#define")):
        above -= 1
    if above < 0 or not lines[above].rstrip().endswith("*/"):
        return ""
    first = above
    while not lines[first].lstrip().startswith("/*"):
        first -= 1
    return "" if _MARK.match(lines[first]) else _plain(lines[first : above + 1])


def _opening(text: str) -> str:
    """The first paragraph of the comment that opens the header."""
    comment = text[: text.index("*/") + 2].splitlines()
    return _plain(comment).split("\n\n")[0]


def _plain(lines: list[str]) -> str:
    """A comment without its stars, as Markdown."""
    text = re.sub(r"^/\*+ ?|\s*\*/$", "", "\n".join(line.strip() for line in lines))
    text = re.sub(r"^\*(?: |$)", "", text, flags=re.MULTILINE)
    return text.replace("<", "&lt;").replace("_", "\\_").strip()
