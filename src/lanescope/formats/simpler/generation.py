"""Which generation a records file is of, decided by content; file names changed too often.

The key `version` means two things: the format (1, 2: the first generations) or the level
(1..4: generation 3). Source: the history of the writer, summarised per generation below.

    G1  version 1                    tasks in µs
    G2  version 1 or 2               + scheduler phases, orchestrator summary
    G3  version = level 1..4         no summary; dispatch phases count pops
    G4  l2_perf_level, or no key     edges only in deps.json from here on
    G5  l2_swimlane_level            the same under another name
    G6  l2_swimlane_level + metadata two streams in cycles, 5 columns
    G7  the same                     6 columns, queue depths
    G8  chip_swimlane_level          the same, renamed; host orchestrator
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile

LEVEL_KEYS = {"chip_swimlane_level": "G8", "l2_swimlane_level": "G5", "l2_perf_level": "G4"}


@dataclass(frozen=True, slots=True)
class Generation:
    """A generation's name, and the level; `level` is None where only the rows can tell."""

    name: str
    level: int | None

    @property
    def in_cycles(self) -> bool:
        """Whether its times are cycles of the device, not microseconds."""
        return self.name in ("G6", "G8")


def is_records(file: JsonFile) -> bool:
    """Whether a JSON object looks like a records file of any generation."""
    if any(key in file for key in LEVEL_KEYS):
        return True
    if "aicore_tasks" in file:
        return True
    return "tasks" in file and "edges" not in file and "tensors" not in file


def generation(file: JsonFile) -> Generation:
    """Tell the generation of a records file, and its level where a key holds it."""
    for key, name in LEVEL_KEYS.items():
        if key in file:
            level = _level(file, key)
            if key != "chip_swimlane_level" and "aicore_tasks" in file:
                name = "G6"
            return Generation(name, level)
    if "aicore_tasks" in file:
        expected = "'chip_swimlane_level' or 'l2_swimlane_level'"
        raise InputError(file.path, f"has 'aicore_tasks' but no {expected}; the level is unknown")
    if "version" not in file:
        return Generation("G4", None)
    return _by_version(file, _level(file, "version"))


def _by_version(file: JsonFile, version: int) -> Generation:
    if version >= 3:
        return Generation("G3", version)
    first_task = bytes(file.values["tasks"].data[:1000])
    if "aicpu_orchestrator" in file or b'"kernel_ready_time_us"' in first_task:
        return Generation("G2" if version == 2 else "G1", None)
    if version == 2 and "aicpu_scheduler_phases" not in file:
        return Generation("G3", 2)
    if version == 1:
        return Generation("G1 or G3", None)
    return Generation("G2", None)


def _level(file: JsonFile, key: str) -> int:
    level = file.decode(key, int)
    if not 1 <= level <= 4:
        raise InputError(file.path, f"{key!r} is {level}, expected a level from 1 to 4")
    return level
