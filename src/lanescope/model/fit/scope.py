"""What the model can say, and what it refuses, with the reason: one place for every caller."""

from __future__ import annotations

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.load import Load, Residency
from lanescope.render.cells import bytes_text

GROUPS = (
    "resident",
    "weights over the link",
    "weights from storage",
    "KV over the link",
    "experts over the link",
)
"""Where the bytes of a step come from: errors of one group do not speak for another."""


def group_of(load: Load, resident: Residency) -> str:
    """The group whose published errors give a prediction its interval."""
    mixture = load.active_share < 1 or (load.shape is not None and load.shape.experts > 1)
    if resident.streamed_bytes == 0 and load.expert_hits is None:
        return "resident"
    if mixture and (resident.streamed_weight_bytes > 0 or load.expert_hits is not None):
        return "experts over the link"
    if resident.streamed_kv_bytes > 0:
        return "KV over the link"
    return "weights from storage" if load.from_storage > 0 else "weights over the link"


def refusal(load: Load, board: FitBoard, resident: Residency) -> str | None:
    """Why no rate is given, in a sentence; None where one is."""
    if resident.streamed_bytes > 0 and "link_bytes_per_s" not in board.values:
        return "it does not fit and there is no link to stream over (give --host-bandwidth RATE)"
    if load.from_storage > 0 and "storage_bytes_per_s" not in board.values:
        return "its weights lie in storage, and no rate of it is known (give --storage RATE)"
    if load.kv_host_share > 0:
        if resident.streamed_weight_bytes == 0:
            return (
                "the weights are resident and the KV cache is on the host: engines then compute "
                "attention on the host's processor, which is not modelled"
            )
        if load.shape is not None and load.shape.kv_heads < load.shape.heads:
            return (
                "the KV cache of grouped heads is on the host: the one published run of this kind "
                "takes six times as long as its bytes and arithmetic, and why is not known"
            )
    return _too_small(load, board, resident)


def _too_small(load: Load, board: FitBoard, resident: Residency) -> str | None:
    """A memory in which a streamed layer has no room next to the activations."""
    body = load.body
    if resident.streamed_weight_bytes == 0 or body is None or body.layers == 0:
        return None
    layer = load.footprint.weight / body.layers
    shape = load.shape
    if shape is not None and shape.experts > 1:
        layer *= shape.used_elements(shape.active_experts) / shape.used_elements(shape.experts)
    room = board.capacity_bytes - load.footprint.activation
    if room >= layer:
        return None
    return (
        f"a memory of {bytes_text(board.capacity_bytes)} does not hold one layer of "
        f"{bytes_text(layer)} and its activations: how the software would cut it is not known"
    )
