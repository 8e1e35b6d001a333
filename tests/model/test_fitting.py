"""`lanescope.fit` on the example model: the words of the options, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.model.fitting import fit

MODEL = Path(__file__).parents[2] / "examples" / "model_135m.json"


def test_a_model_that_does_not_fit_streams() -> None:
    answer = fit(MODEL, board="nexys_video", weight_dtype="mxfp8", capacity="128M")
    assert answer.regime == "weight-stream"
    assert answer.residency.streamed_bytes == answer.footprint_bytes.total - (128 << 20)
    assert answer.decode.bound_by == "link"
    assert answer.tokens_per_s is not None
    assert answer.interval_from.pool == "streaming"


def test_a_number_means_the_same_as_a_text() -> None:
    texts = fit(MODEL, board="v80", capacity="128M", host_bandwidth="38MB/s", flop_rate="8.9G")
    numbers = fit(MODEL, board="v80", capacity=128 << 20, host_bandwidth=38e6, flop_rate=8.9e9)
    assert texts == numbers
    values = {value.name: value.value for value in numbers.values}
    assert (values["link_bytes_per_s"], values["flop_per_s"]) == (38_000_000, 8_900_000_000)


def test_context_and_batch_make_the_kv_cache() -> None:
    # 30 layers × 2 × 3 heads × 64 elements × tokens × sequences × 2 bytes.
    answer = fit(MODEL, board="h200", context=100, batch=8)
    assert answer.footprint_bytes.kv == 30 * 2 * 3 * 64 * 100 * 8 * 2
    assert (answer.context, answer.batch, answer.regime) == (100, 8, "resident")


def test_a_board_without_arithmetic_or_a_link_is_noted() -> None:
    notes = fit(MODEL, board="nexys_a7").notes
    assert any("names no arithmetic rate" in note for note in notes)
    assert not any("names no link" in note for note in notes)


def test_a_manifest_brings_its_own_cache(tmp_path: Path) -> None:
    regions = [
        {"layer_id": 0, "offset": 0, "size": 1000, "kind": "weight"},
        {"layer_id": 0, "offset": 1000, "size": 500, "kind": "kv"},
    ]
    file = tmp_path / "m.json"
    file.write_text(json.dumps({"regions": regions}))
    answer = fit(file, board="custom_a7", context=77)
    assert answer.footprint_bytes.total == 1500
    assert answer.notes[-2:] == (
        "a manifest tells no shape: every byte is read once per token, arithmetic is not counted",
        "KV cache and activations are the manifest's own; --context is not used",
    )


@pytest.mark.parametrize(("option", "value"), [("context", 0), ("batch", -3)])
def test_a_count_below_1_is_refused_by_its_name(option: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"^--{option}: expected a number from 1 to"):
        fit(MODEL, board="v80", **{option: value})  # type: ignore[arg-type]
