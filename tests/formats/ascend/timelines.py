"""Timelines by hand, as columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lanescope.formats.ascend.timeline import TimelineEvents, read_timeline


def events(folder: Path, *rows: dict[str, Any]) -> TimelineEvents:
    path = folder / "trace_view.json"
    path.write_text(json.dumps(list(rows)))
    return read_timeline(path)


def bar(pid: Any, tid: Any, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": "a", "pid": pid, "tid": tid, "ts": "1", "dur": 1, **more}
