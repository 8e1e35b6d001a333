"""The scoreboard: what a published point's words mean, fitting, leaving out, and the promises."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from validation.h200 import h200_outcomes
from validation.offload import Excluded, Prediction, fit_link, predict
from validation.points import COLUMNS, Point, read_points
from validation.rate import tokens_per_s
from validation.score import Outcome, interval, scores

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "published"
needs_data = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the shared data is not here")


def points(tmp_path: Path, *rows: dict[str, object]) -> list[Point]:
    file = tmp_path / "points.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        for number, row in enumerate(rows):
            base: dict[str, object] = dict.fromkeys(COLUMNS, "")
            base |= {"id": f"P{number}", "system": "box", "model": "M-1B fp16", "weights_GB": 100}
            base |= {"resident_GB": 0, "batch": 10, "measured": 1, "kind": "weight-stream"}
            writer.writerow({**base, **row})
    return read_points(file)


def test_a_rate_is_batch_over_the_time_of_what_streams(tmp_path: Path) -> None:
    (point,) = points(tmp_path, {"resident_GB": 40})
    # 60 GB at 10 GB/s for 10 sequences.
    assert tokens_per_s(point, 10e9) == pytest.approx(10 / 6)
    assert point.family == "partial residency"


def test_a_links_bandwidth_is_fitted_on_the_other_runs(tmp_path: Path) -> None:
    # Both mean 10 GB/s: 100 GB in 10 s, and 50 GB in 5 s.
    both = points(tmp_path, {"measured": 1}, {"measured": 2, "resident_GB": 50})
    assert fit_link(both) == pytest.approx(10e9, rel=1e-6)
    for result, other in zip(predict(both), ("P1", "P0"), strict=True):
        assert isinstance(result, Prediction)
        assert result.fitted_on == (other,)
        assert result.error == pytest.approx(0, abs=1e-6)


def test_a_run_reported_twice_does_not_predict_itself(tmp_path: Path) -> None:
    twice = points(tmp_path, {}, {})
    for result in predict(twice):
        assert isinstance(result, Excluded)
        assert "it would fit itself" in result.reason


def test_known_points_calibrate_others(tmp_path: Path) -> None:
    known = points(tmp_path, {"id": "K", "measured": 2, "resident_GB": 50})
    (result,) = predict(points(tmp_path, {}), known)
    assert isinstance(result, Prediction)
    assert result.fitted_on == ("K",)


def test_a_measured_link_is_taken_as_it_is(tmp_path: Path) -> None:
    (result,) = predict(points(tmp_path, {"link_GBps": 20, "link_src": "measured read"}))
    assert isinstance(result, Prediction)
    assert (result.link_bytes_per_s, result.fitted_on) == (20e9, ())
    (spec,) = predict(points(tmp_path, {"link_GBps": 20, "link_src": "vendor spec"}))
    assert isinstance(spec, Excluded)


def test_a_time_per_token_is_turned_round_and_a_broken_row_is_excluded(tmp_path: Path) -> None:
    slow, broken = points(
        tmp_path, {"measured": 20, "unit": "s/token"}, {"measured": "fast", "batch": ""}
    )
    assert slow.measured == 0.05
    (result,) = predict([broken])
    assert isinstance(result, Excluded)
    assert result.reason.startswith("its row cannot be read (")


def test_a_scan_through_a_page_cache_hits_nothing(tmp_path: Path) -> None:
    (point,) = points(tmp_path, {"resident_GB": 90, "system": "laptop, mmap", "batch": 1})
    # 100 GB, not 10, per token.
    assert tokens_per_s(point, 1e9) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("row", "name", "value"),
    [
        ({"note": "prompt 512 gen 32"}, "prompt_and_generated", (512, 32)),
        ({"note": "all CPU, s=256"}, "prompt_and_generated", (256, 32)),
        ({"system": "4x V100 links CPU"}, "links", 4),
        ({"system": "A6000, KV offload"}, "offloads_kv", True),
        ({"system": "A6000, no KV offload", "kind": "weight-stream (+KV)"}, "offloads_kv", False),
        ({"system": "V100 NVMe no-prefetch"}, "overlaps", False),
        ({"system": "V100 NVMe prefetch"}, "medium", "nvme"),
        ({"model": "SmallThinker-4B (2.24 GiB)"}, "active_share", 0.15),
    ],
)
def test_words_of_a_point(tmp_path: Path, row: dict[str, object], name: str, value: object) -> None:
    (point,) = points(tmp_path, row)
    assert getattr(point, name) == value


def test_percentages_tell_what_lies_on_disk_and_the_next_row_may_leave_them_out(
    tmp_path: Path,
) -> None:
    row = {"kind": "zig-zag block schedule", "system": "T4 16GB, 208GB DRAM, 1.5TB SSD"}
    first, second = points(
        tmp_path, {**row, "note": "0 50 0 0 0 100 (half), s=512"}, {**row, "note": "s=256"}
    )
    assert (first.disk_weight_share, first.disk_kv) == (0.5, True)
    assert (second.disk_weight_share, second.medium) == (0.5, "disk")


def outcome(name: str, log_ratio: float) -> Outcome:
    return Outcome(name, "resident", 1.0, 1.0, 1.0, log_ratio, (name,), "")


def test_an_interval_never_sees_its_own_measurement() -> None:
    several = [outcome(str(n), n / 10) for n in range(5)]
    low, high = interval(several[4], several)
    assert (low, high) == (pytest.approx(1.0), pytest.approx(2.718281828**0.3))
    assert scores(several, several)[0].covered == 3


@needs_data
def test_the_promises_hold_on_the_published_points() -> None:
    from statistics import median

    results = predict(read_points(PUBLISHED / "offload_points.csv"))
    judged = ("weight streaming", "weight streaming with KV", "partial residency")
    found = [r for r in results if isinstance(r, Prediction) and r.point.family in judged]
    assert len(found) >= 20
    assert median(abs(one.error) for one in found) <= 0.10
    excluded = [r for r in results if isinstance(r, Excluded)]
    assert all(one.reason for one in excluded)


@needs_data
def test_layer_streaming_on_an_h200_is_met_without_fitting_anything() -> None:
    from statistics import median

    outcomes = h200_outcomes(PUBLISHED / "h200_layer_streaming.csv")
    streaming = [one for one in outcomes if "streaming" in one.group]
    assert len(streaming) == 24
    assert median(abs(one.error) for one in streaming) <= 0.05


def test_layers_measured_after_the_model_was_written_are_met() -> None:
    from statistics import median

    file = Path(__file__).parents[2] / "validation" / "h200_other_shapes.csv"
    outcomes = h200_outcomes(file, group="other layers on an H200")
    streaming = [one for one in outcomes if one.group == "other layers on an H200"]
    assert len(streaming) == 32
    assert median(abs(one.error) for one in streaming) <= 0.05
