"""Which stored traces there are below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.trace import Trace, save
from lanescope.trace.listing import traces_in


def test_traces_are_found_at_every_depth_and_none_inside_another(
    trace: Trace, tmp_path: Path
) -> None:
    for name in ("b.lanes", "a.lanes", "deep/er/c.lanes", "a.lanes/inner.lanes", ".hidden/d.lanes"):
        save(trace, tmp_path / name)
    (tmp_path / "half.lanes").mkdir()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "meta.json").write_text("{}")
    (tmp_path / "linked.lanes").symlink_to(tmp_path / "b.lanes")
    found = [place.key.removeprefix(f"{tmp_path}/") for place in traces_in(tmp_path)]
    assert found == ["a.lanes", "b.lanes", "deep/er/c.lanes", "linked.lanes"]


def test_a_trace_lists_itself(trace: Trace, tmp_path: Path) -> None:
    path = save(trace, tmp_path / "a.lanes")
    assert [place.local for place in traces_in(path)] == [path]


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: cannot be listed \(No such file or directory\)"):
        traces_in(tmp_path / "none")
