"""What every DuckDB of ours is forbidden: files, the network, extensions, and changing that."""

from __future__ import annotations

from typing import Any

_GUARDS = (
    "python_enable_replacements = false",
    "enable_external_access = false",
    "lock_configuration = true",
)


def guard(connection: Any) -> None:
    """Let a connection see its registered tables from now on, and nothing else."""
    for setting in _GUARDS:
        connection.execute(f"SET {setting}")


def short_error(error: Exception, most: int = 300) -> str:
    """The first line of what DuckDB says."""
    line = (str(error).splitlines() or [""])[0]
    return line if len(line) <= most else f"{line[: most - 1]}…"
