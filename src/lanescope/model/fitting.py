"""`lanescope.fit`: does a model fit a board, how fast is it there, and what would help."""

from __future__ import annotations

from pathlib import Path

from lanescope.model.boards import Board, load_board
from lanescope.model.fit.board import FitBoard, fit_board
from lanescope.model.fit.estimate import estimate
from lanescope.model.fit.load import Load
from lanescope.model.fit.plane import make_plane
from lanescope.model.fit.result import Fit
from lanescope.model.fit.whatif import policy_bytes, tornado, ways_out
from lanescope.model.manifest.manifest import Manifest
from lanescope.model.manifest.source import Dtypes, ModelDescription, open_model
from lanescope.model.memory.sizes import check_count, read_rate, read_size


def fit(
    model: str | Path,
    *,
    board: str | Path | Board,
    context: int = 2048,
    batch: int = 1,
    config: str | Path | None = None,
    weight_dtype: str | None = None,
    kv_dtype: str | None = None,
    capacity: str | float | None = None,
    host_bandwidth: str | float | None = None,
    flop_rate: str | float | None = None,
) -> Fit:
    """Says whether a model fits a board, and its tokens per second there.

    Args:
        model: A PLENA build, safetensors, GGUF or ONNX file, a config in JSON, or a manifest.
        board: Name of a board, its YAML file (ours or PLENA's), or a loaded one.
        context: Tokens per sequence.
        batch: Sequences at once.
        config: The model's config.json, where it does not lie beside the file.
        weight_dtype: Number format of a config's weights, like `int4` or `mxfp8`.
        kv_dtype: Number format of the KV cache; 16 bits without it.
        capacity: Bytes of memory, or a text like `512M`, in place of the board's.
        host_bandwidth: Bytes/s of the link to the host, or a text like `480Mbit/s`.
        flop_rate: Arithmetic per second that is reached, or a text like `8.9G`.

    Returns:
        Regime, rates with intervals, and what would help; `.text()` is the report, `.svg()` the
        plane of capacity × link, `.compare(…)` puts others beside it.

    Raises:
        InputError: The model, its config or the board cannot be read.
        UsageError: An option has no meaning, or there is no such board.

    Example:
        >>> small = lanescope.fit("examples/model_135m.json", board="nexys_video", capacity="128M")
        >>> small.regime, small.decode.bound_by
        ('weight-stream', 'link')
    """
    described = open_model(model, config=config, dtypes=Dtypes(weight_dtype, kv_dtype))
    check_count(context, "--context")
    check_count(batch, "--batch")
    regions = described.manifest(context=context, batch=batch, capacity_bytes=None)
    seen = fit_board(
        load_board(board),
        weight_bits=None if described.shape is None else float(described.shape.weight_bits),
        capacity_bytes=None if capacity is None else read_size(capacity),
        link_bytes_per_s=None if host_bandwidth is None else read_rate(host_bandwidth),
        flop_per_s=None if flop_rate is None else read_rate(flop_rate),
    )
    return _answer(
        described, Load(regions.footprint(), described.shape, context, batch), seen, regions=regions
    )


def _answer(described: ModelDescription, load: Load, board: FitBoard, *, regions: Manifest) -> Fit:
    rates = estimate(load, board)
    kept = board.capacity_bytes - load.footprint.kv - load.footprint.activation
    return Fit(
        model=described.name,
        form=described.form,
        board=board.name,
        context=load.context,
        batch=load.batch,
        footprint_bytes=load.footprint,
        capacity_bytes=board.capacity_bytes,
        regime=rates.residency.regime,
        residency=rates.residency,
        tokens_per_s=rates.tokens_per_s,
        serial_tokens_per_s=rates.serial_tokens_per_s,
        first_token_s=rates.first_token_s,
        serial_first_token_s=rates.serial_first_token_s,
        decode=rates.decode,
        prefill=rates.prefill,
        interval_from=rates.interval_from,
        values=tuple(board.values.values()),
        sensitivity=tuple(tornado(load, board)),
        ways_out=tuple(ways_out(load, board)),
        policies_bytes_per_pass=policy_bytes(regions.regions, max(0, kept)),
        plane=make_plane(load, board),
        notes=(*regions.notes, *_notes(load, board, described)),
    )


def _notes(load: Load, board: FitBoard, described: ModelDescription) -> list[str]:
    """What the figures leave out, a sentence each."""
    notes = []
    if "flop_per_s" not in board.values:
        notes.append(
            f"the board {board.name} names no arithmetic rate: compute is not counted, the "
            "rates are upper bounds (give --flop-rate)"
        )
    if "link_bytes_per_s" not in board.values:
        notes.append(f"the board {board.name} names no link to the host (--host-bandwidth)")
    if load.shape is None:
        notes.append(
            f"{described.form} tells no shape: every byte is read once per token, arithmetic is "
            "not counted"
        )
    if described.complete:
        notes.append("KV cache and activations are the manifest's own; --context is not used")
    return notes
