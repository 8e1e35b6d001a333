"""The C reader against reading the same text line by line in Python, also where it is hostile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.lines import Line, LineReader
from lanescope.model.isa.loops import Loops, read_loops
from lanescope.model.isa.parse import Problem, Program, kinds_of, open_place, parse_bytes
from lanescope.model.isa.regular_loops import LoopLines, regular_loops

PLENA = load_isa("plena")
NAMES = [name for name, form in PLENA.forms.items() if form.opcode.loop is None]
GOOD = ["gp0", "gp15", "gp007", "f7", "a0", "0", "64", "-1", "0x1F", "-0X0a", "007", str(2**63 - 1)]
BAD = [
    "gp16", "gp", "GP1", "g p1", "x9", "acc", "-", "--1", "+1", "1_0", "1.5", "0x", "0xg", "1e3",
    "-gp1", str(2**63), str(-(2**63)), "0x" + "f" * 16, "9" * 4301, "gp" + "0" * 4301 + "1",
    "0" * 4301 + "1", "0x" + "0" * 5000 + "2", "gp" + "9" * 4301, "\x00", "gp1\x00", "gp\uff11",
    "\uff15", "é", "\ufeff", "\U0001d7d9", "/", ":", "'",
]  # fmt: skip
FITTING = {"gp": ["gp0", "gp3", "gp15"], "f": ["f0", "f7"], "a": ["a1"], "imm": ["0", "-7"]}
GAPS = [",", "\t", " , ,", "\r", "\x0b", "\x0c", "\x1c", "\x1f", "\xa0", "\u2003", "\x85"]
COMMENTS = [
    "", ";", "; ,", ";, a", "; tile 3", "// x ; y", ";//", "/ / no", ";\xa0", "; \u2003é", ";\t\r",
    "#", ";\x00", "//é", "; region A", ";\xa0region B", "; Endregion", ";e", "; " + "=" * 5000,
]  # fmt: skip

_words = st.sampled_from(GOOD) | st.sampled_from(GOOD) | st.sampled_from(BAD) | st.text(max_size=4)
_gaps = st.sampled_from([" ", ", "]) | st.sampled_from(GAPS)
_names = st.sampled_from(NAMES) | st.sampled_from(["V_FOO", "s_lui_int", "label:", "S_LUI_INTé"])


@st.composite
def _line(draw: st.DrawFn) -> bytes:
    """A line that is right, almost right, or nothing of that kind."""
    parts = [draw(st.sampled_from(["", "", "  ", "\t", ",", "\xa0", "\x0b"]))]
    if draw(st.integers(0, 5)):
        name = draw(_names)
        form = PLENA.forms.get(name)
        kinds = [] if form is None else [operand.kinds[-1] for operand in form.operands]
        if draw(st.booleans()):
            words = [draw(st.sampled_from(FITTING[kind])) for kind in kinds]
        else:
            words = draw(st.lists(_words, max_size=11))
        parts += [text for word in [name, *words] for text in (word, draw(_gaps))]
    line = "".join([*parts, draw(st.sampled_from(COMMENTS))]).replace("\n", " ").encode()
    for _ in range(draw(st.integers(0, 1))):
        at, byte = draw(st.integers(0, len(line))), draw(st.integers(0, 255))
        line = line[:at] + bytes([byte]) + line[at + draw(st.integers(0, 1)) :]
    return line


TEXTS = st.tuples(st.lists(_line(), max_size=8), st.sampled_from([b"\n", b"\r\n"]), st.booleans())


def plain_rows(text: bytes) -> list[bytes]:
    """The lines of a text; a blank one at its end is none."""
    rows = text.split(b"\n")
    return rows[:-1] if not rows[-1].decode(errors="replace").strip() else rows


def seen(program: Program, row: int) -> tuple[object, ...]:
    """Opcode, operands, column and comment of a line, as the program's arrays have them."""
    pattern = program.patterns[program.which[row]]
    kinds = [kind for kind in int(pattern["kinds"]).to_bytes(8, "little") if kind]
    values = pattern["values"].tolist()
    opcode, number = int(program.opcode[row]), int(program.number[row])
    if opcode >= 0 and 0 <= (place := open_place(PLENA.forms[PLENA.names[opcode]])) < len(kinds):
        values[place] += number
        number = 0
    assert number == 0 and not any(values[len(kinds) :])
    names = tuple(kinds_of(PLENA)[kind] for kind in kinds)
    comment = ""
    if program.comment[row] >= 0:
        [comment], _ = program.comments(np.array([row]))
        assert comment
    return opcode, names, tuple(values[: len(kinds)]), int(program.column[row]), comment


