"""`lanescope tensors`: list a tensor dump, and export single tensors."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import places, writing
from lanescope.cli.printing import print_json
from lanescope.render.names import printable

if TYPE_CHECKING:
    from lanescope.dump.read import DumpedTensor

HELP = "list what a run dumped of its tasks' tensors, or export one"
EXAMPLE = "lanescope tensors vector.tensors --index 2 --export scaled.npy"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope tensors`."""
    parser.add_argument(
        "dump",
        type=places.local,
        metavar="DIR",
        help="NAME.tensors, a folder that holds one, or one with an args_dump.json",
    )
    parser.add_argument("--task", type=_number, metavar="N", help="only this task's: 17 or 0x11")
    parser.add_argument("--index", type=int, metavar="I", help="only the one of that index")
    parser.add_argument(
        "--export",
        type=places.local,
        metavar="FILE.npy",
        help="write the values of the one that --index chooses, for numpy.load",
    )
    writing.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope tensors`; returns the exit code."""
    from lanescope.dump.read import read_dump
    from lanescope.errors import UsageError

    writing.check_force(args, args.export, "--export FILE.npy")
    every, dropped = read_dump(args.dump)
    if args.index is not None and not 0 <= args.index < len(every):
        raise UsageError(f"there is no tensor {args.index}; {args.dump} has {len(every)}, from 0")
    chosen = [one for one in every if args.index is None or one.index == args.index]
    chosen = [one for one in chosen if args.task is None or one.task == args.task]
    if args.task is not None and not chosen:
        raise UsageError(f"{args.dump} has nothing of task {args.task}")
    if args.export is not None:
        if args.index is None:
            raise UsageError("--export needs --index, which says what to export")
        return _export(chosen[0], args)
    if args.json:
        print_json("tensors", [_facts(one) for one in chosen])
    else:
        _list(chosen)
        print(_totals(chosen, dropped))
    return 0


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a task's number, found {text!r}") from None


def _export(one: DumpedTensor, args: argparse.Namespace) -> int:
    import numpy as np

    from lanescope.formats.output import atomic_output

    values = one.elements() if one.truncated else one.array()
    with atomic_output(args.export) as file:
        np.save(file, values, allow_pickle=False)
    if args.json:
        where = {"output": str(args.export), "exported_shape": list(values.shape)}
        print_json("tensors-export", _facts(one) | where)
        return 0
    of = f", the first of {one.numel:,} elements in a row: TRUNCATED" if one.truncated else ""
    print(f"{args.export}: {values.dtype} {list(values.shape)}{of}")
    return 0


def _facts(one: DumpedTensor) -> dict[str, Any]:
    import msgspec

    facts = msgspec.structs.asdict(one)
    facts["bin_path"] = str(one.bin_path)
    return facts


def _list(chosen: list[DumpedTensor]) -> None:
    rows = [("index", "task", "function", "stage", "role", "arg", "tensor", "dtype", "shape", "")]
    rows += [
        (
            str(one.index),
            f"{one.task:#x}" if one.task >> 32 else str(one.task),
            "+".join(one.functions),
            one.stage.partition("_")[0],
            one.role,
            str(one.arg_index),
            one.tensor,
            one.dtype,
            str(list(one.shape)),
            _remark(one),
        )
        for one in chosen
    ]
    lines = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for row in lines:
        cells = zip(row, widths, strict=True)
        print("  ".join(f"{cell:<{width}}" for cell, width in cells).rstrip())


def _totals(chosen: list[DumpedTensor], dropped: int) -> str:
    cut = sum(one.truncated for one in chosen)
    said = f"{len(chosen):,} tensors, {sum(one.bin_size for one in chosen):,} bytes"
    said += f"; TRUNCATED: {cut:,}" if cut else ""
    return said + (f"; DROPPED from this dump: {dropped:,}" if dropped else "")


def _remark(one: DumpedTensor) -> str:
    """The value of a scalar, or the bytes in the file, how they lay, and what is wrong."""
    if one.kind == "scalar":
        return f"= {one.value}"
    lay = "" if one.is_contiguous else f", strides {list(one.strides)} from {one.start_offset}"
    flags = [name for name in ("truncated", "overwritten") if getattr(one, name)]
    if not flags and one.numel and not one.bin_size:
        flags = ["no values"]
    return ", ".join([f"{one.bin_size:,} bytes{lay}", *flags])
