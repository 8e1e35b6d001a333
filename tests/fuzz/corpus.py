"""Inputs that the repository keeps for later runs: small ones, each of which reaches something new.

`python -m tests.fuzz --keep` chooses them among those that are there and those of FOLDER/corpus.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

KEPT = Path(__file__).with_name("corpus.zip")
MOST_BYTES = 1 << 18
"""Largest size of the file."""
_MOST_OF_A_TARGET = 10_000
"""Most bytes of a target's inputs before they are packed; the shortest are taken first."""


def kept_inputs(place: str) -> list[bytes]:
    """Return the inputs of a target, the shortest first; `place` is its name as a folder."""
    if not KEPT.exists():
        return []
    with zipfile.ZipFile(KEPT) as file:
        found = [file.read(name) for name in file.namelist() if name.startswith(f"{place}/")]
    return sorted(found, key=len)


def keep(inputs: Mapping[str, Sequence[bytes]], target: Path = KEPT) -> int:
    """Write the inputs of each place, always in the same order; return how many there are."""
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as file:
        for place, every in sorted(inputs.items()):
            room = _MOST_OF_A_TARGET
            for data in sorted(every, key=lambda data: (len(data), data)):
                room -= len(data)
                if room < 0:
                    break
                name = f"{place}/{hashlib.sha256(data).hexdigest()[:16]}"
                file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_LZMA)
                count += 1
    return count
