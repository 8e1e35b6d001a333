"""Parts of a program by its comments and by region markers."""

from __future__ import annotations

from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.isa.sections import regions, sections

PLENA = load_isa("plena")
TEXT = """\
S_LUI_INT gp1, 1
; === Load tile [0][1] ===
; more about it
S_LUI_INT gp1, 1
; Load tile [2][13]
S_LUI_INT gp1, 1
; region softmax
S_LUI_INT gp1, 1 ; not a section
; endregion
S_LUI_INT gp1, 1
"""


def test_a_comment_block_names_what_follows_whatever_its_numbers() -> None:
    found = sections(parse(TEXT, PLENA))
    names = [found.names[number] for number in found.which.tolist()]
    assert names[0] == "(start)"
    assert names[1:6] == ["Load tile [#][#]"] * 5
    assert names[6:8] == ["region softmax"] * 2


def test_regions_come_from_markers_alone() -> None:
    found = regions(parse(TEXT, PLENA))
    assert found is not None
    names = [found.names[number] for number in found.which.tolist()]
    assert names == ["(outside)"] * 6 + ["softmax"] * 2 + ["(outside)"] * 2


def test_no_markers_no_regions() -> None:
    assert regions(parse("; a comment\nS_LUI_INT gp1, 1\n", PLENA)) is None
