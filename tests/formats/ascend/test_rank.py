"""Which rank the small files beside a recording tell, and the profiler's own sums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.formats.ascend.rank import rank_of, step_sums
from lanescope.formats.json_file import JsonFile, open_object


def info(folder: Path, **content: Any) -> JsonFile:
    path = folder / "profiler_info.json"
    path.write_text(json.dumps({"start_info": {}, **content}))
    return open_object(path)


@pytest.mark.parametrize(
    ("told", "rank"),
    [(0, 0), ((1 << 31) - 1, (1 << 31) - 1), (1 << 31, 5), (-1, 5), ("3", 5), (None, 5), (2.5, 5)],
)
def test_the_facts_of_the_profiler_count_before_the_name_of_a_file(
    tmp_path: Path, told: Any, rank: int
) -> None:
    """A rank that can be none is not taken."""
    assert rank_of([Path("profiler_info_5.json")], info(tmp_path, rank_id=told)) == rank


def test_facts_without_a_rank_leave_it_to_the_name(tmp_path: Path) -> None:
    assert rank_of([Path("ascend_pytorch_profiler_6.db")], info(tmp_path)) == 6


@pytest.mark.parametrize(
    ("names", "rank"),
    [
        (["profiler_info_0.json"], 0),
        (["profiler_info_123456.json.gz"], 123456),
        (["profiler_info_1234567.json"], None),
        (["ascend_mindspore_profiler_4.db.gz"], 4),
        (["ascend_profiler_4.db"], None),
        (["profiler_info_4.txt", "my_profiler_info_4.json", "profiler_info.json"], None),
        (["profiler_info_4.json", "x.csv", "ascend_pytorch_profiler_4.db"], 4),
        (["profiler_info_4.json", "ascend_pytorch_profiler_5.db"], None),
        ([], None),
    ],
)
def test_the_names_of_files_tell_one_rank_or_none(names: list[str], rank: int | None) -> None:
    assert rank_of([Path("folder") / name for name in names], None) == rank


def test_sums_per_step_are_kept_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "step_trace_time.csv"
    path.write_text("Step,Computing,Communication,Free,Note\n3,2.5,0,1,a\n4,1,0.5,2,b\n")
    assert step_sums(path) == {
        "step_trace_time": {
            "Step": [3.0, 4.0],
            "Computing": [2.5, 1.0],
            "Communication": [0.0, 0.5],
            "Free": [1.0, 2.0],
        }
    }
