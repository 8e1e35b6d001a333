"""docs/straggler-study.md: its commands run, its figures are what comes out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.formats.streams.measures import DATA, expected
from tests.pages import page, require_commands_print_what_is_shown

import lanescope
from lanescope.formats import import_paths
from lanescope.jobs.ideal import ideal
from lanescope.trace import save

PAGE = page("straggler-study.md")
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("trace-ST.parquet", "meta-ST.yaml"):
        (tmp_path / name).write_bytes((DATA / "straggler" / name).read_bytes())
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 1
    [example] = re.findall(r"^```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    *lines, last = [line[4:] for line in example.splitlines() if line.startswith(">>> ")]
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    assert repr(eval(last, names)) == example.splitlines()[-1]


@pytest.mark.parametrize("name", ["AR", "ST"])
def test_the_figures_are_those_of_the_page(name: str, tmp_path: Path) -> None:
    for trace in import_paths([DATA / f"straggler/trace-{name}.parquet"]):
        save(trace, tmp_path / f"{trace.meta.name}.lanes")
    ours = ideal(lanescope.open_job(tmp_path))
    theirs = expected(f"straggler-{name}")["bytedance"]
    assert ours.worst_ranks is not None and ours.last_role is not None
    pairs = [
        (f"S | {theirs['S']['value']:.3f}", f"{ours.slowdown:.3f}"),
        (f"M_W | {theirs['M_W']['Mw']:.2f}", f"{ours.worst_ranks.removed:.2f}"),
    ]
    if name == "ST":
        pairs.append((f"M_S | {theirs['M_S']['Ms']:.2f}", f"{ours.last_role.removed:.2f}"))
    table = PAGE[PAGE.index(f"| {name}: ") :]
    assert [pair for pair in pairs if f"{pair[0]} | {pair[1]} |" not in table] == []
