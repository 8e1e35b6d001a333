"""Counts that are known at run time only: bound, between bounds, or asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.model.isa.binding import RunTimeCount, Turns, read_bindings
from lanescope.model.isa.reading import read_ends
from lanescope.model.predicting import predict

ROUTED = """\
C_ROUTE_BEGIN gp7, gp4, gp5, {policy}
C_ROUTE_LOOP_START ; one turn per expert
V_ROUTE_MUL gp4, gp5, gp0, 3
C_ROUTE_LOOP_END
"""

SIX_OF_64 = f"S_ADDI_INT gp6, gp0, {64 << 8 | 6}\nC_SET_TOPK_REG gp6\n"


def figures(path: Path, **options: Any) -> tuple[int, int]:
    """Instructions and serial cycles, with each instruction at a cycle but for V_ROUTE_MUL's 5."""
    done = predict(path, board="nexys_a7", cost_source="emulator", **options)
    return done.instructions, done.serial


def routed(tmp_path: Path, policy: str = "0") -> Path:
    path = tmp_path / "routed.asm"
    path.write_text(ROUTED.format(policy=policy))
    return path


@pytest.mark.parametrize(
    ("policy", "before", "most"),
    [
        ("0", "", 16),
        ("1", "", 32),
        # top_k 6 of 64 experts, in a register that the program computes.
        ("15", SIX_OF_64, 24),
        # A bias row is another register.
        (
            "15",
            f"S_ADDI_INT gp6, gp0, {64 << 8 | 6}\nC_SET_TOPK_REG gp6\nC_SET_TOPK_REG gp2, 1\n",
            24,
        ),
        # A register that is loaded: top_k is at most 8.
        ("15", "S_LD_INT gp6, gp0, 0\nC_SET_TOPK_REG gp6\n", 32),
        ("15", "", 32),
    ],
)
def test_a_route_loop_has_the_bounds_of_its_policy(
    policy: str, before: str, most: int, tmp_path: Path
) -> None:
    path = routed(tmp_path, policy)
    path.write_text(before + path.read_text())
    ends = read_ends(path, isa="plena-route-l")
    line = before.count("\n") + 2
    assert ends.counts == (RunTimeCount("routes", 1, most, (line,), given=False),)
    loops = [[loop.turns for loop in program.loops] for program in (ends.low, ends.high)]
    assert loops == [[1], [most]]
    assert ends.low.problems == ends.high.problems == ()


def test_a_bound_route_loop_turns_so_often(tmp_path: Path) -> None:
    path = routed(tmp_path)
    for turns in (1, 5, 16):
        found = figures(path, isa="plena-route-l", bind={"routes": turns})
        assert found == (2 + 2 * turns, 2 + 6 * turns)


def test_an_interval_has_the_figures_of_both_ends(tmp_path: Path) -> None:
    path = routed(tmp_path)
    options: dict[str, Any] = {
        "board": "nexys_a7",
        "isa": "plena-route-l",
        "cost_source": "emulator",
    }
    low, high = (predict(path, bind={"routes": turns}, **options) for turns in (4, 9))
    between = predict(path, bind=["routes=4..9"], **options)
    assert between.serial == high.serial
    interval = between.to_dict()["interval"]
    assert interval["cycles"]["serial"] == (low.serial, high.serial)
    assert low.overlapped is not None and high.overlapped is not None
    assert interval["cycles"]["overlapped"] == (low.overlapped.cycles, high.overlapped.cycles)
    assert interval["time_ns"]["serial"] == [low.serial * 10.0, high.serial * 10.0]
    assert interval["counts"] == [
        {"name": "routes", "low": 4, "high": 9, "lines": (2,), "given": True}
    ]
    text = between.text()
    assert "routes is 4 to 9 (line 2), as --bind says" in text
    assert "From the least to the most turns" in text
    assert "From the least" not in high.text()


def test_the_profiler_turns_such_a_loop_once(tmp_path: Path) -> None:
    done = predict(routed(tmp_path), board="nexys_a7", isa="plena-route-l", bind={"routes": 7})
    assert done.to_dict()["peer_cycles"] == {"peer": 4, "peer-charged": 4}


