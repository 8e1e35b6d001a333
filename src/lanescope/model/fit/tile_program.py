"""A model's pass as tile programs of a PLENA core: what its compiler would emit, without transfers.

Each nest is the text of a few turns of one loop nest, and how often a pass does what the text does.
The loops, address arithmetic and vector work are those of programs that PLENA_Compiler a765612
emitted (linear, ffn, decoder, a 60M model); it pads matrices to MLEN, rotates Q and K with a
product, and computes every block of queries × keys, also above the diagonal
(aten/ops/plena/attention_ops.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from lanescope.model.manifest.shape import Shape

_MOST_ROWS = 64
"""Turns of a loop over rows that a text has: enough that its start does not count."""
_MOST_BLOCKS = 16
_MOST_COLUMNS = 4
_MOST_TILES = 256
_MOST_CHUNKS = 64
_ROW, _TILE, _BLOCK, _PART = "{row}", "{tile}", "{block}", "{part}"
"""Steps of addresses, which follow from the sizes."""
_GATED = 3
"""Matrices of a gated MLP; models with one also rotate Q and K."""


class TileSizes(NamedTuple):
    """Sizes of the core that a program is written for."""

    mlen: int
    blen: int
    vlen: int


class TileWork(NamedTuple):
    """One pass: new tokens per sequence, tokens that they look at, and sequences."""

    tokens: int
    context: int
    batch: int

    @property
    def rows(self) -> int:
        """Rows of the activations: every new token of every sequence."""
        return self.tokens * self.batch


class Choice(NamedTuple):
    """One way to do the work of a nest."""

    opcode: str
    """The instruction that does it."""
    text: str
    times: float
    """How often a pass does what the text does."""


class Nest(NamedTuple):
    """One kind of work of a pass, and the ways to do it."""

    part: str
    choices: tuple[Choice, ...]


def layer_nests(shape: Shape, sizes: TileSizes, work: TileWork) -> list[Nest]:
    """The nests of one layer."""
    group, per_tile = shape.heads // shape.kv_heads, max(1, sizes.mlen // shape.head_dim)
    head_tiles = _up(shape.head_dim, sizes.mlen)
    packs = shape.kv_heads * (_up(group, per_tile) if head_tiles == 1 else group * head_tiles)
    keys = shape.kv_heads * head_tiles
    rows, hidden = work.rows, shape.hidden
    nests = [
        product_nest("query", sizes, rows, hidden, packs * sizes.mlen),
        product_nest("key and value", sizes, rows, hidden, 2 * keys * sizes.mlen),
        product_nest("output", sizes, rows, packs * sizes.mlen, hidden),
        *_mlp(shape, sizes, rows),
        *_attention(shape, sizes, work),
        _norms(sizes, hidden, 2 * rows),
        _rows("residual", sizes, _ADD, 4 * rows * _up(hidden, sizes.vlen)),
        _rows("clear", sizes, _CLEAR, 3 * rows * _up(hidden, sizes.vlen)),
    ]
    if shape.mlp_matrices == _GATED:
        tiles = packs + keys
        nests.append(product_nest("rotation", sizes, rows, shape.head_dim, tiles * sizes.mlen))
        nests.append(_rows("rotation", sizes, _ROTATE, rows * tiles * _up(sizes.mlen, sizes.vlen)))
    return nests


def head_nests(shape: Shape, sizes: TileSizes, work: TileWork) -> list[Nest]:
    """The nests behind the last layer: only the last token of a sequence needs them."""
    return [
        product_nest("head", sizes, work.batch, shape.hidden, shape.vocabulary),
        _norms(sizes, shape.hidden, work.batch),
    ]


def _mlp(shape: Shape, sizes: TileSizes, rows: int) -> Iterator[Nest]:
    """The products and the activation; rows are spread evenly over the experts that they use."""
    used = min(shape.experts, rows * shape.active_experts)
    each = _up(rows * shape.active_experts, used)
    up = (shape.mlp_matrices - 1) * _padded(shape.intermediate, sizes.mlen)
    yield _times(product_nest("up and gate", sizes, each, shape.hidden, up), used)
    yield _times(product_nest("down", sizes, each, shape.intermediate, shape.hidden), used)
    chunks = _up(_padded(shape.intermediate, sizes.mlen), sizes.vlen)
    yield _rows("activation", sizes, _ACTIVATE, rows * shape.active_experts * chunks)


def _attention(shape: Shape, sizes: TileSizes, work: TileWork) -> Iterator[Nest]:
    """Scores, softmax and values, block of queries by block of keys."""
    group = shape.heads // shape.kv_heads
    keys = _up(work.context, sizes.mlen)
    queries = _up(work.tokens, sizes.mlen)
    alone = work.tokens == 1
    # One token: the heads of a group are the rows of a block. Else: a block of tokens per head.
    rows = group if alone else sizes.mlen
    blocks = work.batch * queries * keys * (shape.kv_heads if alone else shape.heads)
    lines, wide = rows * blocks, _up(sizes.mlen, sizes.vlen)
    deep = _up(shape.head_dim, sizes.vlen)
    scores = _times(product_nest("scores", sizes, rows, shape.head_dim, sizes.mlen), blocks)
    packed = _packed(shape, sizes, group)
    if packed and not alone:
        times = work.batch * queries * keys * shape.kv_heads * packed
        several = Choice("M_BTMM", _text(_BROADCAST, sizes), times / _MOST_BLOCKS)
        scores = Nest("scores", (several, *scores.choices))
    yield scores
    yield _rows("mask", sizes, _ADD, 0 if alone else lines * wide)
    some = min(wide, _MOST_CHUNKS)
    yield _rows("softmax", sizes, _softmax(some), lines * wide / some)
    yield _times(_values(sizes, rows, shape.head_dim), blocks)
    yield _rows("rescale", sizes, _RESCALE, lines * deep)
    yield _rows("residual", sizes, _ADD, lines * deep)
    ends = work.batch * shape.heads * (1 if alone else queries * sizes.mlen)
    yield _rows("softmax start", sizes, _START, 2 * ends)
    yield _rows("clear", sizes, _CLEAR, ends * deep)
    yield _rows("normalise", sizes, _NORMALISE, ends * deep)
    yield _rows("pack", sizes, _PACK, ends if packed else 0)


def _packed(shape: Shape, sizes: TileSizes, group: int) -> int:
    """Instructions per group of heads where one takes several heads at once; else 0."""
    if shape.head_dim >= sizes.mlen or sizes.mlen % shape.head_dim:
        return 0
    return _up(group, sizes.mlen // shape.head_dim)


def product_nest(part: str, sizes: TileSizes, rows: int, inner: int, outer: int) -> Nest:
    """A product of rows × inner and inner × outer, whose columns are padded to MLEN."""
    columns = _up(outer, sizes.mlen) * _up(sizes.mlen, sizes.blen)
    tiles = _up(inner, sizes.mlen)
    blocks = _up(rows, sizes.blen)
    matrix = ("M_MM 0, gp2, gp1", "M_MM_WO gp3, gp0, 0")
    choices = [_product_by(matrix, (columns, blocks, tiles), sizes)]
    if rows < sizes.blen:
        vector = ("M_MV 0, gp2, gp1", "M_MV_WO gp3, 0")
        choices.append(_product_by(vector, (columns, rows, tiles), sizes))
    return Nest(part, tuple(choices))


def _product_by(lines: tuple[str, str], counts: tuple[int, int, int], sizes: TileSizes) -> Choice:
    """The nest of a product, by one matrix instruction and its write-out."""
    columns, blocks, tiles = counts
    some, few, deep = map(min, counts, (_MOST_COLUMNS, _MOST_BLOCKS, _MOST_TILES))
    multiply, write_out = lines
    tile = _loop(6, deep, [multiply, *_next(1, _TILE), *_next(2, _TILE)])
    block = [
        *_from(1, 7),
        *_from(2, 8),
        *tile,
        write_out,
        *_next(7, _BLOCK),
        *_next(3, _BLOCK),
    ]
    column = [
        *_from(7, 0),
        *_from(3, 9),
        *_loop(5, few, block),
        *_next(8, _BLOCK),
        *_next(9, _PART),
    ]
    text = _text([*_from(8, 0), *_from(9, 0), *_loop(4, some, column)], sizes)
    times = columns * blocks * tiles / (some * few * deep)
    return Choice(multiply.split()[0], text, times)


def _values(sizes: TileSizes, rows: int, head_dim: int) -> Nest:
    """Probabilities × values: one tile deep, columns as many as a head has."""
    columns, blocks = _up(head_dim, sizes.blen), _up(rows, sizes.blen)
    some, few = min(columns, _MOST_COLUMNS), min(blocks, _MOST_BLOCKS)
    turn = ["M_MM 0, gp4, gp3", "M_MM_WO gp5, gp7, 0", *_next(3, _BLOCK), *_next(5, _BLOCK)]
    column = [
        *_from(3, 0),
        *_from(5, 8),
        *_loop(10, few, turn),
        *_next(4, _BLOCK),
        *_next(8, _PART),
    ]
    text = _text([*_from(8, 0), *_from(4, 0), *_loop(9, some, column)], sizes)
    return Nest("values", (Choice("M_MM", text, columns * blocks / (some * few)),))


def _rows(part: str, sizes: TileSizes, body: list[str], rows: float) -> Nest:
    """A loop over so many rows."""
    turns = max(1, min(math.ceil(rows), _MOST_ROWS))
    text = _text([*_from(1, 0), *_loop(15, turns, body)], sizes)
    return Nest(part, (Choice(body[0].split()[0], text, rows / turns),))


def _norms(sizes: TileSizes, hidden: int, rows: int) -> Nest:
    chunks = _up(hidden, sizes.vlen)
    some = min(chunks, _MOST_CHUNKS)
    return _rows("norm", sizes, _norm(some), rows * chunks / some)


def _times(nest: Nest, count: int) -> Nest:
    choices = (choice._replace(times=choice.times * count) for choice in nest.choices)
    return Nest(nest.part, tuple(choices))


def _loop(register: int, count: int, body: list[str]) -> list[str]:
    return [f"C_LOOP_START gp{register}, {count}", *body, f"C_LOOP_END gp{register}"]


def _next(register: int, step: str | int) -> list[str]:
    return [f"S_ADDI_INT gp{register}, gp{register}, {step}"]


def _from(register: int, other: int) -> list[str]:
    return [f"S_ADDI_INT gp{register}, gp{other}, 0"]


def _text(lines: list[str], sizes: TileSizes) -> str:
    """The lines with the addresses' steps of these sizes filled in."""
    tile, block = sizes.mlen * sizes.mlen, sizes.blen * sizes.mlen
    text = "\n".join(lines) + "\n"
    return text.format(row=sizes.vlen, tile=tile, block=block, part=sizes.blen)


