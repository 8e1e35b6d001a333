"""docs/formats.md and the README's table are what the registry says."""

from __future__ import annotations

import re
from pathlib import Path

from lanescope.formats.document import formats_page, readme_table

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_registry_says() -> None:
    assert (ROOT / "docs" / "formats.md").read_text() == formats_page(), (
        "run: python -m lanescope.formats.document > docs/formats.md"
    )


def test_the_entry_points_of_the_page_are_those_of_the_example() -> None:
    [block] = re.findall(r"```toml\n(.*?)```", formats_page(), re.DOTALL)
    assert block in (ROOT / "examples" / "plugin" / "pyproject.toml").read_text()


def test_the_readme_has_the_formats() -> None:
    assert f"\n\n{readme_table()}\n\n" in (ROOT / "README.md").read_text(), (
        "copy the table that `python -m lanescope.formats.document readme` prints"
    )
