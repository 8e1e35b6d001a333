"""`lanescope manifest`: what of a model lies where, and where each size came from."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.render.cells import printable

if TYPE_CHECKING:
    from lanescope.model.manifest import Manifest
    from lanescope.model.manifest.source import Model

HELP = "make a weight manifest from a build, a model file or a config"
EXAMPLE = "lanescope manifest model.gguf --board custom_a7 --context 4096 -o model.manifest.json"


def configure(parser: argparse.ArgumentParser) -> None:
    configure_model(parser)
    parser.add_argument("--board", metavar="NAME|FILE", help="take the capacity from a board")
    parser.add_argument("--capacity", metavar="SIZE", help="like 512M or 1.5GB, before the board's")
    parser.add_argument(
        "--context", type=int, metavar="N", help="tokens per sequence: adds the KV cache"
    )
    parser.add_argument(
        "--batch", type=int, default=1, metavar="N", help="sequences at once (default: 1)"
    )
    parser.add_argument(
        "--total-layers",
        type=int,
        metavar="N",
        help="a build of some layers: also say what the whole model would need",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the manifest here, as JSON"
    )


def configure_model(parser: argparse.ArgumentParser) -> None:
    """What `manifest` and `fit` both ask about the model."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a PLENA build's folder or hbm_addrs.json, a safetensors file, index or folder, a "
        "GGUF or ONNX file, a config in JSON, or a manifest",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="the model's config.json, if not beside it"
    )
    parser.add_argument(
        "--weight-dtype", metavar="NAME", help="of a config's weights, like int4, mxfp8 or 4.5"
    )
    parser.add_argument(
        "--kv-dtype", metavar="NAME", help="of the KV cache, like fp8 (default: 16 bits)"
    )


def run(args: argparse.Namespace) -> int:
    model = model_of(args)
    capacity = _capacity(args)
    manifest = model.manifest(
        context=positive(args.context, "--context"),
        batch=positive(args.batch, "--batch") or 1,
        capacity_bytes=capacity,
    )
    if args.output is not None:
        _write(manifest, args.output)
    facts = _facts(model, manifest, total_layers=positive(args.total_layers, "--total-layers"))
    if args.json:
        import msgspec

        print(msgspec.json.encode(facts).decode())
    else:
        _show(facts, args.output)
    return 0


def model_of(args: argparse.Namespace) -> Model:
    from lanescope.model.manifest.source import Dtypes, open_model

    dtypes = Dtypes(args.weight_dtype, args.kv_dtype)
    return open_model(args.model, config=args.config, dtypes=dtypes)


def positive(value: int | None, option: str) -> int | None:
    from lanescope.errors import UsageError

    if value is not None and not 0 < value <= 10**9:
        raise UsageError(f"{option}: expected a number from 1 to 1,000,000,000, found {value}")
    return value


def _capacity(args: argparse.Namespace) -> int | None:
    from lanescope.cli.options.memory import capacity_bytes
    from lanescope.model.boards import load_board

    given = capacity_bytes(args)
    if given is None and args.board is not None:
        return load_board(args.board).memory.capacity_bytes.value
    return given


def _write(manifest: Manifest, path: Path) -> None:
    import msgspec

    from lanescope.errors import OutputError
    from lanescope.model.manifest import as_document

    text = msgspec.json.format(msgspec.json.encode(as_document(manifest)), indent=1)
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_bytes(text + b"\n")
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


def _facts(model: Model, manifest: Manifest, *, total_layers: int | None) -> dict[str, Any]:
    from collections import Counter

    from lanescope.model.manifest import as_document
    from lanescope.model.memory import choose_regime

    footprint = manifest.footprint()
    capacity = manifest.capacity_bytes
    facts: dict[str, Any] = {
        "model": model.name,
        "form": model.form,
        "layers": len(manifest.layers),
        "footprint_bytes": {**footprint._asdict(), "total": footprint.total},
        "regions": dict(Counter(region.kind for region in manifest.regions)),
        "size_sources": dict(Counter(region.size_source for region in manifest.regions)),
        "capacity_bytes": capacity,
        "regime": None if capacity is None else choose_regime(footprint, capacity),
        "notes": list(manifest.notes),
        "manifest": as_document(manifest),
    }
    if total_layers is not None:
        facts["whole_model"] = _whole_model(manifest, total_layers)
    return facts


def _whole_model(manifest: Manifest, total_layers: int) -> dict[str, Any]:
    """The build's weights and KV times the layers that it does not hold; an estimate."""
    from lanescope.model.manifest import Footprint
    from lanescope.model.memory import choose_regime

    found = manifest.footprint()
    held = len({region.layer for region in manifest.regions if region.kind != "activation"})
    weight, kv = (size * total_layers // max(1, held) for size in (found.weight, found.kv))
    whole = Footprint(weight, kv, found.activation)
    capacity = manifest.capacity_bytes
    return {
        "layers": total_layers,
        "layers_in_build": held,
        "footprint_bytes": {**whole._asdict(), "total": whole.total},
        "regime": None if capacity is None else choose_regime(whole, capacity),
    }


def _show(facts: dict[str, Any], output: Path | None) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in facts["regions"].items())
    print(
        f"{printable(facts['model'])} ({facts['form']}): {sum(facts['regions'].values()):,} "
        f"regions ({kinds}) in {facts['layers']:,} layers"
    )
    _show_footprint("footprint", facts)
    if "whole_model" in facts:
        whole = facts["whole_model"]
        label = (
            f"estimate for {whole['layers']} layers (the build holds {whole['layers_in_build']})"
        )
        _show_footprint(label, {**facts, **whole})
    print("sizes come from:")
    for source, count in facts["size_sources"].items():
        print(f"  {count:>6,} × {printable(source) or 'the manifest'}")
    for note in facts["notes"]:
        print(f"note: {printable(note)}")
    if output is not None:
        print(f"written: {output}")


def _show_footprint(label: str, facts: dict[str, Any]) -> None:
    from lanescope.model.memory.sizes import shown_bytes

    sizes = ", ".join(
        f"{kind} {shown_bytes(size)}" for kind, size in facts["footprint_bytes"].items()
    )
    print(f"{label}: {sizes}")
    if facts["regime"] is not None:
        capacity = f"{facts['capacity_bytes']:,} bytes"
        print(f"  regime with {capacity} of memory: {facts['regime']}")
