"""Files that real runs left behind: each becomes a page that holds its tasks."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from lanescope.formats import import_paths
from lanescope.reports.plots import plots
from lanescope.viewer import write_page
from lanescope.viewer.book import WHOLE, Book
from lanescope.viewer.columns import unpack

DATA = Path(__file__).parents[2] / "../shared/data/chip-swimlane"


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_every_run_becomes_a_page_and_pictures() -> None:
    traces = import_paths([DATA])
    assert traces
    for trace in traces:
        table = Book(trace).tables(WHOLE)["tasks"]
        columns = {column.name: unpack(column) for column in table.columns}
        ran = np.flatnonzero(trace.ran())
        assert table.rows == len(ran), trace.meta.name
        if len(ran):
            assert np.array_equal(np.sort(columns["row"]), ran)
            assert np.array_equal(columns["start"], trace.tasks["start_ns"][columns["row"]])
        summary = write_page([trace], io.BytesIO())
        assert summary.slices >= len(ran)
        plots(trace)