def wanted(line: Line) -> tuple[object, ...]:
    opcode = line.form.number if line.form else -2 if line.problem else -1
    return opcode, line.kinds, line.values, line.column, line.comment


def compare(text: bytes) -> None:
    program = parse_bytes(text, PLENA)
    lines = [LineReader(PLENA).read(row) for row in plain_rows(text)]
    assert program.source_lines == len(lines)
    for row, line in enumerate(lines):
        assert seen(program, row) == wanted(line)
        assert program.at(row) == line
    assert program.problems == tuple(
        Problem(row + 1, line.problem_column, line.problem)
        for row, line in enumerate(lines)
        if line.problem
    )


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_both_read_the_same(parts: tuple[list[bytes], bytes, bool]) -> None:
    lines, end, closed = parts
    compare(end.join(lines) + (end if closed else b""))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_both_read_the_same_from_any_bytes(text: bytes) -> None:
    compare(text)


@pytest.mark.parametrize("word", [*GOOD, *BAD])
def test_both_read_the_same_word(word: str) -> None:
    compare(f"S_LUI_INT gp1, {word}\nC_SET_SCALE_REG {word}\n{word}\nS_LUI_INT {word}".encode())


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n", b"\n \xa0"])
def test_the_last_line_may_have_no_end(end: bytes) -> None:
    compare(b"; first\nS_LUI_INT gp1, 5" + end)


def test_a_number_with_too_many_digits_is_a_problem_of_its_line() -> None:
    program = parse_bytes(b"S_LUI_INT gp1, " + b"9" * 4301, PLENA)
    shown = "9" * 39 + "…"
    assert program.problems == (Problem(1, 16, f"S_LUI_INT: expected imm (imm), found {shown}"),)


def test_lines_that_differ_in_their_immediate_share_a_pattern() -> None:
    text = "".join(f"S_ADDI_INT gp1,gp2, {n} ; {n}\n" for n in range(1000))
    program = parse_bytes(text.encode() + b"S_ADDI_INT gp1, gp3, 0\n", PLENA)
    assert len(set(program.which.tolist())) == 2
    assert program.number[:1000].tolist() == list(range(1000))


_EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["start", "start", "end", "end"]),
        st.integers(1, 2),
        st.sampled_from([1, 2, 3, 3, 1 << 26, 1 << 27, 0, -1]),
    ),
    max_size=12,
)


@settings(max_examples=400, deadline=None)
@given(_EVENTS)
def test_loops_at_once_are_loops_one_by_one(events: list[tuple[str, int, int]]) -> None:
    total = 2 * len(events) + 1
    rows = [(2 * place, what, operands, 1) for place, (what, *operands) in enumerate(events)]
    careful = read_loops([(row, what, tuple(given), 1) for row, what, given, _ in rows], total)
    lines = LoopLines(
        np.array([row for row, *_ in rows], np.int64),
        np.array([what == "start" for what, *_ in events], bool),
        np.array([register for _, register, _ in events], np.int64),
        np.array([turns for *_, turns in events], np.int64),
    )
    regular = regular_loops(lines, total)
    most = max((loop.turns * loop.entered for loop in careful.loops), default=0)
    assert (regular is None) == (bool(careful.problems) or most >= 1 << 53)
    if regular is not None:
        assert as_lists(regular) == as_lists(careful)


def as_lists(loops: Loops) -> tuple[object, ...]:
    return list(loops.loops), loops.repeats.tolist(), loops.unknown.tolist(), loops.problems
