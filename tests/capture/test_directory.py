"""The files of a capture: which belong to which part and process, and their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.capture.directory import (
    SessionNote,
    make_directory,
    part_number,
    part_spool,
    process_directories,
    process_of,
    process_suffixes,
    sole_capture,
    spools,
)
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import OutputError, UsageError

CONFIG = RegionConfig(flags=level_features(1), cores=(Core("aic"),), clock_hz=1_000_000_000)


def test_spools_are_in_the_order_of_their_parts(tmp_path: Path) -> None:
    for name in ("spool-0010", "spool-0002", "spool.1", "spool"):
        (tmp_path / name).touch()
    (tmp_path / "spool-0003").mkdir()
    assert [path.name for path in spools(tmp_path)] == [
        *("spool", "spool.1", "spool-0002", "spool-0010")
    ]
    assert [part_number(part_spool(tmp_path, number)) for number in (1, 2, 99)] == [1, 2, 99]


@pytest.mark.parametrize(
    ("names", "suffixes"),
    [
        (["7-aa"], [""]),
        (["7-aa", "8-bb"], ["-7", "-8"]),
        (["7-aa", "7-bb", "8-cc", "7-dd"], ["-7", "-7-2", "-8", "-7-3"]),
        (["x", "8-bb"], ["-0", "-8"]),
    ],
)
def test_traces_of_several_processes_are_told_apart(names: list[str], suffixes: list[str]) -> None:
    assert process_suffixes([Path(name) for name in names]) == suffixes
    assert process_of(Path("12-0a")) == 12


def test_processes_are_in_the_order_in_which_they_made_their_regions(tmp_path: Path) -> None:
    """A process whose region is gone comes last; one that made none recorded nothing."""
    for name in ("2-bb", "1-aa", "3-cc", "4-dd", ".gone"):
        (tmp_path / name).mkdir()
    for name in ("2-bb", "1-aa", ".gone"):
        create_region(tmp_path / name / "region", CONFIG)
    (tmp_path / "3-cc" / "spool").touch()
    (tmp_path / "session.json").touch()
    assert [path.name for path in process_directories(tmp_path)] == ["2-bb", "1-aa", "3-cc"]
    with pytest.raises(UsageError, match=r"3 processes recorded; .* one of them: 2-bb, 1-aa, 3-cc"):
        sole_capture(tmp_path)
    assert sole_capture(tmp_path / "2-bb") == tmp_path / "2-bb"
    (tmp_path / "5-ee").mkdir()
    (tmp_path / "5-ee" / "region").write_bytes(bytes(10))
    assert process_directories(tmp_path)[0].name == "5-ee", "a header that is cut off has no time"


def test_a_capture_that_is_there_is_never_taken(tmp_path: Path) -> None:
    make_directory(tmp_path / "a.capture", SessionNote("a"))
    with pytest.raises(OutputError, match="holds a capture that was not finished"):
        make_directory(tmp_path / "a.capture", SessionNote("b"))
    assert b'"a"' in (tmp_path / "a.capture" / "session.json").read_bytes()
