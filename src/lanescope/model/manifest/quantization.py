"""Bits of a weight that a config's `quantization_config` says; methods name them differently."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lanescope.errors import LanescopeError

_METHODS = {
    **dict.fromkeys(("fp8", "fbgemm_fp8", "eetq"), Fraction(8)),
    "mxfp4": Fraction(17, 4),
}
"""Methods that have one number of bits; mxfp4 with its scale byte per 32."""
_NO_SCALES = "quantised weights are counted without scales"
_ALL_ALIKE = "every weight is counted as quantised, also those that the config leaves out"


def quantized_bits(quantization: dict[str, Any]) -> tuple[Fraction, list[str]]:
    """Bits per weight and what they leave out; a method that names none is refused."""
    method = str(quantization.get("quant_method", "")).lower()
    if method in _METHODS:
        return _METHODS[method], [_ALL_ALIKE]
    for bits in (*map(quantization.get, ("bits", "w_bit", "nbits")), *_groups(quantization)):
        if isinstance(bits, int) and not isinstance(bits, bool) and 0 < bits <= 64:
            return Fraction(bits), [_NO_SCALES]
    for key, bits in (("load_in_4bit", 4), ("load_in_8bit", 8)):
        if quantization.get(key) is True:
            return Fraction(bits), [_NO_SCALES]
    raise LanescopeError(
        f"quantization_config: expected the bits of a weight, found the method {method[:40]!r} "
        "without them; give --weight-dtype"
    )


def _groups(quantization: dict[str, Any]) -> list[Any]:
    """Bits of the groups of compressed-tensors, which all have the same in one model."""
    groups = quantization.get("config_groups")
    weights = [
        group.get("weights")
        for group in (groups.values() if isinstance(groups, dict) else ())
        if isinstance(group, dict)
    ]
    return [one.get("num_bits") for one in weights if isinstance(one, dict)]
