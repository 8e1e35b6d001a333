"""docs/recording.md: its tables and pictures of bytes agree with the compiled layouts."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import lanescope
from lanescope.capture import spool
from lanescope.cli import main
from lanescope.device.layouts import constants, layout
from lanescope.trace.flags import Feature

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "recording.md").read_text()


def ruler(title: str) -> list[int]:
    """The offsets above the picture that begins with `title`."""
    found = re.search(rf"^{title}\b.*\n([ \d]+)\n┌", PAGE, re.MULTILINE)
    assert found, title
    return [int(number) for number in found[1].split()]


@pytest.mark.parametrize(
    "struct",
    [
        *("ls_core_task", "ls_controller_task", "ls_pmu", "ls_burst"),
        *("ls_edge", "ls_host_phase", "ls_tensor"),
    ],
)
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
        r"^\| [a-zA-Z ]+ \| [a-z ]+ \| (?:\d|`--[a-z-]+`) \| (\d+) \| `(ls_\w+)` \|$",
        PAGE,
        re.MULTILINE,
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


def test_the_section_on_values_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _, section = PAGE.split("## 11. The values themselves\n")
    [console] = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    for command in re.findall(r"^\$ lanescope (.*)$", console, re.MULTILINE):
        assert main(shlex.split(command)) == 0
    assert "a.npy: float16 [256, 1024]\n" in capsys.readouterr().out
    reading, own = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    exec(reading, {})
    assert re.findall(r"^\d", capsys.readouterr().out, re.MULTILINE) == ["0", "2", "1", "3"]
    Path("own.py").write_text(own)
    assert main(["run", "own.py", "--dump-tensors", "--quiet"]) == 0
    _, doubled = lanescope.read_tensors("doubled.tensors")
    assert doubled.array()[1].tolist() == [16, 20, 24, 28]
