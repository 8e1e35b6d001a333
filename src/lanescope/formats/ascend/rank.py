"""What small files beside a recording say: which rank it is of, and the profiler's own sums."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lanescope.formats.csv_columns import read_columns
from lanescope.formats.json_file import JsonFile

_NUMBERED = re.compile(r"(?:profiler_info|ascend_\w+_profiler)_(\d{1,6})\.(?:json|db)(?:\.gz)?")
_LARGEST = 1 << 31


def rank_of(paths: list[Path], info: JsonFile | None) -> int | None:
    """The rank that the profiler's facts or the name of a file tell."""
    if info is not None and "rank_id" in info:
        rank = info.decode("rank_id", object)
        if isinstance(rank, int) and 0 <= rank < _LARGEST:
            return rank
    found = [_NUMBERED.fullmatch(path.name) for path in paths]
    ranks = {int(one[1]) for one in found if one is not None}
    return ranks.pop() if len(ranks) == 1 else None


def step_sums(path: Path) -> dict[str, Any]:
    """`step_trace_time.csv` as it is: sums per step that the profiler made itself, in us."""
    columns = read_columns(path)
    names = [name for name in columns.columns if columns.has_number(name)]
    values = {name: columns.numbers(name).tolist() for name in names}
    return {"step_trace_time": values}
