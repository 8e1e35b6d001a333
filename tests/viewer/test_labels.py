"""Labels of traces: as short as they can be and still differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.viewer.traces import small

import lanescope
from lanescope.trace import save
from lanescope.viewer.labels import labels_of


@pytest.mark.parametrize(
    ("names", "places", "labels"),
    [
        (["one", "two"], ["/a/x.lanes", "/b/x.lanes"], ["one", "two"]),
        (["run", "run"], ["/a/run.lanes", "/b/run.lanes"], ["a/run", "b/run"]),
        (["run", "run"], ["/a/old.lanes", "/a/new.lanes"], ["old", "new"]),
        (
            ["run", "run", "x"],
            ["/j/a/b/run.lanes", "/j/c/b/run.lanes", None],
            ["a/b/run", "c/b/run", "x"],
        ),
        (["run", "run"], ["/b/run", "/a/b/run"], ["run", "a/b/run"]),
        (["run", "run"], ["/a/run.lanes", "/a/run.lanes"], ["run", "run"]),
        (["run", "run"], [None, None], ["run", "run"]),
        (["run", "run"], ["s3://k/a/run", "s3://k/b/run"], ["a/run", "b/run"]),
        (["run", "run"], ["C:\\a\\run", "C:\\b\\run"], ["a/run", "b/run"]),
        ([], [], []),
    ],
)
def test_labels(names: list[str], places: list[str | None], labels: list[str]) -> None:
    assert labels_of(names, places) == labels


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        save(small(), tmp_path / folder / "run.lanes")
    files = [tmp_path / folder / "run.lanes" for folder in ("before", "after")]
    page = lanescope.view(*files).html.decode()
    assert "<title>before/run and after/run · lanescope</title>" in page
