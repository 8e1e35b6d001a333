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
    assert answer.decode.step.bound_by == "link"
    assert answer.decode.tokens_per_s is not None
    assert answer.interval_from.group == "weights over the link"


def test_a_number_means_the_same_as_a_text() -> None:
    texts = fit(MODEL, board="v80", capacity="128M", host_bandwidth="38MB/s", compute="8.9G")
    numbers = fit(MODEL, board="v80", capacity=128 << 20, host_bandwidth=38e6, compute=8.9e9)
    assert texts == numbers
    values = {value.name: value.value for value in numbers.values}
    assert (values["link_bytes_per_s"], values["flop_per_s"]) == (38_000_000, 8_900_000_000)


def test_context_and_batch_make_the_kv_cache() -> None:
    # 30 layers × 2 × 3 heads × 64 elements × tokens × sequences × 2 bytes.
    answer = fit(MODEL, board="h200", context=100, batch=8)
    assert answer.footprint_bytes.kv == 30 * 2 * 3 * 64 * 100 * 8 * 2
    assert (answer.context, answer.batch, answer.regime) == (100, 8, "resident")


def test_a_board_without_arithmetic_or_a_link_is_noted() -> None:
    answer = fit(MODEL, board="u55c")
    assert answer.decode.most_tokens_per_s is not None
    assert "give --compute RATE" in (answer.prefill.reason or "")
    assert not any("names no link" in note for note in answer.notes)


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


def test_a_first_token_is_not_faster_than_its_own_arithmetic() -> None:
    answer = fit(MODEL, board="nexys_video", compute="1.3G")
    first, step = answer.prefill.first_token_s, answer.prefill.step
    assert first is not None
    assert step is not None
    assert first.low >= 0.7 * step.compute_s
    assert first.estimate > 400


def test_weights_from_storage_and_a_cache_on_the_host() -> None:
    near = fit(MODEL, board="h200", capacity="64M")
    far = fit(MODEL, board="h200", capacity="64M", storage="2GB/s")
    assert far.interval_from.group == "weights from storage"
    assert far.decode.step.storage_s > near.decode.step.link_s > 0
    assert far.decode.tokens_per_s is not None
    assert near.decode.tokens_per_s is not None
    assert far.decode.tokens_per_s.estimate < near.decode.tokens_per_s.estimate
    host = fit(MODEL, board="h200", kv_on_host=True)
    assert host.decode.tokens_per_s is None
    assert "attention on the host's processor" in (host.decode.reason or "")


def test_options_of_a_core_are_never_silently_left_out() -> None:
    with pytest.raises(UsageError, match=r"^--mlen is of a core's schedule, which --compute"):
        fit(MODEL, board="nexys_video", mlen=64, compute="1G")
    assert any(
        note.startswith("--cost-source, --vlen: not used")
        for note in fit(MODEL, board="h200", vlen=64, cost_source="rtl").notes
    )


def test_a_memory_of_one_byte_is_refused_with_its_reason() -> None:
    answer = fit(MODEL, board="nexys_video", capacity=1)
    assert "does not hold one layer" in (answer.decode.reason or "")


@pytest.mark.parametrize("rate", ["0", "-1G", "fast", "1e30", "nan", ""])
def test_an_impossible_arithmetic_rate_is_refused(rate: str) -> None:
    with pytest.raises(UsageError, match=r"^--compute: expected operations per second like"):
        fit(MODEL, board="v80", compute=rate)


def test_the_arithmetic_of_a_core_is_that_of_predict() -> None:
    from lanescope.model.boards import load_board
    from lanescope.model.fit.compute import core_compute
    from lanescope.model.manifest.source import open_model

    answer = fit(MODEL, board="nexys_video", blen=16)
    shape = open_model(MODEL).shape
    assert shape is not None
    core = core_compute(load_board("nexys_video"), shape=shape, batch=1, context=2048, blen=16)
    assert core is not None
    assert answer.prefill.step is not None
    assert answer.prefill.step.compute_s == pytest.approx(core.prefill_s)
    assert answer.decode.step.compute_s == pytest.approx(core.decode_s)
    assert answer.compute_source == core.source
