"""`lanescope.fit`: does a model fit a board, how fast is it there, and what would help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lanescope.errors import UsageError
from lanescope.model.boards import Board, load_board
from lanescope.model.boards.lint import refuse_impossible
from lanescope.model.fit.board import FitBoard, fit_board
from lanescope.model.fit.estimate import estimate
from lanescope.model.fit.load import Load, residency_of
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
    storage: str | float | None = None,
    compute: str | float | None = None,
    kv_on_host: bool = False,
    cost_source: str | Path | None = None,
    settings: str | Path | None = None,
    mlen: int | None = None,
    blen: int | None = None,
    vlen: int | None = None,
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
        storage: Bytes/s at which the host reads the weights from its storage; without it they
            lie in the host's memory.
        compute: Operations per second that are reached, or a text like `8.9G`; without it the
            board's stated peak, else what `predict`'s schedule reaches on its core.
        kv_on_host: Whether the whole KV cache stays in the host's memory.
        cost_source: Costs of that schedule; `emulator` without it.
        settings: A settings file with the core's sizes and latencies.
        mlen: Size of the core's matrix tiles, over the settings'.
        blen: Rows of its matrix unit.
        vlen: Width of its vectors.

    Returns:
        Regime, rates with intervals, and what would help; `.text()` is the report, `.svg()` the
        plane of capacity × link, `.compare(…)` puts others beside it.

    Raises:
        InputError: The model, its config or the board cannot be read.
        UsageError: An option has no meaning, or there is no such board.

    Examples:
        >>> small = lanescope.fit("examples/model_135m.json", board="nexys_video", capacity="128M")
        >>> small.regime, small.decode.step.bound_by
        ('weight-stream', 'link')
    """
    described = open_model(model, config=config, dtypes=Dtypes(weight_dtype, kv_dtype))
    sizes = {"mlen": mlen, "blen": blen, "vlen": vlen}
    for name, count in {"context": context, "batch": batch, **sizes}.items():
        check_count(count, f"--{name}")
    regions = described.manifest(context=context, batch=batch, capacity_bytes=None)
    loaded, shape = load_board(board), described.shape
    refuse_impossible(loaded)
    core = None
    named = {"cost-source": cost_source, "settings": settings, **sizes}
    asked = [f"--{name}" for name, value in named.items() if value is not None]
    if asked and compute is not None:
        raise UsageError(f"{asked[0]} is of a core's schedule, which --compute replaces")
    if compute is None and loaded.compute is None and shape is not None:
        from lanescope.model.fit.compute import core_compute

        core = core_compute(
            loaded,
            shape=shape,
            batch=batch,
            context=context,
            cost_source=cost_source,
            settings=settings,
            **sizes,
        )
    seen = fit_board(
        loaded,
        weight_bits=None if shape is None else float(shape.weight_bits),
        capacity_bytes=None if capacity is None else read_size(capacity),
        link_bytes_per_s=None if host_bandwidth is None else read_rate(host_bandwidth),
        storage_bytes_per_s=None if storage is None else read_rate(storage),
        flop_per_s=None if compute is None else read_compute(compute),
        core=core,
    )
    load = Load(
        regions.footprint(),
        shape,
        context,
        batch,
        kv_host_share=1.0 if kv_on_host else 0.0,
        from_storage=0.0 if storage is None else 1.0,
    )
    unused = f"{', '.join(asked)}: not used, the board {seen.name} has no core to schedule"
    notes = [unused] if asked and core is None else []
    return _answer(described, load, seen, regions=regions, notes=notes)


def _answer(
    described: ModelDescription,
    load: Load,
    board: FitBoard,
    *,
    regions: Manifest,
    notes: Sequence[str],
) -> Fit:
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
        compute_source=board.compute_source,
        decode=rates.decode,
        prefill=rates.prefill,
        interval_from=rates.interval_from,
        values=tuple(board.values.values()),
        sensitivity=tuple(tornado(load, board)),
        ways_out=tuple(ways_out(load, board)),
        policies_bytes_per_pass=policy_bytes(regions.regions, max(0, kept)),
        plane=make_plane(load, board),
        notes=(*regions.notes, *_notes(load, board, described), *notes),
    )


def _notes(load: Load, board: FitBoard, described: ModelDescription) -> list[str]:
    """What the figures leave out, a sentence each."""
    notes = []
    if "link_bytes_per_s" not in board.values:
        notes.append(f"the board {board.name} names no link to the host (--host-bandwidth)")
    if load.shape is None:
        notes.append(
            f"{described.form} tells no shape: every byte is read once per token, arithmetic is "
            "not counted"
        )
    if load.shape is not None and load.shape.experts > 1:
        if residency_of(load, board.capacity_bytes).streamed_weight_bytes > 0:
            notes.append(
                "the experts used most are kept, and how unevenly they are used was fitted on "
                "another family of models; the slow end of the intervals uses them evenly"
            )
    if described.complete:
        notes.append("KV cache and activations are the manifest's own; --context is not used")
    return notes


def read_compute(rate: str | float) -> int:
    """Operations per second of a rate like `8.9G`, `1.3e9` or `21.2Tflop/s`; above 0."""
    text = str(rate).strip()
    form = r"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?)\s*([kKMGTP]?)(?:flop/s|flops|FLOPS|op/s)?"
    match = re.fullmatch(form, text)
    power = 0 if match is None else " KMGTP".index(match[2].upper() or " ")
    value = 0.0 if match is None else float(match[1]) * 1000.0**power
    if not 1 <= value <= 1e18:
        raise UsageError(
            "--compute: expected operations per second like 8.9G or 21.2T, from 1 to 1e18, "
            f"found {text[:40]!r}"
        )
    return int(value)
