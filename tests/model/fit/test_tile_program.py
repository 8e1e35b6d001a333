"""Generated tile programs, run turn by turn: which tiles they read, and where they write."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lanescope.model.fit.tile_program import Nest, TileSizes, TileWork, layer_nests, product_nest
from lanescope.model.manifest.shape import Shape

SIZES = TileSizes(mlen=8, blen=2, vlen=4)
TILE, BLOCK, PART = 64, 16, 2
"""Steps of addresses: a tile is MLEN x MLEN, a block BLEN x MLEN, a part of a row BLEN."""
SHAPE = Shape(
    layers=1,
    hidden=16,
    heads=2,
    kv_heads=1,
    head_dim=4,
    intermediate=16,
    vocabulary=8,
    weight_bits=Fraction(16),
    kv_bits=Fraction(16),
)


def turned(text: str) -> list[tuple[str, ...]]:
    """Every instruction that ran, with its registers' values; loops count down in a register."""
    lines = [line.replace(",", "").split() for line in text.splitlines()]
    registers, starts, ran = {f"gp{n}": 0 for n in range(16)}, list[int](), []
    at = 0
    while at < len(lines):
        name, *operands = lines[at]
        if name == "C_LOOP_START":
            registers[operands[0]] = int(operands[1])
            starts.append(at)
        elif name == "C_LOOP_END":
            registers[operands[0]] -= 1
            if registers[operands[0]] > 0:
                at = starts[-1]
            else:
                starts.pop()
        elif name == "S_ADDI_INT":
            registers[operands[0]] = registers[operands[1]] + int(operands[2])
        else:
            ran.append((name, *(str(registers.get(one, one)) for one in operands)))
        at += 1
    assert not starts
    return ran


def addresses(nest: Nest, opcode: str, *places: int) -> list[tuple[int, ...]]:
    """The operands at these places of all instructions of this opcode."""
    (text,) = [choice.text for choice in nest.choices if choice.opcode in (opcode, "M_MM")]
    return [tuple(int(one[k]) for k in places) for one in turned(text) if one[0] == opcode]


def test_a_product_takes_every_tile_of_a_row_with_those_of_a_column() -> None:
    """4 rows x 16 and 16 x 8: four columns of blocks, two rows of them, two tiles deep."""
    nest = product_nest("x", SIZES, 4, 16, 8)
    every = [(column, row) for column in range(4) for row in range(2)]
    assert addresses(nest, "M_MM", 2, 3) == [
        (column * BLOCK + deep * TILE, row * BLOCK + deep * TILE)
        for column, row in every
        for deep in range(2)
    ]
    assert addresses(nest, "M_MM_WO", 1) == [
        (column * PART + row * BLOCK,) for column, row in every
    ]
    assert [choice.times for choice in nest.choices] == [1.0]


def test_rows_that_do_not_fill_a_block_may_be_taken_one_by_one() -> None:
    whole, single = product_nest("x", SIZES, 1, 8, 8).choices
    assert (whole.opcode, single.opcode) == ("M_MM", "M_MV")
    assert [one[0] for one in turned(single.text)] == ["M_MV", "M_MV_WO"] * 4
    assert len(product_nest("x", SIZES, 2, 8, 8).choices) == 1


def test_a_product_that_is_too_large_has_some_of_its_turns_and_a_factor() -> None:
    """Eight columns of blocks, 17 rows of them, one tile deep: four and 16 are turned."""
    (choice,) = product_nest("x", SIZES, 34, 8, 16).choices
    assert [one[0] for one in turned(choice.text)].count("M_MM") == 4 * 16
    assert choice.times == pytest.approx(8 * 17 / (4 * 16))


def nests(tokens: int = 8, context: int = 8) -> dict[str, Nest]:
    return {nest.part: nest for nest in layer_nests(SHAPE, SIZES, TileWork(tokens, context, 1))}


def test_values_are_one_tile_deep() -> None:
    """Heads of four: two columns of blocks, and four rows of them for eight tokens."""
    nest = nests()["values"]
    every = [(column, row) for column in range(2) for row in range(4)]
    assert addresses(nest, "M_MM", 2, 3) == [(column * BLOCK, row * BLOCK) for column, row in every]
    assert addresses(nest, "M_MM_WO", 1) == [
        (column * PART + row * BLOCK,) for column, row in every
    ]


@pytest.mark.parametrize(
    ("part", "opcode", "steps"),
    [
        ("mask", "V_ADD_VV", (4, 4, 4)),
        ("clear", "V_MUL_VF", (4, 4)),
        ("softmax start", "S_ST_FP", (None, 1)),
        ("rescale", "S_LD_FP", (None, 1)),
        ("rescale", "V_MUL_VF", (4, 4)),
        ("normalise", "S_LD_FP", (None, 1)),
        ("pack", "V_SHFT_V", (0, 4, 0)),
        ("pack", "V_ADD_VV", (4, 4, 0)),
        ("rotation", "V_ADD_VV", (4, 4, 0)),
        ("activation", "V_SUB_VF", (0, 4)),
        ("norm", "S_SQRT_FP", (None,)),
    ],
)
def test_every_turn_over_rows_is_of_the_next_row(
    part: str, opcode: str, steps: tuple[int | None, ...]
) -> None:
    (choice,) = nests()[part].choices
    ran = [one[1:] for one in turned(choice.text) if one[0] == opcode]
    assert len(ran) > 1
    for number, found in enumerate(ran):
        for step, value in zip(steps, found, strict=False):
            assert step is None or int(value) == number * step


def test_scores_of_several_heads_at_once_go_on_by_a_row() -> None:
    choice = nests()["scores"].choices[0]
    assert choice.opcode == "M_BTMM"
    ran = [one for one in turned(choice.text) if one[0] == "M_BTMM"]
    assert [int(one[3]) for one in ran] == [4 * n for n in range(16)]


@pytest.mark.parametrize(("mlen", "rows", "times"), [(64, 2, 1.0), (65, 3, 2 * 65 / 64 / 3)])
def test_a_row_of_more_than_64_parts_has_the_first_ones_and_a_factor(
    mlen: int, rows: int, times: float
) -> None:
    """Lines of one token: two heads that are the rows of one block of keys."""
    sizes = TileSizes(mlen=mlen, blen=1, vlen=1)
    found = {nest.part: nest for nest in layer_nests(SHAPE, sizes, TileWork(1, mlen, 1))}
    (choice,) = found["softmax"].choices
    ran = [one[0] for one in turned(choice.text)]
    assert (ran.count("V_EXP_V"), choice.times) == (64 * rows, times)
