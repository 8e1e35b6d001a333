"""One change of one file, those that `changes.toml` lists, and the room that a file belongs to."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Change:
    """A file with other content; `was` and `becomes` are the lines that differ, without indents."""

    file: str
    line: int
    was: str
    becomes: str
    content: str
    tests: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The change on one line."""
        return f"{self.file}:{self.line}: {self.was}  →  {self.becomes or '(nothing)'}"


def room_of(file: str) -> str:
    """`analyze`, …; `C` for native/, `scripts` for viewer/, `house` for what belongs to all."""
    parts = Path(file).parts
    if parts[0] == "src":
        return parts[2] if len(parts) > 3 else "house"
    return {"native": "C", "viewer": "scripts"}[parts[0]]


def make_change(root: Path, file: Path, content: str, tests: Sequence[str] = ()) -> Change:
    """The change that gives `file` another content."""
    old, new = file.read_text().splitlines(), content.splitlines()
    matcher = SequenceMatcher(None, old, new, autojunk=False) if len(old) != len(new) else None
    if matcher is None:
        differ = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        first, last = differ[0], differ[-1] + 1
        before, after = old[first:last], new[first:last]
    else:
        codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
        first = codes[0][1]
        before, after = old[first : codes[-1][2]], new[codes[0][3] : codes[-1][4]]
    return Change(
        file=file.relative_to(root).as_posix(),
        line=first + 1,
        was=_one_line(before),
        becomes=_one_line(after),
        content=content,
        tests=tuple(tests),
    )


def _one_line(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)


def listed_changes(root: Path, rooms: Sequence[str] | None = None) -> list[Change]:
    """Changes of `changes.toml`, of all rooms or of some."""
    listed = tomllib.loads((HERE / "changes.toml").read_text())["change"]
    return [
        listed_change(root, one) for one in listed if not rooms or room_of(one["file"]) in rooms
    ]


def listed_change(root: Path, one: dict[str, str | list[str]]) -> Change:
    """An entry of `changes.toml`; `was` must be in its file exactly once."""
    name, was, becomes = str(one["file"]), str(one["was"]), str(one["becomes"])
    content = (root / name).read_text()
    if content.count(was) != 1:
        raise SystemExit(f"changes.toml: {name} has {was!r} {content.count(was)} times, not once")
    return make_change(root, root / name, content.replace(was, becomes), one.get("tests", ()))


def changed_lines(root: Path, revision: str) -> dict[str, set[int]]:
    """Numbers of the lines that are new or other than in a revision, by file."""
    command = ["git", "diff", "--unified=0", "--no-color", revision, "--"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    found: dict[str, set[int]] = {}
    file = ""
    for line in done.stdout.splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ ").removeprefix("b/")
        elif part := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(part[1]), int(part[2] or 1)
            found.setdefault(file, set()).update(range(first, first + count))
    return found
