"""A line of 64 bytes is written by one side only: the tables in layout.h, held against the layout.

That the sides write what the tables say, and nothing else, is what test_mock_device.py finds: there
a line with two writers ends a run.
"""

from __future__ import annotations

import re
from pathlib import Path

from lanescope.device.layouts import constant, layout

LAYOUT_H = Path(__file__).parents[2] / "native" / "include" / "lanescope" / "layout.h"
LINE = 64
STRUCTS = {"header": "ls_header", "lane": "ls_lane"}
SIDES = {
    ("lane", "producers"): "producer",
    ("header", "producers"): "controller",
    ("header", "any"): "controller",
}
"""Struct and writer in the table of words → side in the table of lines, where names differ."""


def fields(struct: str) -> dict[str, int]:
    """Word → offset."""
    described = layout(STRUCTS[struct]).fields
    assert described is not None
    return {name: int(about[1]) for name, about in described.items()}


def lines() -> dict[tuple[str, int], tuple[str, str]]:
    """Struct and number of a line → the side that writes it, and the words that the table names."""
    row = r"^ \*   (header|lane) (\d)(?: to (\d))? +(\w+) +(.*(?:\n \*  {20,}.*)*)"
    return {
        (struct, number): (side, text)
        for struct, first, last, side, text in re.findall(row, LAYOUT_H.read_text(), re.MULTILINE)
        for number in range(int(first), int(last or first) + 1)
    }


def shared_words() -> dict[tuple[str, str], str]:
    """Struct and word → its writer, as the table of shared words says."""
    row = r"^ \*   (lane|header)\.(\S+(?:, \S+)*) +(\w+) +\w+ +(?:release|relaxed)"
    return {
        (struct, word): writer
        for struct, names, writer in re.findall(row, LAYOUT_H.read_text(), re.MULTILINE)
        for name in names.split(", ")
        for word in fields(struct)
        if re.fullmatch(name.removesuffix("[]").replace("*", ".*"), word)
    }


def test_the_table_has_every_line_of_header_and_lane() -> None:
    for struct, name in STRUCTS.items():
        count = layout(name).itemsize // LINE
        assert [number for which, number in lines() if which == struct] == list(range(count))


def test_every_shared_word_lies_in_a_line_of_its_writer() -> None:
    shared = shared_words()
    assert {("lane", "handles"), ("header", "strays"), ("lane", "wait_end")} <= shared.keys()
    for (struct, word), writer in shared.items():
        line = fields(struct)[word] // LINE
        side = SIDES.get((struct, writer), writer)
        assert lines()[struct, line][0] == side, f"{struct}.{word} in line {line}"


def test_every_other_word_is_the_makers_or_named_with_its_line() -> None:
    for struct in STRUCTS:
        for word, offset in fields(struct).items():
            side, text = lines()[struct, offset // LINE]
            if (struct, word) not in shared_words() and side != "maker":
                assert re.search(rf"\b{word}\b", text), f"{struct}.{word} is in no table"


def test_a_core_without_atomics_adds_to_no_word() -> None:
    """Every addition is ls_add_relaxed, and that does nothing where LS_HAS_ATOMICS is 0."""
    text = "".join(file.read_text() for file in LAYOUT_H.parent.rglob("*.h"))
    assert len(re.findall(r"__atomic_(?:add|fetch|sub)", text)) == 1
    body = text[text.index("LS_FN uint64_t ls_add_relaxed") :].split("\n}\n")[0]
    places = [body.index(word) for word in ("#elif LS_HAS_ATOMICS", "__atomic_add_fetch", "#else")]
    assert places == sorted(places)


def test_buffers_begin_on_a_line() -> None:
    assert constant("LS_LINE") == layout("ls_buffer").itemsize == LINE
