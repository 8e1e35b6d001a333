"""core_streams.json by hand: clocks by kind of core, names of marks, and their limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.formats.chip6.about import StreamsAbout
from lanescope.formats.chip6.clock import hertz
from lanescope.formats.chip6.kinds import is_about, is_core_stream
from lanescope.formats.json_file import open_object


def about(folder: Path, **content: Any) -> StreamsAbout:
    file = folder / "core_streams.json"
    file.write_text(json.dumps({"core_mhz": 1650, **content}))
    assert is_about(open_object(file))
    return StreamsAbout.read(open_object(file))


def test_one_clock_holds_for_all_kinds_and_a_kinds_own_comes_first(tmp_path: Path) -> None:
    one = about(tmp_path)
    assert one.core_hz == {"": 1_650_000_000} and one.counter_hz is None
    assert one.clocks("aiv", 50_000_000).core_hz == 1_650_000_000
    two = about(tmp_path, core_mhz={"aic": 1500, "": 900}, counter_mhz=50)
    assert two.clocks("aic", 50_000_000).core_hz == 1_500_000_000
    assert two.clocks("aiv", 50_000_000).core_hz == 900_000_000


@pytest.mark.parametrize(
    ("kind", "counter_hz", "sentence"),
    [
        ("aiv", 50_000_000, "'core_mhz' has no clock for cores of kind aiv; add it"),
        ("", 50_000_000, "'core_mhz' has no clock for cores whose kind is not known; add it"),
        ("aic", None, "the records beside it have no counter values, so streams have no tasks"),
        ("aic", 10, "says that stamps count at 50000000 Hz, but the records beside it count at 10"),
    ],
)
def test_a_stream_without_clocks_is_refused(
    tmp_path: Path, kind: str, counter_hz: int | None, sentence: str
) -> None:
    told = about(tmp_path, core_mhz={"aic": 1500}, counter_mhz=50)
    with pytest.raises(InputError, match=sentence):
        told.clocks(kind, counter_hz)


@pytest.mark.parametrize(
    ("key", "most"), [("regions", 1024), ("instructions", 512), ("marks", 4096)]
)
def test_names_have_numbers_below_a_limit(tmp_path: Path, key: str, most: int) -> None:
    names = about(tmp_path, **{key: {"0": "a", str(most - 1): "b"}}).names
    assert getattr(names, key) == {0: "a", most - 1: "b"}
    for number in (str(most), "-1", "x", "00001"):
        with pytest.raises(InputError, match=f"{key!r}: expected numbers below {most}, found"):
            about(tmp_path, **{key: {number: "a"}})


def test_a_name_has_at_most_4096_characters(tmp_path: Path) -> None:
    assert about(tmp_path, marks={"1": "x" * 4096}).names.marks == {1: "x" * 4096}
    with pytest.raises(InputError, match="the name of 1 has 4097 characters, above 4096"):
        about(tmp_path, marks={"1": "x" * 4097})


def test_another_key_makes_it_another_file(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"core_mhz": 1, "more": 2}')
    assert not is_about(open_object(file))
    file.write_text('{"regions": {}}')
    assert not is_about(open_object(file))


@pytest.mark.parametrize(
    ("text", "hz"), [("1650", 1_650_000_000), ("0.000001", 1), ("1850.5", 1_850_500_000),
                     ("1000000", 10**12)]
)  # fmt: skip
def test_a_clock_is_megahertz(text: str, hz: int) -> None:
    assert hertz(text) == hz


@pytest.mark.parametrize(
    "text", ["0", "-1", "0.0000001", "1.0000005", "1000000.000001", "inf", "nan", "fast", ""]
)
def test_a_clock_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        hertz(text)
    assert str(caught.value) == f"expected a clock like 1650 or 1850.5, found {text!r}"


@pytest.mark.parametrize("key", ["core_mhz", "counter_mhz"])
def test_a_wrong_clock_is_told_with_its_key(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError) as caught:
        about(tmp_path, **{key: -1.5})
    assert str(caught.value) == (
        f"{tmp_path / 'core_streams.json'}: {key!r}: expected a clock like 1650 or 1850.5, found "
        "'-1.5'"
    )


def test_clocks_that_nobody_can_relate_are_refused(tmp_path: Path) -> None:
    told = about(tmp_path)
    with pytest.raises(InputError) as caught:
        told.clocks("aic", 0)
    assert caught.value.problem == "the counter clock must be positive, found 0 Hz"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("core_7.chip6", True),
        ("x.chip6.gz", True),
        ("x.chip6.zst", True),
        ("x.chip6.zip", False),
        ("chip6", False),
        ("x.chip6.txt", False),
    ],
)
def test_a_stream_of_a_core_is_told_by_its_ending(name: str, is_one: bool) -> None:
    assert is_core_stream(Path(name)) is is_one
