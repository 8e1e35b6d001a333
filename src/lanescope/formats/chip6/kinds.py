"""Which files beside a run's records are about chunk streams of its cores.

Every run's files are asked about, so nothing heavy is imported here.
"""

from __future__ import annotations

import re
from pathlib import Path

from lanescope.formats.json_file import JsonFile

FILE = "core_streams.json"
LIMITS = {"regions": 1 << 10, "instructions": 1 << 9, "marks": 1 << 12}
"""Which names there are to how many numbers each may have."""
_KEYS = {"core_mhz", "counter_mhz", *LIMITS}


def is_about(file: JsonFile) -> bool:
    """Say whether a JSON object is a core_streams.json."""
    return "core_mhz" in file and not set(file.values) - _KEYS


def is_core_stream(path: Path) -> bool:
    """Say whether a file is one core's stream, by its name: the bytes do not tell."""
    return bool(re.search(r"\.chip6(\.gz|\.zst)?$", path.name))
