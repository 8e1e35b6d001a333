"""What people name as a trace: one in memory, a stored one, another tool's files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace

from lanescope.errors import InputError, UsageError
from lanescope.facade.opening import opened, opened_lazily
from lanescope.trace import save
from lanescope.trace.table import LazyColumns

SMALL = Path(__file__).parents[2] / "examples" / "small_run"


def test_a_trace_in_memory_is_taken_as_it_is() -> None:
    trace = make_trace()
    assert opened(trace) is trace
    assert opened_lazily(trace) is trace


def test_a_stored_trace_and_other_tools_files_are_read(tmp_path: Path) -> None:
    stored = save(opened(str(SMALL)), tmp_path / "run.lanes")
    assert len(opened(stored).tasks) == len(opened(SMALL).tasks) == 129
    assert isinstance(opened_lazily(stored).tasks.columns, LazyColumns)


def test_a_path_that_is_not_there_and_a_folder_of_two_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        opened(tmp_path / "nowhere")
    for name in ("a", "b"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        for file in SMALL.iterdir():
            (tmp_path / "runs" / name / file.name).write_bytes(file.read_bytes())
    with pytest.raises(UsageError, match=r"holds 2 runs \(a, b\); name one of them"):
        opened(tmp_path / "runs")
