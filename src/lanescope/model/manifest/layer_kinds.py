"""Layers that differ: which have experts, and which caches grow with the context."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lanescope.errors import LanescopeError
from lanescope.model.manifest.config_keys import KEYS, find_count

_GROWING = ("full_attention", "attention", "global_attention", "global")
_WINDOWED = ("sliding_attention", "local_attention", "local", "chunked_attention")
_ALL_WINDOWED = ("mistral",)
"""Models whose every layer looks at its window only, where their config names one."""
_FULL_EVERY = {"gemma2": 2, "gemma3": 6, "gemma3_text": 6}
"""Models that look past their window in every n-th layer, where their config does not say it."""
_STATE = re.compile(r"mamba_|ssm_|rwkv|state_size|time_mix|linear_(num|key|value)_|lightning")
"""Keys of layers that have a state of fixed size in place of a cache."""
_ATTENDS = ("attention", "hybrid", "full_attention")
"""Kinds of `layers_block_type` that have a cache."""


class Experts(NamedTuple):
    """The mixture of experts of a model; one expert for a dense model."""

    experts: int = 1
    active: int = 1
    intermediate: int | None = None
    """Width of one expert; None: the model's own."""
    dense_layers: int = 0
    dense_intermediate: int = 0
    shared_intermediate: int = 0


class Caches(NamedTuple):
    """How many layers' caches grow (None: all), and how many hold a window."""

    growing: int | None = None
    windowed: int = 0
    window: int = 0


def read_experts(config: dict[str, Any], *, layers: int) -> Experts:
    """The experts that a config names; one that speaks of experts but not how many is refused."""
    experts = find_count(config, "experts", least=0) or 0
    if experts <= 1:
        _refuse_hidden_experts(config)
        return Experts()
    active = find_count(config, "active_experts")
    if active is None:
        raise LanescopeError(
            f"expected the experts per token of {experts} experts "
            f"({' or '.join(KEYS['active_experts'])}) in the config, found none"
        )
    if active > experts:
        raise LanescopeError(f"expected at most {experts} experts per token, found {active}")
    wide = find_count(config, "intermediate") or 0
    own = find_count(config, "expert_intermediate") or wide
    shared = (find_count(config, "shared_experts", least=0) or 0) * own
    dense = _dense_layers(config, layers)
    return Experts(
        experts,
        active,
        own or None,
        dense,
        (find_count(config, "dense_intermediate") or wide or own) if dense else 0,
        find_count(config, "shared_intermediate", least=0) or shared,
    )


def _dense_layers(config: dict[str, Any], layers: int) -> int:
    """Layers without experts: the first ones, those named, and those between every n-th."""
    named = config.get("mlp_only_layers")
    dense = len(named) if isinstance(named, list) else 0
    dense += find_count(config, "dense_first", least=0) or 0
    pattern = config.get("moe_layer_freq")
    if isinstance(pattern, list):
        return min(layers, sum(1 for one in pattern if one == 0))
    every = find_count(config, "expert_every") or 1
    return min(layers, dense + (layers - dense) - (layers - dense) // every)


def _refuse_hidden_experts(config: dict[str, Any]) -> None:
    """Refuse a config with a key of experts that nobody here knows: it would be read as dense."""
    known = {key for name in ("experts", "active_experts", "shared_experts") for key in KEYS[name]}
    for key, value in config.items():
        number = isinstance(value, int) and not isinstance(value, bool) and value > 1
        counts = re.search(r"expert", key) and not re.search(r"size|dim|capacity|coef|per_", key)
        if number and counts and key not in known:
            raise LanescopeError(
                f"expected the number of experts ({' or '.join(KEYS['experts'])}), found only "
                f"{key[:40]!r}: a mixture of experts would be read as dense"
            )


def read_caches(config: dict[str, Any], *, layers: int) -> tuple[Caches, list[str]]:
    """Which layers' caches grow with the context, and a sentence where some do not."""
    kinds = config.get("layer_types")
    attending = _attending(config, layers)
    if isinstance(kinds, list) and kinds:
        found = _counted([str(kind) for kind in kinds], config)
    elif attending is not None:
        found = Caches(attending)
    else:
        found = _from_interval(config, layers)
        if found.growing is None:
            _refuse_hidden_states(config)
    if found.growing is None:
        return found, []
    fixed = layers - found.growing - found.windowed
    parts = [f"{found.growing} of {layers} layers have a cache that grows with the context"]
    if found.windowed:
        parts.append(f"{found.windowed} hold the last {found.window:,} tokens")
    if fixed > 0:
        parts.append(f"{fixed} have a state of fixed size, which is not counted")
    return found, [", ".join(parts)]


def _attending(config: dict[str, Any], layers: int) -> int | None:
    """Layers of a hybrid model that have attention; None where the config is not of one."""
    period = find_count(config, "attends_every")
    if period is not None:
        first = (find_count(config, "attends_first", least=0) or 0) % period
        return len(range(first, layers, period))
    for key in ("attn_layer_indices", "hybrid_layer_ids"):
        if isinstance(config.get(key), list):
            return min(layers, len(config[key]))
    if isinstance(config.get("layers_block_type"), list):
        return sum(1 for kind in config["layers_block_type"][:layers] if kind in _ATTENDS)
    if isinstance(config.get("attn_type_list"), list):
        return sum(1 for kind in config["attn_type_list"][:layers] if kind == 1)
    pattern = config.get("hybrid_override_pattern")
    return pattern[:layers].count("*") if isinstance(pattern, str) else None


def _refuse_hidden_states(config: dict[str, Any]) -> None:
    """Refuse a config with a state of which nobody here knows the layers: all would get a cache."""
    for key, value in config.items():
        if isinstance(value, int) and value and _STATE.search(key):
            raise LanescopeError(
                "expected which layers have attention (layer_types, attn_layer_period or "
                f"attn_layer_indices), found only {key[:40]!r}: a state of fixed size would be "
                "read as a cache that grows"
            )


def _counted(kinds: list[str], config: dict[str, Any]) -> Caches:
    growing = sum(kind in _GROWING for kind in kinds)
    windowed = sum(kind in _WINDOWED for kind in kinds)
    if growing == len(kinds):
        return Caches()
    window = find_count(config, "window") if windowed else 0
    if window is None:
        return Caches()
    return Caches(growing, windowed, window)


def _from_interval(config: dict[str, Any], layers: int) -> Caches:
    window = config.get("sliding_window") or config.get("sliding_window_size")
    slides = isinstance(window, int) and config.get("use_sliding_window", True)
    layout = config.get("sliding_window_layout")
    if slides and isinstance(layout, list):
        windowed = sum(1 for one in layout if one)
        return Caches(layers - windowed, windowed, int(window or 0)) if windowed else Caches()
    every = find_count(config, "full_every") or _FULL_EVERY.get(str(config.get("model_type")))
    if every is not None and every > 1:
        growing = layers // every
        if slides and "full_attention_interval" not in config:
            return Caches(growing, layers - growing, int(window or 0))
        return Caches(growing)
    if slides and config.get("model_type") in _ALL_WINDOWED:
        return Caches(0, layers, int(window or 0))
    return Caches()
