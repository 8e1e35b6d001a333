"""Which folders and tables are an export, by names alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.formats.nsys.kinds import is_export, is_parquet_export, projection_file


@pytest.mark.parametrize(
    "name", ["CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS", "META_DATA_EXPORT", "TARGET_INFO_GPU"]
)
def test_strings_and_one_table_of_the_tool_are_an_export(name: str) -> None:
    assert is_export(frozenset({"StringIds", name}))
    assert not is_export(frozenset({"Strings", name}))
    assert not is_export(frozenset({"StringIds", f"MY_{name}"}))


def test_a_folder_is_known_by_its_parquet_files(tmp_path: Path) -> None:
    assert not is_parquet_export(tmp_path)
    (tmp_path / "NVTX_EVENTS.parquet").touch()
    (tmp_path / "StringIds.csv").touch()
    assert not is_parquet_export(tmp_path)
    (tmp_path / "StringIds.parquet").touch()
    assert is_parquet_export(tmp_path)
    assert not is_parquet_export(tmp_path / "absent")


def test_ranges_of_nsys_jax_lie_in_the_folder_or_in_one_of_their_own(tmp_path: Path) -> None:
    assert projection_file(tmp_path) is None
    inner = tmp_path / "nvtx_gpu_proj_trace" / "trace.parquet"
    inner.parent.mkdir()
    assert projection_file(tmp_path) is None
    inner.touch()
    assert (projection_file(tmp_path), is_parquet_export(tmp_path)) == (inner, True)
    outer = tmp_path / "nvtx_gpu_proj_trace.parquet"
    outer.touch()
    assert projection_file(tmp_path) == outer
