"""What exporters and importers say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace

from lanescope.formats.available import exporter, importer
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected


@pytest.mark.parametrize(
    ("name", "place"), [("run", "run.kanata"), ("a/b", "a_b.kanata"), ("..", "trace.kanata")]
)
def test_an_output_that_nobody_named_lies_here_under_the_traces_name(name: str, place: str) -> None:
    assert exporter("kanata").default_path(make_trace({"name": name})) == Path(place)


def test_the_main_kind_of_an_importer_is_its_name_unless_it_says_another() -> None:
    assert importer("kanata").main_kinds == ("kanata",)
    assert importer("simpler").main_kinds == ("records",)


def test_a_run_is_a_folder_where_files_can_complete_it() -> None:
    assert importer("simpler").run_is_folder
    assert not importer("kanata").run_is_folder


def test_sources_are_listed_main_file_first_and_what_there_are_several_of_last() -> None:
    one, two, three, four = (Detected(Path(name), None, name, bytes=3) for name in "abcd")
    bundle = Bundle(name="x", files={"a": one, "b": two}, several={"c": (three, four), "d": ()})
    assert [(source.path, source.format, source.bytes) for source in bundle.sources()] == [
        ("a", "a", 3),
        ("b", "b", 3),
        ("c", "c", 3),
        ("d", "d", 3),
    ]
    assert bundle.main is one
