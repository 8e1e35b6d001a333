"""Options that say which model is meant; `fit` and `manifest` share them."""

from __future__ import annotations

import argparse

from lanescope.cli.options import places


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the model, its config and its number formats."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a PLENA build's folder or hbm_addrs.json, a safetensors file, index or folder, a "
        "GGUF or ONNX file, a config in JSON, or a manifest",
    )
    parser.add_argument(
        "--config",
        type=places.local,
        metavar="FILE",
        help="the model's config.json, if not beside it",
    )
    parser.add_argument(
        "--weight-dtype", metavar="NAME", help="of a config's weights, like int4, mxfp8 or 4.5"
    )
    parser.add_argument(
        "--kv-dtype", metavar="NAME", help="of the KV cache, like fp8 (default: 16 bits)"
    )
