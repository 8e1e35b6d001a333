"""Files that are written whole or not at all, and what killed writers leave."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from lanescope.formats.output import atomic_output


def test_what_a_killed_writer_left_is_swept_and_a_living_ones_is_not(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    child = os.fork()
    if not child:
        with atomic_output(target) as stream:
            stream.write(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    [left] = tmp_path.iterdir()
    with atomic_output(target) as mine:
        assert not left.exists()
        mine.write(b"mine")
        with atomic_output(target) as other:
            other.write(b"other")
        assert target.read_bytes() == b"other"
    assert target.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [target]
