"""tensors.json: which tensors were dumped, and where their values are in tensors.bin.

The values of a tensor are stored in logical order (the last index runs fastest), without gaps and
little-endian, whatever the strides of its view. Strides and offsets count elements.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lanescope.formats.json_file import Count, Label

MANIFEST = "tensors.json"
VALUES = "tensors.bin"
FORMAT = "lanescope tensors"
VERSION = 1

Stage = Literal["before_dispatch", "after_completion"]
BEFORE: Stage = "before_dispatch"
AFTER: Stage = "after_completion"

MOST_DIMENSIONS = 32
"""The most dimensions that an array has in every version of numpy."""

Shape = Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST_DIMENSIONS)]

STORED = {
    "bool": "u1",
    **{f"int{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
    **{f"float{8 * size}": f"<f{size}" for size in (2, 4, 8)},
    "bfloat16": "<u2",
}
"""Our dtype to numpy's: a bool is stored as a byte, a bfloat16 as the upper half of a float32."""


class BinFormat(msgspec.Struct, frozen=True):
    """How values are stored in the binary file; there is only this one way."""

    type: str = "logical_contiguous"
    byte_order: str = "little_endian"


class TensorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of one task, before its dispatch or after its completion."""

    task: Count
    functions: tuple[Label, ...]
    """Names of the functions that the task runs."""
    tensor: Label = ""
    """The buffer's name."""
    arg_index: Count
    """Number of the argument; what the task reads is counted first, then what it writes."""
    role: Literal["input", "output", "inout"]
    """`inout`: the task reads these elements and also writes them."""
    stage: Stage
    kind: Literal["tensor", "scalar"] = "tensor"
    dtype: Label
    shape: Shape
    strides: Shape
    start_offset: Count
    """Position of the view's first element in the buffer."""
    numel: Count
    """Elements of the whole view, even where fewer are stored."""
    is_contiguous: bool
    bin_offset: Count
    bin_size: Count
    """Bytes stored in the binary file."""
    truncated: bool = False
    """Whether only the first elements are stored."""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """The head of the manifest: what was asked for, and counts."""

    format: str = FORMAT
    version: int = VERSION
    run: str
    """Name of the run."""
    select: str
    """Which tensors were asked for; empty: all."""
    bin_format: BinFormat = BinFormat()
    bin_file: str = VALUES
    bin_bytes: int
    count: int
    before: int
    after: int
    inputs: int
    outputs: int
    inouts: int
    truncated: int
    """Tensors longer than the limit, of which only the first elements are stored."""
    dropped: int
    """Tensors that are not stored, because the total limit was reached or the disk was full."""
    tensor_limit_bytes: int
    total_limit_bytes: int
    problem: str = ""
    """Why writing ended early; empty: it did not."""
