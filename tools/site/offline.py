"""What a built page would load from other hosts: scripts, styles, pictures, fonts, frames."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

_LOADED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "form": ("action",),
}
"""Elements to those of their attributes that a browser fetches, or sends something to."""
_FOREIGN = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class _Finder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name in _LOADED.get(tag, ()) and _FOREIGN.match(value)):
                self.found.append(f"<{tag} {name}={value}>")
            if value and name == "style":
                self.found += foreign_in_style(value)

    def handle_data(self, data: str) -> None:
        if self.lasttag == "style":
            self.found += foreign_in_style(data)


def foreign_in_page(text: str) -> list[str]:
    """What a page of HTML loads from other hosts; links that a reader may follow are none of it."""
    finder = _Finder()
    finder.feed(text)
    return finder.found


def foreign_in_style(text: str) -> list[str]:
    """What a style sheet loads from other hosts."""
    places = (one or other for one, other in _STYLE.findall(text))
    return [place for place in places if _FOREIGN.match(place)]


def foreign_in_site(folder: Path) -> dict[str, list[str]]:
    """File of a built site to what it loads from other hosts; empty where none does."""
    found = {}
    for pattern, look in (("*.html", foreign_in_page), ("*.css", foreign_in_style)):
        for file in sorted(folder.rglob(pattern)):
            if loaded := look(file.read_text()):
                found[file.relative_to(folder).as_posix()] = loaded
    return found
