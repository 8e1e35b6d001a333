"""Without a GPU: what is refused and how, and the bytes that kernels would get."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

import lanescope.cuda
from lanescope.cuda import driver
from lanescope.cuda.handle import handle_block
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import UsageError
from lanescope.native import library


def without_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)


def test_without_the_driver_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    without_driver(monkeypatch)
    with pytest.raises(UsageError) as found:
        lanescope.cuda.record()
    assert str(found.value) == (
        "recording on a GPU needs NVIDIA's driver (libcuda.so.1), which this machine does not "
        "have; run it where the GPU is, or use --platform threads or a simulated chip"
    )
    assert found.value.exit_code == 2


@pytest.mark.parametrize("level", [0, 2, 4])
def test_other_levels_are_refused(level: int) -> None:
    with pytest.raises(UsageError, match=f"expected level 1, found {level}"):
        lanescope.cuda.record(level=level)


def test_the_handle_says_where_everything_is(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * 3,
        pipes=2,
        buffer_records=20,
        buffers=4,
        clock_hz=1_000_000_000,
        host_lost_s=2.0,
    )
    head = create_region(tmp_path / "region", config).head
    block = np.frombuffer(handle_block(head, 1 << 40, 77), np.uint8)
    kind = layout("ls_handle")
    handle = block[: kind.itemsize].view(kind)[0]
    lanes = block[kind.itemsize :].view(layout("ls_handle_lane"))
    assert (int(handle["region"]), int(handle["buffer_records"])) == (1 << 40, 16)
    assert (int(handle["core_count"]), int(handle["pipe_count"])) == (3, 2)
    assert int(handle["host_lost_ns"]) == 2_000_000_000
    assert int(handle["marks"]) == 0
    assert lanes["index"].tolist() == list(range(6))
    assert set(lanes["handle"].tolist()) == {77}
    strides = np.diff(head.lanes["buffers"].astype(np.int64))
    assert set(strides.tolist()) == {4 * int(handle["buffer_stride"])}
