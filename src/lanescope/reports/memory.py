"""How much memory a report needs, and how much there is."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_BYTES = {"tasks": 600, "phases": 300, "edges": 150, "marks": 250, "counters": 100}
"""Table to the memory that a full report needs for each of its rows, in bytes. Tasks were measured:
540 bytes a row of level 2 (benchmarks/long_capture.py); the others are about what columns take."""
_OTHER_BYTES = 150
_START = 200 << 20
"""What the program itself needs."""
_USABLE = 0.8
"""The share of the memory that is free now that a report may take."""

_NOT_TOLD = 4 << 30
"""What a report may take where Python does not tell how much memory there is."""


def report_bytes(rows: Mapping[str, int]) -> int:
    """Memory that a full report of these rows needs at its peak, about."""
    return _START + sum(_BYTES.get(name, _OTHER_BYTES) * count for name, count in rows.items())


def free_bytes() -> int:
    """Memory that a report may take on this machine now."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(int(line.split()[1]) * 1024 * _USABLE)
    except OSError:
        pass
    if sys.platform == "win32":
        return _NOT_TOLD
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _USABLE)
