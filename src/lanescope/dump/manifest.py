"""tensors.json: what is dumped, and where its values lie in tensors.bin.

The values of a tensor lie there in logical order (the last index runs fastest), without gaps and
little-endian, however its view is strided. Strides and offsets count elements.
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
"""Of an array in every numpy."""

Shape = Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST_DIMENSIONS)]

STORED = {
    "bool": "u1",
    **{f"int{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
    **{f"float{8 * size}": f"<f{size}" for size in (2, 4, 8)},
    "bfloat16": "<u2",
}
"""How numpy reads the bytes of a dtype; a bool is a byte, a bfloat16 the upper half of a float."""


class BinFormat(msgspec.Struct, frozen=True):
    """How values lie in the file; there is only this one way."""

    type: str = "logical_contiguous"
    byte_order: str = "little_endian"


class TensorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of one task at one moment."""

    task: Count
    functions: tuple[Label, ...]
    """What the task runs."""
    tensor: Label = ""
    """The buffer's name."""
    arg_index: Count
    """Its place among what the task reads, then what it writes."""
    role: Literal["input", "output", "inout"]
    """inout: the task reads these elements and writes them, too."""
    stage: Stage
    kind: Literal["tensor", "scalar"] = "tensor"
    dtype: Label
    shape: Shape
    strides: Shape
    start_offset: Count
    """Of the view's first element in the buffer."""
    numel: Count
    """Elements of the whole view, also where it is truncated."""
    is_contiguous: bool
    bin_offset: Count
    bin_size: Count
    """Bytes in the file."""
    truncated: bool = False
    """Only the first elements are in the file."""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest's head."""

    format: str = FORMAT
    version: int = VERSION
    run: str
    """Name of the run."""
    select: str
    """What was asked for; empty: everything."""
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
    """Tensors of which only the first elements were kept; they are longer than the limit."""
    dropped: int
    """Tensors that are not here, because the total limit was reached or the disk was full."""
    tensor_limit_bytes: int
    total_limit_bytes: int
    problem: str = ""
    """Why writing ended early."""
