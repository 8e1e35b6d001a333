"""`lanescope.fit` on the example model: the words of the options, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.model.fit.small import LOAD, SHAPE, board

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.boards import load_board
from lanescope.model.fitting import _notes, fit, read_compute
from lanescope.model.manifest.source import ModelDescription

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


def described(*, complete: bool = False) -> ModelDescription:
    return ModelDescription("m", "a form", (), None, (), complete)


NO_LINK = "the board test names no link to the host (--host-bandwidth)"
NO_SHAPE = "a form tells no shape: every byte is read once per token, arithmetic is not counted"
EXPERTS = (
    "the experts used most are kept, and how unevenly they are used was fitted on another family "
    "of models; the slow end of the intervals uses them evenly"
)
OWN_CACHE = "KV cache and activations are the manifest's own; --context is not used"


@pytest.mark.parametrize(
    ("capacity", "experts", "notes"),
    [(1009, 2, [EXPERTS]), (1010, 2, []), (1009, 1, [])],
    ids=["one byte of weights streams", "no weight streams", "a dense model"],
)
def test_experts_over_the_link_are_noted(capacity: int, experts: int, notes: list[str]) -> None:
    load = replace(LOAD, shape=replace(SHAPE, experts=experts))
    assert _notes(load, board(capacity), described()) == notes


def test_what_the_figures_leave_out_is_a_sentence_each() -> None:
    assert _notes(LOAD, board(500), described()) == [NO_SHAPE]
    assert _notes(LOAD, board(500, link=None), described(complete=True)) == [
        NO_LINK,
        NO_SHAPE,
        OWN_CACHE,
    ]


@pytest.mark.parametrize(
    ("rate", "value"),
    [
        ("8.9G", 8_900_000_000),
        ("1.3e9", 1_300_000_000),
        ("21.2Tflop/s", 21_200_000_000_000),
        (" 3k ", 3_000),
        ("3 K", 3_000),
        ("5Mflops", 5_000_000),
        ("7FLOPS", 7),
        ("4op/s", 4),
        ("1000P", 10**18),
        ("2E+03", 2_000),
        ("1.9", 1),
        (1, 1),
        (2.5e9, 2_500_000_000),
    ],
)
def test_an_arithmetic_rate_is_a_number_with_a_power_of_a_thousand(
    rate: str | float, value: int
) -> None:
    assert read_compute(rate) == value


@pytest.mark.parametrize("rate", ["0.9", "1000.1P", "8.9Gflop", "8.9GB/s", "G", "1e100"])
def test_a_rate_beyond_what_there_is_is_refused_in_full(rate: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_compute(rate)
    assert str(refused.value) == (
        "--compute: expected operations per second like 8.9G or 21.2T, from 1 to 1e18, found "
        f"{rate!r}"
    )


def test_of_a_long_rate_forty_characters_are_shown() -> None:
    with pytest.raises(UsageError, match=f"found '{'x' * 40}'$"):
        read_compute("x" * 41)


def test_the_policies_share_what_cache_and_activations_leave() -> None:
    answer = fit(MODEL, board="nexys_video", weight_dtype="mxfp8", capacity="128M", compute="1G")
    sizes = answer.footprint_bytes
    left = (128 << 20) - sizes.kv - sizes.activation
    assert answer.policies_bytes_per_pass["pinned"] == sizes.weight - left
    none = fit(MODEL, board="nexys_video", weight_dtype="mxfp8", capacity=1, compute="1G")
    assert set(none.policies_bytes_per_pass.values()) == {sizes.weight}
    assert none.capacity_bytes == 1


def test_a_board_that_is_better_than_its_peak_fits_nothing() -> None:
    video = load_board("nexys_video")
    faster = msgspec.structs.replace(
        video.memory,
        effective_bytes_per_s=msgspec.structs.replace(
            video.memory.peak_bytes_per_s, value=2_000_000_000
        ),
    )
    with pytest.raises(LanescopeError, match=r"an efficiency of 1\.25; no figure is given"):
        fit(MODEL, board=msgspec.structs.replace(video, memory=faster))


@pytest.mark.parametrize("option", ["mlen", "blen", "vlen"])
def test_a_size_of_the_core_below_1_is_refused_by_its_name(option: str) -> None:
    with pytest.raises(UsageError) as refused:
        fit(MODEL, board="nexys_video", **{option: 0})  # type: ignore[arg-type]
    sentence = f"--{option}: expected a number from 1 to 1,000,000,000, found 0"
    assert str(refused.value) == sentence


def test_options_of_a_core_are_named_where_no_core_takes_them() -> None:
    note = "--settings, --mlen, --blen: not used, the board h200 has no core to schedule"
    given = fit(MODEL, board="h200", settings="none.toml", mlen=64, blen=4)
    assert given.notes[-1:] == (note,)
    assert fit(MODEL, board="nexys_video", mlen=64).notes == ()
    assert fit(MODEL, board="h200").notes == ()
