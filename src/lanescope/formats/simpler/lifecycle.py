"""Reads `aicpu_lifecycle_records`: how the threads of the AICPU start up and shut down (chip a5).

Each thread is one object of stamps. A phase is two of them; 0 stands for "not there".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.simpler.records import ControllerFacts, PhaseList, captured

KEY = "aicpu_lifecycle_records"
PHASES = {
    "handshake": ("handshake_start", "handshake_complete"),
    "config": ("config_start", "topology_complete"),
    "context_publish": ("context_publish_start", "context_publish_complete"),
    "bootstrap_wait": ("bootstrap_wait_start", "bootstrap_complete"),
    "register_release": ("register_release_start", "register_release_end"),
    "exit_signal": ("exit_signal_start", "exit_signal_end"),
    "exit_wait": ("exit_wait_start", "exit_wait_end"),
}
"""Phase → its first and its last stamp, without the ending `_cycles`."""
_ONE_STAMP = {"register_release": "register_release"}
"""For a few days of September 2026 a phase was one stamp."""


def read_lifecycle(file: JsonFile) -> tuple[list[PhaseList], tuple[ControllerFacts, ...]]:
    """One list of phases per thread, and the threads' names."""
    if KEY not in file:
        return [], ()
    threads = file.decode(KEY, list[dict[str, Any]])
    lists, facts = [], []
    rows: dict[int, int] = {}
    for row, stamps in enumerate(threads):
        number = stamps.get("aicpu_thread_id", stamps.get("worker_id", row))
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not 0 <= number < 1 << 20:
            raise InputError(file.path, f"{KEY} row {row}: {number!r} is no number of a thread")
        if rows.setdefault(number, row) != row:
            problem = f"rows {rows[number]} and {row} are both of thread {number}"
            raise InputError(file.path, f"{KEY}: {problem}")
        lists.append(_phases(file, row, number, stamps))
        facts.append(ControllerFacts("lifecycle", number, f"AICPU {number} lifecycle", "aicpu"))
    return lists, tuple(facts)


def _phases(file: JsonFile, row: int, number: int, stamps: dict[str, Any]) -> PhaseList:
    found = []
    for code, (name, (first, last)) in enumerate(PHASES.items()):
        start, end = (_stamp(file, row, stamps, one) for one in (first, last))
        if not start and not end and name in _ONE_STAMP:
            start = end = _stamp(file, row, stamps, _ONE_STAMP[name])
        if start or end:
            found.append((code, start, end))
    table = np.array(found, np.int64).reshape(-1, 3)
    return PhaseList(
        lane="lifecycle",
        controller=number,
        kinds=table[:, 0],
        kind_names=list(PHASES),
        start=captured(table[:, 1]),
        end=captured(table[:, 2]),
    )


def _stamp(file: JsonFile, row: int, stamps: dict[str, Any], name: str) -> int:
    value = stamps.get(f"{name}_cycles", 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        problem = f"{KEY} row {row}, '{name}_cycles': expected a counter value, found {value!r}"
        raise InputError(file.path, problem)
    return value
