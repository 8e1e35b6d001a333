"""`lanescope fit`: does a model fit a board, how fast is it then, and what would help."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.manifest import configure_model, model_of, positive
from lanescope.cli.options import memory as memory_options

if TYPE_CHECKING:
    from lanescope.model.fit.load import Load
    from lanescope.model.fit.machine import Machine
    from lanescope.model.manifest import Manifest
    from lanescope.model.manifest.source import Model

HELP = "tell whether a model fits a board, and its tokens per second"
EXAMPLE = "lanescope fit config.json --board custom_a7 --context 2048 --weight-dtype mxfp8"


def configure(parser: argparse.ArgumentParser) -> None:
    configure_model(parser)
    parser.add_argument(
        "--board", required=True, metavar="NAME|FILE", help="see 'lanescope boards'"
    )
    parser.add_argument(
        "--context", type=int, default=2048, metavar="N", help="tokens per sequence (default: 2048)"
    )
    parser.add_argument(
        "--batch", type=int, default=1, metavar="N", help="sequences at once (default: 1)"
    )
    memory_options.configure_capacity(parser)
    parser.add_argument(
        "--flop-rate", metavar="RATE", help="arithmetic per second that is reached, like 8.9G"
    )
    parser.add_argument(
        "--svg", type=Path, metavar="FILE", help="write the plane of capacity × link as a picture"
    )


def run(args: argparse.Namespace) -> int:
    model = model_of(args)
    context = positive(args.context, "--context") or 1
    batch = positive(args.batch, "--batch") or 1
    manifest = model.manifest(context=context, batch=batch, capacity_bytes=None)
    load, machine = _load(model, manifest, context=context, batch=batch), _machine(args, model)
    facts = _facts(load, machine, manifest, model)
    if args.svg is not None:
        _write_svg(args.svg, load, machine, title=f"{model.name} on {machine.board}")
        facts["svg"] = str(args.svg)
    if args.json:
        import msgspec

        print(msgspec.json.encode(facts).decode())
    else:
        from lanescope.model.fit.page import fit_text

        sys.stdout.write(fit_text(facts))
    return 0


def _load(model: Model, manifest: Manifest, *, context: int, batch: int) -> Load:
    from lanescope.model.fit.load import Load

    return Load(manifest.footprint(), model.shape, context, batch)


def _machine(args: argparse.Namespace, model: Model) -> Machine:
    from lanescope.model.boards import load_board
    from lanescope.model.fit.machine import machine_of
    from lanescope.model.memory.sizes import read_rate

    bits = None if model.shape is None else float(model.shape.weight_bits)
    return machine_of(
        load_board(args.board),
        weight_bits=bits,
        capacity_bytes=memory_options.capacity_bytes(args),
        link_bytes_per_s=None if args.host_bandwidth is None else read_rate(args.host_bandwidth),
        flop_per_s=None if args.flop_rate is None else read_rate(args.flop_rate),
    )


def _facts(load: Load, machine: Machine, manifest: Manifest, model: Model) -> dict[str, Any]:
    """Every figure of the report."""
    from dataclasses import asdict

    from lanescope.model.fit.estimate import estimate
    from lanescope.model.fit.plane import MEANING, make_plane
    from lanescope.model.fit.whatif import policy_bytes, tornado, ways_out

    found = estimate(load, machine)
    kept = machine.capacity_bytes - load.footprint.kv - load.footprint.activation
    plane = make_plane(load, machine)
    return {
        "model": model.name,
        "form": model.form,
        "board": machine.board,
        "context": load.context,
        "batch": load.batch,
        "footprint_bytes": {**load.footprint._asdict(), "total": load.footprint.total},
        "capacity_bytes": machine.capacity_bytes,
        "regime": found.residency.regime,
        "residency": asdict(found.residency),
        "tokens_per_s": found.tokens_per_s and found.tokens_per_s._asdict(),
        "serial_tokens_per_s": found.serial_tokens_per_s,
        "first_token_s": found.first_token_s and found.first_token_s._asdict(),
        "serial_first_token_s": found.serial_first_token_s,
        "decode": {**asdict(found.decode), "bound_by": found.decode.bound_by},
        "prefill": {**asdict(found.prefill), "bound_by": found.prefill.bound_by},
        "interval_from": {"pool": found.pool, "points": found.pool_points},
        "values": [value._asdict() for value in machine.values.values()],
        "sensitivity": [one._asdict() for one in tornado(load, machine)],
        "ways_out": [asdict(way) for way in ways_out(load, machine)],
        "policies_bytes_per_pass": policy_bytes(manifest.regions, max(0, kept)),
        "plane": {**asdict(plane), "meaning": MEANING},
        "notes": [*manifest.notes, *_notes(load, machine, model)],
    }


def _notes(load: Load, machine: Machine, model: Model) -> list[str]:
    """What the figures leave out."""
    notes = []
    if "flop_per_s" not in machine.values:
        notes.append(
            f"the board {machine.board} names no arithmetic rate: compute is not counted, the "
            "rates are upper bounds (give --flop-rate)"
        )
    if "link_bytes_per_s" not in machine.values:
        notes.append(f"the board {machine.board} names no link to the host (--host-bandwidth)")
    if load.shape is None:
        notes.append(
            f"{model.form} tells no shape: every byte is read once per token, arithmetic is not "
            "counted"
        )
    if model.complete:
        notes.append("KV cache and activations are the manifest's own; --context is not used")
    return notes


def _write_svg(path: Path, load: Load, machine: Machine, *, title: str) -> None:
    from lanescope.errors import OutputError
    from lanescope.model.fit.plane import make_plane
    from lanescope.model.fit.svg import plane_svg

    try:
        path.write_text(plane_svg(make_plane(load, machine), title=title))
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error