def test_named_and_register_counts(tmp_path: Path) -> None:
    path = tmp_path / "named.asm"
    path.write_text(
        "C_LOOP_START gp1, N_TILES // tiles\nC_LOOP_START gp2,gp5\nS_LD_INT gp3, gp0, 0\n"
        "C_LOOP_END gp2\nC_LOOP_END gp1\n"
    )
    ends = read_ends(path, bind={"N_TILES": 3, "gp5": "2..4"})
    assert [[loop.turns for loop in end.loops] for end in (ends.low, ends.high)] == [[3, 2], [3, 4]]
    assert ends.counts == (
        RunTimeCount("N_TILES", 3, 3, (1,), given=True),
        RunTimeCount("gp5", 2, 4, (2,), given=True),
    )
    assert figures(path, bind={"N_TILES": 3, "gp5": 4})[0] == 1 + 3 * (1 + 4 * 2 + 1)
    with pytest.raises(InputError) as refused:
        predict(path, board="nexys_a7", bind={"gp5": 4})
    assert (
        "line 1, column 19: how often this loop turns is not known: give --bind N_TILES=N"
        in str(refused.value)
    )


@pytest.mark.parametrize(
    ("bind", "sentence"),
    [
        ("routes=0", "--bind routes: expected a whole number of at least 1 or LOW..HIGH, found 0"),
        ("routes=-3", "expected a whole number of at least 1 or LOW..HIGH, found -3"),
        ("routes=1.5", "expected a whole number of at least 1 or LOW..HIGH, found 1.5"),
        ("routes=", "expected a whole number of at least 1 or LOW..HIGH, found "),
        ("routes=6..2", "expected a whole number of at least 1 or LOW..HIGH, found 6..2"),
        ("routes=2..", "expected a whole number of at least 1 or LOW..HIGH, found 2.."),
        ("routes=" + "9" * 5000, "expected a whole number of at least 1"),
        ("routes", "--bind: expected NAME=N or NAME=LOW..HIGH, found 'routes'"),
        ("=4", "--bind: expected a name, found ''"),
        ("a b=4", "--bind: expected a name, found 'a b'"),
        ("routes=17", "--bind routes: the loop of line 2 turns 1 to 16 times, found 17..17"),
        ("tiles=4", "leaves only routes to bind"),
    ],
)
def test_a_wrong_binding_is_refused(bind: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read_ends(routed(tmp_path), isa="plena-route-l", bind=[bind])
    assert sentence in str(refused.value)


def test_every_route_loop_has_bounds_of_its_own(tmp_path: Path) -> None:
    """The second one starts while the register of the first is still set, in a loop of both."""
    path = tmp_path / "two.asm"
    body = ROUTED.format(policy=0) + ROUTED.format(policy=1)
    path.write_text(f"C_LOOP_START gp1, 3\n{body}C_LOOP_END gp1\n")
    ends = read_ends(path, isa="plena-route-l")
    assert [loop.turns for loop in ends.high.loops] == [3, 16, 32]
    assert ends.counts == (RunTimeCount("routes", 1, 32, (3, 7), given=False),)
    with pytest.raises(UsageError, match="the loop of line 3 turns 1 to 16 times, found 17"):
        read_ends(path, isa="plena-route-l", bind={"routes": 17})


@pytest.mark.parametrize("value", [True, 2.5, None, (1, 2, 3), "x", (3, 2), -1])
def test_a_wrong_value_from_python_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a whole number of at least 1 or LOW"):
        read_ends(routed(tmp_path), isa="plena-route-l", bind={"routes": value})


def test_bindings_that_nobody_asks_for_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.asm").write_text("C_LOOP_START gp1, 4\nC_LOOP_END gp1\n")
    with pytest.raises(UsageError, match="leaves nothing to bind: all counts are in it"):
        read_ends(tmp_path / "p.asm", bind={"N": 4})
    with pytest.raises(UsageError, match="--bind N: given twice"):
        read_ends(tmp_path / "p.asm", bind=["N=4", "N=5"])


def test_a_route_loop_needs_its_own_end(tmp_path: Path) -> None:
    path = tmp_path / "p.asm"
    path.write_text("C_ROUTE_LOOP_START\nC_LOOP_END gp3\n")
    (problem,) = read_ends(path, isa="plena-route-l").high.problems
    assert "expected the end of the loop of line 1" in problem.text


def test_bindings_are_texts_numbers_and_pairs() -> None:
    assert read_bindings(None) == read_bindings([]) == read_bindings({}) == {}
    assert read_bindings([" N = 4 ", "_m2=4..16", "K=1..1"]) == {
        "N": Turns(4, 4),
        "_m2": Turns(4, 16),
        "K": Turns(1, 1),
    }
    assert read_bindings({"N": 4, "M": (2, 3), "K": "5..6"}) == {
        "N": Turns(4, 4),
        "M": Turns(2, 3),
        "K": Turns(5, 6),
    }


def test_a_count_of_2_to_the_53_is_the_most() -> None:
    assert read_bindings({"N": 1 << 53}) == {"N": Turns(1 << 53, 1 << 53)}
    with pytest.raises(UsageError, match=r"found 9007199254740993$"):
        read_bindings({"N": (1 << 53) + 1})


@pytest.mark.parametrize(
    ("value", "shown"),
    [("x" * 40, "x" * 40), ("x" * 41, "x" * 39 + "…"), ("0" * 39 + "5", "0" * 39 + "5")],
)
def test_of_a_long_value_forty_characters_are_shown(value: str, shown: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_bindings({"N": value})
    assert str(refused.value) == (
        f"--bind N: expected a whole number of at least 1 or LOW..HIGH, found {shown}"
    )
    assert read_bindings({"N": "0" * 38 + "5"}) == {"N": Turns(5, 5)}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [(1, "--bind: expected a name, found '1'"), ("4x", "--bind: expected a name, found '4x'")],
)
def test_a_name_begins_with_a_letter(name: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_bindings({name: 2})
    assert str(refused.value) == sentence


def test_a_name_that_is_not_asked_for_is_told_which_are(tmp_path: Path) -> None:
    path = tmp_path / "p.asm"
    path.write_text("C_LOOP_START gp1, N\nC_LOOP_START gp2, M\nC_LOOP_END gp2\nC_LOOP_END gp1\n")
    with pytest.raises(UsageError) as refused:
        read_ends(path, bind={"N": 2, "K": 3, "L": 4})
    assert str(refused.value) == f"--bind K: {path} leaves only M, N to bind"


@pytest.mark.parametrize(("bound", "fits"), [("1..16", True), ("0..3", False), ("2..17", False)])
def test_a_bound_of_a_route_loop_lies_within_its_own(
    bound: str, fits: bool, tmp_path: Path
) -> None:
    if fits:
        ends = read_ends(routed(tmp_path), isa="plena-route-l", bind=[f"routes={bound}"])
        assert ends.counts == (RunTimeCount("routes", 1, 16, (2,), given=True),)
    else:
        with pytest.raises(UsageError, match=r"^--bind routes: "):
            read_ends(routed(tmp_path), isa="plena-route-l", bind=[f"routes={bound}"])


def test_a_loop_that_is_given_once_for_all_does_not_differ(tmp_path: Path) -> None:
    assert not read_ends(routed(tmp_path), isa="plena-route-l", bind={"routes": 3}).differ
    assert read_ends(routed(tmp_path), isa="plena-route-l", bind={"routes": "3..4"}).differ
    path = tmp_path / "plain.asm"
    path.write_text("S_LUI_INT gp1, 1\n")
    assert not read_ends(path).differ


def test_a_word_in_a_comment_is_no_count(tmp_path: Path) -> None:
    path = tmp_path / "p.asm"
    path.write_text("C_LOOP_START gp1 ; N\nV_FOO gp1, N\nC_LOOP_START gp1, 2x\n")
    (first, second, third) = read_ends(path).high.problems[:3]
    assert first.text == "C_LOOP_START: expected imm (imm), found none"
    assert second.text == "unknown opcode V_FOO"
    assert third.text == "C_LOOP_START: expected imm (imm), found 2x"
