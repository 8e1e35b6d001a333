"""Loops as a tree: how often each line runs, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import Program, parse

PLENA = load_isa("plena")


def program(*lines: str) -> Program:
    return parse("\n".join(lines), PLENA)


def test_the_start_runs_outside_and_the_end_inside() -> None:
    found = program(
        "C_LOOP_START gp1, 3",
        "C_LOOP_START gp2, 5",
        "S_LUI_INT gp4, 1",
        "C_LOOP_END gp2",
        "C_LOOP_END gp1",
        "S_LUI_INT gp4, 1",
    )
    assert found.repeats.tolist() == [1, 3, 15, 15, 3, 1]
    outer, inner = found.loops
    assert (outer.start, outer.end, outer.turns, outer.parent, outer.depth) == (0, 4, 3, -1, 1)
    assert (inner.start, inner.end, inner.turns, inner.parent, inner.entered) == (1, 3, 5, 0, 3)


def test_a_comment_on_the_loops_line_changes_nothing() -> None:
    found = program("C_LOOP_START gp1, 8 ; eight times", "S_LUI_INT gp4, 1", "C_LOOP_END gp1")
    assert found.repeats.tolist() == [1, 8, 8]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("lines", "place", "problem", "unknown"),
    [
        (
            ("C_LOOP_START gp1, 0", "S_LUI_INT gp4, 1", "C_LOOP_END gp1"),
            (1, 1),
            "expected a loop count of at least 1, found 0",
            [True, True, True],
        ),
        (
            ("C_LOOP_START gp1, -4", "C_LOOP_END gp1", "S_LUI_INT gp4, 1"),
            (1, 1),
            "expected a loop count of at least 1, found -4",
            [True, True, False],
        ),
        (
            ("S_LUI_INT gp4, 1", "  C_LOOP_END gp3"),
            (2, 3),
            "an end without a loop that it could end",
            [False, True],
        ),
        (
            ("S_LUI_INT gp4, 1", "C_LOOP_START gp1, 4", "S_LUI_INT gp4, 1"),
            (2, 1),
            "the loop that starts here has no end",
            [False, True, True],
        ),
        (
            ("C_LOOP_START gp1, 4", "C_LOOP_END gp2", "S_LUI_INT gp4, 1"),
            (2, 1),
            "expected the end of the loop of line 1 with register number 1, found 2",
            [True, True, False],
        ),
        (
            ("C_LOOP_START gp1, 4", "C_BREAK", "C_LOOP_END gp1", "S_LUI_INT gp4, 1"),
            (2, 1),
            "a break inside a loop: how often the rest of the loop runs is not known",
            [True, True, True, False],
        ),
    ],
)
def test_a_loop_that_means_nothing_is_named(
    lines: tuple[str, ...], place: tuple[int, int], problem: str, unknown: list[bool]
) -> None:
    found = program(*lines)
    assert [(p.line, p.column, p.text) for p in found.problems] == [(*place, problem)]
    assert found.unknown.tolist() == unknown


def test_a_break_outside_a_loop_is_an_instruction_like_others() -> None:
    assert program("C_BREAK 0, 0, 0").problems == ()


def test_counts_that_cannot_be_exact_are_refused() -> None:
    deep = [f"C_LOOP_START gp1, {1 << 20}" for _ in range(3)]
    found = program(*deep, *("C_LOOP_END gp1" for _ in deep))
    assert "at most 2^53 repeats" in found.problems[0].text


def test_very_deep_loops_are_refused_not_crashed_on() -> None:
    found = program(*["C_LOOP_START gp1, 1"] * 5000, *["C_LOOP_END gp1"] * 5000)
    assert "at most 256 deep" in found.problems[0].text


Tree = list["int | tuple[int, Tree]"]
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.lists(st.just(0), max_size=3),
    lambda inner: st.lists(st.one_of(st.just(0), st.tuples(st.integers(1, 4), inner)), max_size=3),
    max_leaves=12,
)


def written(tree: Tree) -> list[str]:
    lines: list[str] = []
    for node in tree:
        if isinstance(node, tuple):
            lines += [f"C_LOOP_START gp1, {node[0]}", *written(node[1]), "C_LOOP_END gp1"]
        else:
            lines.append("S_LUI_INT gp4, 1")
    return lines


def unrolled(tree: Tree) -> int:
    """Instructions that run, counted by walking every turn."""
    total = 0
    for node in tree:
        if isinstance(node, tuple):
            total += 1 + sum(unrolled(node[1]) + 1 for _ in range(node[0]))
        else:
            total += 1
    return total


@given(TREES)
def test_the_tree_counts_what_unrolling_counts(tree: Tree) -> None:
    found = program(*written(tree))
    assert found.problems == ()
    assert int(found.repeats[found.opcode >= 0].sum()) == unrolled(tree)
