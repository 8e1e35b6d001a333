"""Parts of the runtime's files without which the rest can still be read."""

from __future__ import annotations

PARTS: dict[str, dict[str, bytes | None]] = {
    "records": {
        "aicpu_lifecycle_records": None,
        "host_device_uploads": None,
        "host_orchestrator_phases": None,
        "aicpu_orchestrator_phases": None,
        "scheduler_records": None,
        "aicpu_scheduler_phases": None,
        "aicpu_tasks": b"[]",
        "scheduler_tasks": b'{"producer":"aicpu","records":[]}',
        "aicore_tasks": b"[]",
    },
    "deps": {"tasks": None},
    "arguments": {"args": b"[]"},
}
"""Kind of file to its parts: what stands in a part's place; None for nothing."""
