"""What the words of a published point mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.validation.table import point, points
from validation.inputs import shape_of


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("OPT-30B fp16", 48),
        ("Llama 2 70B int4", 80),
        ("Llama2-7B", 32),
        ("LLaMA-7B Q4_0 3.56GiB", 32),
        ("Qwen3-30B-A3B q4", 48),
        ("gpt-oss-20b", 24),
        ("OPT-1.3B", 24),
    ],
)
def test_a_models_name_tells_its_shape(name: str, layers: int) -> None:
    shape = shape_of(name)
    assert shape is not None
    assert shape.layers == layers


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("Mixtral-8x7B", 46.7),
        ("DeepSeek-V3", 671),
        ("Qwen3-30B-A3B", 30.5),
        ("gpt-oss-20b", 20.9),
        ("OLMoE-1B-7B", 6.92),
        ("SmallThinker-21B", 21.5),
        ("Gemma-2-27B", 27.2),
        ("Llama-3.1-405B", 405.9),
        ("OPT-175B", 174.6),
    ],
)
def test_a_shape_has_as_many_weights_as_its_model(name: str, billions: float) -> None:
    shape = shape_of(name)
    assert shape is not None
    assert shape.elements == pytest.approx(billions * 1e9, rel=0.01)


def test_a_name_that_only_resembles_tells_none() -> None:
    assert shape_of("LLaMA-7B.5") is None
    assert shape_of("XOPT-30B") is None


@pytest.mark.parametrize(
    ("row", "name", "value"),
    [
        ({"note": "prompt 512 gen 32"}, "prompt_and_generated", (512, 32)),
        ({"note": "all CPU, s=256"}, "prompt_and_generated", (256, 32)),
        ({"kind": "resident, KV growth ctx=8320"}, "context", 8320),
        ({"model": "M-1B Q8_0 @2176 ctx"}, "context", 2176),
        ({"note": "context 16k"}, "context", 16384),
        ({"system": "4x V100 links CPU"}, "links", 4),
        ({"system": "A6000, KV offload"}, "offloads_kv", True),
        ({"system": "A6000, no KV offload", "kind": "weight-stream (+KV)"}, "offloads_kv", False),
        ({"system": "V100 NVMe no-prefetch"}, "overlaps", False),
        ({"system": "V100 NVMe prefetch"}, "medium", "nvme"),
        ({"system": "RTX PRO 6000 Max-Q"}, "device", None),
        ({"model": "Qwen9-30B-A3B"}, "active_share", 0.1),
        ({"kind": "MoE expert cache hit 62.4% (64 reads)"}, "expert_hits", 0.624),
    ],
)
def test_words_of_a_point(tmp_path: Path, row: dict[str, object], name: str, value: object) -> None:
    assert getattr(point(tmp_path, **row), name) == value


def test_percentages_tell_what_lies_on_disk_and_the_next_row_may_leave_them_out(
    tmp_path: Path,
) -> None:
    row = {"kind": "zig-zag block schedule", "system": "T4 16GB, 208GB DRAM, 1.5TB SSD"}
    first, second = points(
        tmp_path, {**row, "note": "0 50 0 0 0 100 (half), s=512"}, {**row, "note": "s=256"}
    )
    assert (first.disk_weight_share, first.disk_kv) == (0.5, True)
    assert (second.disk_weight_share, second.medium) == (0.5, "disk")
