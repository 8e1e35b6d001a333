"""Files outside docs/ that pages link to: each becomes a page of the site, and links are turned."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""Pages at the top of the repository that the navigation names."""
_LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(#[^)\s]*)?(?=\))")
_FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
_LANGUAGES = {"cu": "cuda", "cuh": "cuda", "h": "c", "asm": "asm", "yml": "yaml"}


def outside_pages() -> dict[str, str]:
    """Place in the site to Markdown, of everything outside docs/ that some page links to."""
    pages: dict[str, str] = {}
    waiting = [ROOT / name for name in PAGES]
    for page in sorted((ROOT / "docs").rglob("*.md")):
        waiting += _targets(page.relative_to(ROOT).as_posix(), page.read_text())
    while waiting:
        path = waiting.pop()
        place = place_of(path)
        if place in pages:
            continue
        pages[place] = _markdown(path)
        home = path.relative_to(ROOT).as_posix()
        found = _inside(path) if path.is_dir() else _targets(home, pages[place])
        waiting += found if path.suffix == ".md" or path.is_dir() else ()
    return pages


def place_of(path: Path) -> str:
    """Where in the site a file or folder of the repository is."""
    if path.is_relative_to(ROOT / "docs"):
        return path.relative_to(ROOT / "docs").as_posix()
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        return f"source/{name}/index.md"
    if path.name == "README.md":  # MkDocs would take it for the first page of its section
        return f"source/{name.removesuffix('README.md')}overview.md"
    return f"source/{name}" if path.suffix == ".md" else f"source/{name}.md"


def turned_links(place: str, text: str) -> str:
    """The Markdown of the page at `place` with links that lead to places of the site."""
    home = PurePosixPath(place)
    folder = ROOT / (home.relative_to("source") if home.parts[0] == "source" else "docs" / home)

    def turned(match: re.Match[str]) -> str:
        target = Path(posixpath.normpath(folder.parent / match[1]))
        if not target.is_relative_to(ROOT) or not target.exists():
            return match[0]
        return posixpath.relpath(place_of(target), home.parent) + (match[2] or "")

    return _outside_fences(text, lambda part: _LINK.sub(turned, part))


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    parts = _FENCE.split(text)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def _targets(home: str, text: str) -> Iterator[Path]:
    """What a page links to that lies outside docs/."""
    for link, _ in _LINK.findall(_FENCE.sub("", text)):
        target = Path(posixpath.normpath((ROOT / home).parent / link))
        known = target.is_relative_to(ROOT) and target.exists()
        if known and not target.is_relative_to(ROOT / "docs"):
            yield target


def _inside(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.is_file())


def _markdown(path: Path) -> str:
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        rows = [f"- [{one.name}]({one.name})" for one in _inside(path)]
        return "\n".join([f"# {name}/\n", *rows, ""])
    text = path.read_text()
    if path.suffix == ".md":
        # Lists of this house are indented by the width of their number, Python-Markdown wants four.
        return _outside_fences(text, lambda part: re.sub(r"^ {3}(?=- )", " " * 4, part, flags=re.M))
    language = _LANGUAGES.get(path.suffix[1:], path.suffix[1:])
    return f"# {name}\n\n````{language}\n{text}````\n"
