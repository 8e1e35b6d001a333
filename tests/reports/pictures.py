"""A picture as a list of lines, one per shape, to compare it whole."""

from __future__ import annotations

from xml.etree import ElementTree

SPACE = "{http://www.w3.org/2000/svg}"


def shapes(svg: str) -> list[str]:
    """Everything that was drawn: kind, style, numbers without trailing zeros, and the text."""
    root = ElementTree.fromstring(svg)
    lines = [f"{root.attrib['width']} x {root.attrib['height']}"]
    for one in list(root)[3:]:
        about = dict(one.attrib)
        style, kind = about.pop("class"), one.tag.removeprefix(SPACE)
        anchor = about.pop("text-anchor", "start").replace("start", "")
        words = [part for value in about.values() for part in value.split()]
        line = [
            kind,
            style,
            *map(_short, words),
            anchor,
            one.text or one.findtext(f"{SPACE}title", ""),
        ]
        lines.append(" ".join(filter(None, line)))
    return lines


def _short(word: str) -> str:
    """`M150.00` is M150."""
    return word.rstrip("0").removesuffix(".") if "." in word else word
