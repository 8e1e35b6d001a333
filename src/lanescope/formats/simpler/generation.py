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
    G9  scheduler_tasks, 4 columns   streams by scheduler id; version 1 in both sections
    G10 rows of 7 and 5 columns      run epochs, metadata.runtime
    G11 metadata.collection          one file per run, with a verdict

The names are ours: the runtime numbers nothing. Between two of them there were weeks in which a
file had the one's rows and the other's keys, so readers judge every array by its own width, and
the name is for people only.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.json_rows import row_width
from lanescope.formats.simpler.scheduler_tasks import scheduler_tasks

_RENAMED = ("G8", "G9", "G10", "G11")
LEVEL_KEYS = {"chip_swimlane_level": "G8", "l2_swimlane_level": "G5", "l2_perf_level": "G4"}


@dataclass(frozen=True, slots=True)
class Generation:
    """A generation's name, and the level; `level` is None where only the rows can tell."""

    name: str
    level: int | None

    @property
    def in_cycles(self) -> bool:
        """Whether its times are cycles of the device, not microseconds."""
        return self.name in ("G6", *_RENAMED)


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
            if name == "G8":
                name = _since_g8(file)
            elif "aicore_tasks" in file:
                name = "G6"
            return Generation(name, level)
    if "aicore_tasks" in file:
        expected = "'chip_swimlane_level' or 'l2_swimlane_level'"
        raise InputError(file.path, f"has 'aicore_tasks' but no {expected}; the level is unknown")
    if "version" not in file:
        return Generation("G4", None)
    if file.decode("version", int) == 0:
        return Generation("G1", 1)
    return _by_version(file, _level(file, "version"))


class _Metadata(msgspec.Struct):
    """What tells the generations since G8 apart, beside the width of rows."""

    runtime: str | None = None
    collection: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def _since_g8(file: JsonFile) -> str:
    if "aicpu_tasks" in file:
        return "G8"
    metadata = file.decode("metadata", _Metadata) if "metadata" in file else _Metadata()
    if metadata.collection is not msgspec.UNSET:
        return "G11"
    core = row_width(file.values["aicore_tasks"]) if "aicore_tasks" in file else None
    tasks = scheduler_tasks(file)
    scheduler = None if tasks is None else row_width(tasks.rows)
    if core == 7 or scheduler == 5:
        return "G10"
    if scheduler == 4 or (tasks is not None and tasks.has_version):
        return "G9"
    return "G10" if metadata.runtime is not None else "G9"


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
