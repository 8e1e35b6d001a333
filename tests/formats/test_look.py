"""A look into a file: texts are found wherever they stand."""

from __future__ import annotations

import gzip
from pathlib import Path

from lanescope.formats.look import FileLook


def test_a_text_is_found_also_across_the_blocks_that_are_searched(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * ((1 << 20) - 3) + b"needle" + b"x" * 100)
    assert FileLook(path).holds(b"needle")
    assert not FileLook(path).holds(b"needles")


def test_a_packed_file_is_searched_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"in the hay: needle"))
    assert FileLook(path).holds(b"needle")
