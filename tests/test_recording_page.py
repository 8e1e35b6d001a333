"""docs/recording.md: its tables and pictures of bytes agree with the compiled layouts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanescope.capture import spool
from lanescope.device.layouts import constants, layout
from lanescope.trace.flags import Feature

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "recording.md").read_text()


def ruler(title: str) -> list[int]:
    """The offsets above the picture that begins with `title`."""
    found = re.search(rf"^{title}\b.*\n([ \d]+)\n┌", PAGE, re.MULTILINE)
    assert found, title
    return [int(number) for number in found[1].split()]


@pytest.mark.parametrize("struct", ["ls_core_task", "ls_controller_task", "ls_pmu"])
def test_the_records_lie_as_drawn(struct: str) -> None:
    fields = layout(struct).fields
    assert fields is not None
    assert ruler(struct) == [
        *sorted(field[1] for field in fields.values()),
        layout(struct).itemsize,
    ]


def test_the_buffers_header_lies_as_drawn() -> None:
    fields = layout("ls_buffer").fields
    assert fields is not None
    used = sorted(field[1] for field in fields.values())
    assert ruler("ls_buffer") == [*used, used[-1] + 8, layout("ls_buffer").itemsize]


def test_the_frame_lies_as_drawn() -> None:
    assert ruler("frame") == [0, 4, 8, 16, 24, 28, spool._FRAME.size]
    assert "".join(re.findall(r"[A-Za-z]", spool._FRAME.format)) == "IIQQII"


def test_the_kinds_of_record_are_as_large_as_said() -> None:
    rows = re.findall(
        r"^\| [a-z ]+ \| [a-z ]+ \| (?:\d|`--pmu`) \| (\d+) \| `(ls_\w+)` \|$", PAGE, re.MULTILINE
    )
    assert len(rows) == constants()["LS_KIND_COUNT"]
    assert [(size, layout(name).itemsize) for size, name in rows] == [
        (str(layout(name).itemsize), layout(name).itemsize) for _, name in rows
    ]


def test_the_feature_bits_are_those_of_the_header() -> None:
    rows = re.findall(r"^\| (\d) \| (\w+) \| (\d?) ?\|", PAGE, re.MULTILINE)
    assert [(int(bit), name.upper()) for bit, name, _ in rows] == [
        (feature.bit_length() - 1, feature.name) for feature in Feature
    ]


def test_the_files_it_names_exist() -> None:
    for target in re.findall(r"\]\((\.\./[^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).resolve().exists()