def _up(amount: int, unit: int) -> int:
    return -(-amount // unit)


def _padded(amount: int, unit: int) -> int:
    return _up(amount, unit) * unit


_ADD = ["V_ADD_VV gp1, gp2, gp3, 0", *_next(1, _ROW), *_next(2, _ROW), *_next(3, _ROW)]
_CLEAR = ["V_MUL_VF gp1, gp1, f0, 0", *_next(1, _ROW)]
_RESCALE = ["S_LD_FP f1, gp2, 0", "V_MUL_VF gp1, gp1, f1, 0", *_next(2, 1), *_next(1, _ROW)]
_NORMALISE = [_RESCALE[0], "S_RECI_FP f1, f1, 0", *_RESCALE[1:]]
_START = ["S_ST_FP f1, gp1, 0", *_next(1, 1)]
_PACK = [
    "V_SHFT_V gp3, gp1, gp4",
    "V_ADD_VV gp2, gp2, gp3, 0",
    *_next(1, _ROW),
    *_next(2, _ROW),
]
_ROTATE = [
    *("V_MUL_VV gp5, gp2, gp4, 0", "V_MUL_VV gp1, gp1, gp3, 0", "V_ADD_VV gp1, gp1, gp5, 0"),
    *(line for register in (1, 2, 3, 4) for line in _next(register, _ROW)),
]
_ACTIVATE = [
    *("V_SUB_VF gp5, gp4, f0, 0, 1", "V_EXP_V gp5, gp5, 0", "V_ADD_VF gp5, gp5, f1, 0"),
    *("V_RECI_V gp5, gp5, 0", "V_MUL_VV gp5, gp5, gp4, 0", "V_MUL_VV gp4, gp5, gp6, 0"),
    *(*_next(6, _ROW), *_next(4, _ROW)),
]
_BROADCAST = _loop(
    *(6, _MOST_BLOCKS),
    ["M_BTMM 0, gp0, gp1", *_from(9, 0), "M_BMM_WO gp9, 0", *_next(1, _ROW)],
)


def _norm(chunks: int) -> list[str]:
    """The root mean square of one row, and its scaling; the compiler waits four cycles between."""
    squares = ["V_MUL_VV gp2, gp3, gp3, 0", "V_RED_SUM f2, gp2", *_next(3, _TILE)]
    return [
        *(*_from(1, 9), *_from(3, 9), *_next(9, _ROW), *_loop(4, chunks, squares)),
        *("S_MUL_FP f2, f2, f3", "S_ADD_FP f2, f2, f1", "S_SQRT_FP f2, f2", "S_RECI_FP f2, f2"),
        *(*_from(0, 0), *_from(0, 0), *_from(0, 0), *_from(0, 0)),
        *_loop(5, chunks, ["V_MUL_VF gp1, gp1, f2, 0", *_next(1, _TILE)]),
        "S_ADD_FP f2, f0, f0",
    ]


def _softmax(chunks: int) -> list[str]:
    """One row of scores: the running maximum and sum, and the exponentials."""
    on, back = (_next(1, _ROW), _from(1, 9)) if chunks > 1 else ([], [])
    scale = ["V_MUL_VF gp1, gp1, f5, 0", "S_LD_FP f6, gp0, 2", "V_RED_MAX f6, gp1, 0", *on]
    powers = ["V_SUB_VF gp1, gp1, f1, 0, 0", "V_EXP_V gp1, gp1, 0, 0", *on]
    total = ["S_LD_FP f3, gp4, 0", "S_ADD_FP f4, f0, f0", "V_RED_SUM f4, gp1, 0, 0", *on]
    return [
        *("S_LD_FP f1, gp2, 0", "S_ADD_FP f2, f1, f0"),
        *(*(scale * chunks), *back),
        *("S_MAX_FP f1, f6, f1", "S_SUB_FP f2, f2, f1", "S_EXP_FP f2, f2, 0"),
        *("S_ST_FP f2, gp3, 0", "S_ST_FP f1, gp2, 0"),
        *(*(powers * chunks), *back),
        *(total * chunks),
        *("S_MUL_FP f3, f3, f2", "S_ADD_FP f3, f3, f4", "S_ST_FP f3, gp4, 0"),
        *(*_next(1, _ROW), *_next(2, 1), *_next(3, 1), *_next(4, 1)),
    ]
