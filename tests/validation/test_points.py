"""The scoreboard: what a published point's words mean, fitting, leaving out, and the promises."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.validation.table import point, points
from validation.calibrate import Excluded, Prediction, fit_rate, predict
from validation.h200 import h200_outcomes, read_rows
from validation.inputs import Known, board_of, load_of, shape_of, shared_rate, tokens_per_s
from validation.published import own_outcomes, write_residuals
from validation.reading import read_points
from validation.score import Outcome, interval, scores

from lanescope.model.fit.estimate import estimate

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT.parent / "shared" / "data" / "published"
needs_data = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the shared data is not here")


def one(tmp_path: Path, *others: dict[str, object], **row: object) -> Prediction | Excluded:
    """The first point, predicted from the others."""
    return predict(points(tmp_path, row, *others))[0]


def test_a_rate_is_batch_over_the_time_of_what_streams(tmp_path: Path) -> None:
    found = point(tmp_path, resident_GB=40)
    # 60 GB at 10 GB/s for 10 sequences.
    assert tokens_per_s(found, Known(10e9)) == pytest.approx(10 / 6)
    assert found.family == "partial residency"


def test_a_points_rate_is_what_fit_estimates_of_the_same_inputs(tmp_path: Path) -> None:
    found = point(
        tmp_path, system="A6000 CPU", model="OPT-30B fp16", weights_GB=60, note="prompt 512 gen 32"
    )
    load = load_of(found, Known(18e9))
    rates = estimate(load, board_of(found, load, Known(18e9)))
    assert rates.decode.tokens_per_s is not None
    assert rates.prefill.first_token_s is not None
    decode, prefill = 10 / rates.decode.tokens_per_s.estimate, rates.prefill.first_token_s.estimate
    assert tokens_per_s(found, Known(18e9)) == pytest.approx(320 / (prefill + 31 * decode))
    assert rates.interval_from.group == "weights over the link"


def test_a_links_bandwidth_is_fitted_on_the_other_runs(tmp_path: Path) -> None:
    # Both mean 10 GB/s: 100 GB in 10 s, and 50 GB in 5 s.
    both = points(tmp_path, {"measured": 1}, {"measured": 2, "resident_GB": 50})
    assert fit_rate(both, lambda rate: Known(rate)) == pytest.approx(10e9, rel=1e-6)
    for result, other in zip(predict(both), ("P1", "P0"), strict=True):
        assert isinstance(result, Prediction)
        assert result.fitted_on == (other,)
        assert result.error == pytest.approx(0, abs=1e-6)


def test_a_run_reported_twice_does_not_predict_itself(tmp_path: Path) -> None:
    result = one(tmp_path, {})
    assert isinstance(result, Excluded)
    assert "it would fit itself" in result.reason


def test_known_points_calibrate_others(tmp_path: Path) -> None:
    known = points(tmp_path, {"id": "K", "measured": 2, "resident_GB": 50})
    (result,) = predict(points(tmp_path, {}), known)
    assert isinstance(result, Prediction)
    assert result.fitted_on == ("K",)


def test_a_measured_link_is_taken_as_it_is(tmp_path: Path) -> None:
    result = one(tmp_path, link_GBps=20, link_src="measured read")
    assert isinstance(result, Prediction)
    assert (result.known.link_bytes_per_s, result.fitted_on) == (20e9, ())
    assert isinstance(one(tmp_path, link_GBps=20, link_src="vendor spec"), Excluded)


def test_drives_behind_a_host_are_two_links(tmp_path: Path) -> None:
    row = {"system": "H200 + NVMe RAID0 (AIO bounce buffer)", "link_GBps": 10}
    result = one(tmp_path, **row, link_src="ds_io measured read", model="Llama-3-70B bf16")
    assert isinstance(result, Prediction)
    assert (result.known.storage_bytes_per_s, result.known.link_bytes_per_s) == (10e9, 55e9)
    assert result.group == "weights from storage"
    # 100 GB less the embedding at 10 GB/s, and half of the way to the board.
    copied = 100e9 * (1 - 128256 * 8192 / shape_of("Llama-3-70B").elements)  # type: ignore[union-attr]
    assert 10 / result.predicted == pytest.approx(copied / 10e9 + copied / 55e9 / 2, rel=0.01)
    direct = point(tmp_path, system="H200 + NVMe RAID0 (GDS)")
    assert not direct.through_host


def test_a_time_per_token_is_turned_round_and_a_broken_row_is_excluded(tmp_path: Path) -> None:
    slow, broken = points(
        tmp_path, {"measured": 20, "unit": "s/token"}, {"measured": "fast", "batch": ""}
    )
    assert slow.measured == 0.05
    (result,) = predict([broken])
    assert isinstance(result, Excluded)
    assert result.reason.startswith("its row cannot be read (")


@pytest.mark.parametrize(
    "row",
    [
        {"measured": 0},
        {"measured": -1},
        {"measured": "nan"},
        {"batch": 0},
        {"weights_GB": -5},
        {"resident_GB": -1},
        {"weights_GB": "inf"},
        {"link_GBps": 0, "link_src": "measured"},
        {"link_GBps": -3, "link_src": "measured"},
        {"unit": "furlongs"},
    ],
)
def test_an_impossible_row_is_refused_and_harms_nobody(
    tmp_path: Path, row: dict[str, object]
) -> None:
    fine = {"link_GBps": 20, "link_src": "measured", "system": "other"}
    bad, good = predict(points(tmp_path, row, fine))
    assert isinstance(bad, Excluded)
    assert bad.reason.startswith("its row cannot be read (")
    assert isinstance(good, Prediction)


def test_a_scan_through_a_page_cache_hits_nothing(tmp_path: Path) -> None:
    found = point(tmp_path, resident_GB=90, system="laptop, mmap", batch=1)
    # 100 GB, not 10, per token.
    assert tokens_per_s(found, Known(1e9)) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"model": "Mystery-MoE fp16"}, "how many of them a token uses is not known"),
        ({"weights_GB": ""}, "no size of the weights"),
        ({"model": "Mixtral-8x7B fp16", "resident_GB": 20}, "which experts its software keeps"),
        (
            {
                "model": "Llama-2-70B fp16",
                "system": "A6000 CPU, KV offload",
                "note": "prompt 512 gen 32",
                "link_GBps": 20,
                "link_src": "measured",
            },
            "KV cache of grouped heads",
        ),
        (
            {"model": "LLaMA-7B Q4_0", "resident_GB": 100, "kind": "kv on host"},
            "names no context",
        ),
        (
            {"model": "LLaMA-7B Q4_0", "resident_GB": 100, "kind": "kv on host, ctx=4096"},
            "attention on the host's processor",
        ),
        (
            {
                "model": "OPT-175B fp16",
                "weights_GB": 350,
                "system": "box, limit 1G",
                "link_GBps": 20,
                "link_src": "measured",
            },
            "does not hold one layer",
        ),
        ({"resident_GB": 100, "kind": "resident decode"}, "no bandwidth of its memory"),
    ],
)
def test_what_is_outside_of_the_model_is_refused(
    tmp_path: Path, row: dict[str, object], reason: str
) -> None:
    result = one(tmp_path, **row)
    assert isinstance(result, Excluded)
    assert reason in result.reason


def test_experts_of_another_family_do_not_tell_how_these_are_used(tmp_path: Path) -> None:
    row = {"batch": 1, "kind": "capacity-limited (full-memory speed 30)", "system": "phone"}
    small = {**row, "model": "SmallThinker-4B, limit 1G", "weights_GB": 2.4, "resident_GB": 1.07}
    large = {**row, "model": "SmallThinker-21B, limit 8G", "weights_GB": 12.3}
    other = {**row, "model": "Qwen3-30B-A3B, limit 8G", "weights_GB": 18}
    large["resident_GB"] = other["resident_GB"] = 8.59
    first, second, third = predict(points(tmp_path, small, large, other))
    assert isinstance(first, Prediction)
    assert first.fitted_on == ("P1",)
    assert isinstance(second, Prediction)
    assert isinstance(third, Excluded)
    assert "no other run of this family of models" in third.reason


def test_a_row_that_says_same_follows_its_own_source(tmp_path: Path) -> None:
    measured = {"link_GBps": 10, "link_src": "measured", "source": "blog", "note": "prompt 8 gen 2"}
    first, _, same = points(
        tmp_path,
        {**measured, "system": "H200 + NVMe (GDS)"},
        {"system": "V100", "source": "paper"},
        {**measured, "system": "same, AIO bounce buffer", "note": ""},
    )
    assert (first.device, first.through_host) == ("h200", False)
    assert (same.device, same.through_host, same.prompt_and_generated) == ("h200", True, (8, 2))
    lost = point(tmp_path, system="same, faster", source="nobody")
    assert "which is not here" in lost.problem


def test_an_author_knows_his_own_machine_and_a_data_sheet_does_not(tmp_path: Path) -> None:
    row = {"system": "laptop, NVMe ~1 GB/s, mmap", "batch": 1, "resident_GB": 90, "link_GBps": 1.0}
    stated = one(tmp_path, **row, link_src="author spec")
    assert isinstance(stated, Prediction)
    assert stated.predicted == pytest.approx(0.01)
    assert isinstance(one(tmp_path, **row, link_src="NVMe spec"), Excluded)


def test_a_longer_context_is_slower(tmp_path: Path) -> None:
    row = {"model": "Qwen3.5-27B Q8_0", "weights_GB": 28.6, "resident_GB": 28.6, "batch": 1}
    row |= {"link_GBps": 1792, "link_src": "vendor spec"}
    short, long = predict(
        points(
            tmp_path,
            *({**row, "kind": f"resident, KV growth ctx={context}"} for context in (16384, 131072)),
        )
    )
    assert isinstance(short, Prediction)
    assert isinstance(long, Prediction)
    # 16 layers, 4 heads, 256 wide, keys and values of 2 bytes: 65,536 bytes per token.
    more = 65536 * (131072 - 16384) / (1792e9 * 0.886)
    assert 1 / long.predicted - 1 / short.predicted == pytest.approx(more, rel=0.01)


def test_a_mixture_is_not_read_as_dense(tmp_path: Path) -> None:
    row = {"weights_GB": 18, "resident_GB": 18, "batch": 1, "kind": "resident decode"}
    row |= {"link_GBps": 1000, "link_src": "vendor spec"}
    dense, known, named = predict(
        points(
            tmp_path,
            {**row, "model": "Dense-30B q4"},
            {**row, "model": "Qwen3-30B-A3B q4"},
            {**row, "model": "Other-30B-A3B q4"},
        )
    )
    assert isinstance(dense, Prediction)
    assert isinstance(known, Prediction)
    assert isinstance(named, Prediction)
    assert known.predicted > 3 * dense.predicted
    assert named.predicted > 5 * dense.predicted


@pytest.mark.parametrize(("links", "rate"), [(1, 10), (2, 16), (4, 40 / 1.75)])
def test_parallel_links_slow_each_other_down(links: int, rate: float) -> None:
    assert shared_rate(10, links=links, contention=0.25) == pytest.approx(rate)


def outcome(name: str, log_ratio: float) -> Outcome:
    return Outcome(name, "shown", "resident", 1.0, 1.0, 1.0, log_ratio, (name,), "")


def test_an_interval_never_sees_its_own_measurement() -> None:
    several = [outcome(str(n), n / 10) for n in range(12)]
    found = interval(several[11], several)
    assert found.high == pytest.approx(2.718281828**1.0)
    assert (found.points, found.borrowed) == (11, 0)
    assert scores(several, several)[0].covered == 11


def test_a_group_that_misses_a_promise_says_so() -> None:
    far = [Outcome(str(n), "g", "resident", 1.3, 1.0, 1.1, 0.0, (n,), "") for n in range(4)]
    (score,) = scores(far, far)
    assert score.problems() == [
        "g: mean error 30.0%",
        "g: mean error 30.0%, bytes over bandwidth 10.0%",
    ]


@needs_data
def test_the_promises_hold_on_the_published_points() -> None:
    results = predict(read_points(PUBLISHED / "offload_points.csv"))
    assert sum(isinstance(one, Prediction) for one in results) / len(results) >= 0.80
    assert all(one.reason for one in results if isinstance(one, Excluded))
    outcomes = own_outcomes(
        PUBLISHED / "offload_points.csv", PUBLISHED / "h200_layer_streaming.csv"
    )
    groups = scores(outcomes, outcomes)
    assert [problem for group in groups for problem in group.problems()] == []
    covered = sum(group.covered for group in groups) / len(outcomes)
    assert 0.80 <= covered <= 0.95


@needs_data
def test_the_residuals_that_fit_reads_are_those_of_today(tmp_path: Path) -> None:
    outcomes = own_outcomes(
        PUBLISHED / "offload_points.csv", PUBLISHED / "h200_layer_streaming.csv"
    )
    write_residuals(outcomes, tmp_path / "now.toml")
    stored = ROOT / "src" / "lanescope" / "model" / "fit" / "residuals.toml"
    assert (tmp_path / "now.toml").read_text() == stored.read_text()


@needs_data
def test_layer_streaming_on_an_h200_is_met() -> None:
    outcomes = h200_outcomes(read_rows(PUBLISHED / "h200_layer_streaming.csv"))
    streaming = [one for one in outcomes if "streaming" in one.group]
    assert len(streaming) == 24
    assert sum(abs(one.error) for one in streaming) / 24 <= 0.03


def test_layers_of_other_shapes_are_met() -> None:
    file = ROOT / "validation" / "h200_other_shapes.csv"
    outcomes = h200_outcomes(read_rows(file, group="other layers on an H200"))
    streaming = [one for one in outcomes if one.group == "other layers on an H200"]
    assert len(streaming) == 32
    assert sum(abs(one.error) for one in streaming) / 32 <= 0.03
