"""Bits of a weight, as methods of quantisation name them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from lanescope.errors import LanescopeError
from lanescope.model.manifest.quantization import quantized_bits

NO_SCALES = ["quantised weights are counted without scales"]
ALL_ALIKE = ["every weight is counted as quantised, also those that the config leaves out"]


@pytest.mark.parametrize(
    ("config", "bits", "notes"),
    [
        ({"quant_method": "FP8", "bits": 4}, 8, ALL_ALIKE),
        ({"bits": 1}, 1, NO_SCALES),
        ({"bits": 64}, 64, NO_SCALES),
        ({"bits": 0, "w_bit": 3}, 3, NO_SCALES),
        ({"bits": 65, "nbits": 2}, 2, NO_SCALES),
        ({"bits": True, "load_in_8bit": True}, 8, NO_SCALES),
        ({"bits": "4", "load_in_4bit": True, "load_in_8bit": True}, 4, NO_SCALES),
        ({"bits": 5, "config_groups": {"a": {"weights": {"num_bits": 6}}}}, 5, NO_SCALES),
        (
            {"config_groups": {"a": 1, "b": {"weights": None}, "c": {"weights": {"num_bits": 6}}}},
            6,
            NO_SCALES,
        ),
    ],
)
def test_the_first_number_that_can_be_is_taken(
    config: dict[str, Any], bits: int, notes: list[str]
) -> None:
    assert quantized_bits(config) == (Fraction(bits), notes)


@pytest.mark.parametrize("config", [{}, {"load_in_4bit": 1}, {"config_groups": [1]}])
def test_without_such_a_number_the_method_is_named(config: dict[str, Any]) -> None:
    with pytest.raises(LanescopeError) as caught:
        quantized_bits({"quant_method": "x" * 41, **config})
    assert str(caught.value) == (
        "quantization_config: expected the bits of a weight, found the method "
        f"{'x' * 40!r} without them; give --weight-dtype"
    )
