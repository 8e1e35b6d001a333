"""docs/transports.md: its Python block runs, and every transport has a row."""

from __future__ import annotations

import re
from pathlib import Path

import lanescope

PAGE = (Path(__file__).parents[1] / "docs" / "transports.md").read_text()


def test_the_python_block_runs() -> None:
    [block] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(block, names)
    trace = names["trace"]
    assert isinstance(trace, lanescope.Trace)
    assert trace.meta.name == "mine"


def test_every_public_transport_is_in_the_table() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| in ")]
    public = {
        name
        for name in lanescope.__all__
        if {"read", "write", "fence"} <= set(dir(getattr(lanescope, name))) and name != "Transport"
    }
    assert {name for name in public if any(f"`{name}(" in row for row in rows)} == public
    assert public
