"""What took long to work out is kept for the next time, in this user's folder for such things.

It may be deleted at any time. A folder that cannot be written is no error. This is a leaf.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_directory(kind: str) -> Path:
    """Return the folder of this user that keeps things of one kind."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "lanescope" / kind


def keep(path: Path, content: bytes, *, most: int | None = None) -> None:
    """Write a file, whole or not at all; of more than `most` beside it the oldest go."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(file, "wb") as out:
            out.write(content)
        Path(name).replace(path)
        if most is not None:
            files = sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime_ns)
            for old in files[:-most]:
                old.unlink()
    except OSError:
        return
