"""`lanescope manifest`: what of a model lies where, and where each size came from."""

from __future__ import annotations

import argparse
import sys

from lanescope.cli.options import board, model, places, quiet, writing
from lanescope.cli.printing import print_json

HELP = "make a weight manifest from a build, a model file or a config"
EXAMPLE = "lanescope manifest model.gguf --board custom_a7 --context 4096 -o model.manifest.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lanescope manifest`."""
    model.configure(parser)
    board.configure(parser, text="take the capacity from a board", required=False)
    parser.add_argument("--capacity", metavar="SIZE", help="like 512M or 1.5GB, before the board's")
    parser.add_argument(
        "--context", type=int, metavar="N", help="tokens per sequence: adds the KV cache"
    )
    parser.add_argument("--batch", type=int, metavar="N", help="sequences at once (default: 1)")
    parser.add_argument(
        "--total-layers",
        type=int,
        metavar="N",
        help="a build of some layers: also say what the whole model would need",
    )
    parser.add_argument(
        "-o", "--output", type=places.local, metavar="FILE", help="write the manifest here, as JSON"
    )
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Print the sums of the manifest as text or JSON, and write it where a file is named."""
    from lanescope.model.manifest.making import manifest

    writing.check_force(args, args.output, "-o FILE")
    answer = manifest(
        args.model,
        config=args.config,
        weight_dtype=args.weight_dtype,
        kv_dtype=args.kv_dtype,
        board=board.the_board(args),
        capacity=args.capacity,
        context=args.context,
        batch=args.batch,
        total_layers=args.total_layers,
    )
    if args.output is not None:
        answer.save(args.output)
    if args.json:
        print_json("manifest", answer.to_dict())
        return 0
    if not args.quiet:
        sys.stdout.write(answer.text())
    if args.output is not None:
        print(f"written: {args.output}")
    return 0
