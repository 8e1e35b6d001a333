"""A trace drawn in pieces: how much was written is told, and the pieces are the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.formats.perfetto import draw as drawing
from lanescope.formats.perfetto import write_perfetto
from lanescope.formats.written import DrawnExport


def test_pieces_are_told_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three bars are six begins and ends; the series has two samples."""
    told: list[tuple[str, int]] = []

    @contextmanager
    def counting(what: str, count: int) -> Iterator[Callable[[int], None]]:
        told.append((what, count))
        yield lambda rows: told.append(("written", rows))

    trace = make_trace(
        tasks=[task(0, None, None, 10 * k, 10 * k + 5, None, task=k) for k in range(3)],
        counters=[{"name": "watts", "value": 1.0, "time_ns": time} for time in (1, 2)],
    )
    whole = write_perfetto(trace, tmp_path / "a.pftrace")
    monkeypatch.setattr(drawing, "counting", counting)
    monkeypatch.setattr(drawing, "_CHUNK_ROWS", 4)
    pieces = write_perfetto(trace, tmp_path / "b.pftrace")
    assert told == [("writing bars", 6), ("written", 4), ("written", 2), ("", 2), ("written", 2)]
    assert (tmp_path / "a.pftrace").read_bytes() == (tmp_path / "b.pftrace").read_bytes()
    assert (whole.slices, pieces.slices) == (3, 3)


def test_what_was_drawn_is_counted_over_all_views(tmp_path: Path) -> None:
    trace = make_trace(
        tasks=[task(0, 0, None, 5, 9, 12, task=1), task(1, 3, None, 10, 15, 20, task=2)],
        phases=[{"lane": "scheduler", "controller": 0, "kind": "loop", "start_ns": 0, "end_ns": 3}],
        edges=[{"pred": 1, "succ": 2}, {"pred": 2, "succ": 1}],
    )
    path = tmp_path / "a.pftrace"
    assert write_perfetto(trace, path) == DrawnExport(
        output=str(path),
        format="perfetto",
        slices=5,
        lanes=5,
        arrows=1,
        arrows_not_drawn=1,
        bytes=path.stat().st_size,
    )
