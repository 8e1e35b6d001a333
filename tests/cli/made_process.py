"""A process that recorded one task, without a program: what `lanescope collect` stores."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.analyze.hand import make_trace, task

from lanescope.trace.store import StoredTrace, save_by, stored_trace


class MadeProcess:
    """Like a ProcessCapture; its directory has a region while it is there."""

    def __init__(self, suffix: str, folder: str) -> None:
        self.suffix, self.folder, self.directory = suffix, folder, Path(folder)
        number = folder.partition("-")[0]
        self.trace = make_trace(
            {"name": f"made{suffix}", "process": int(number) if number else None},
            cores=[{"core": 0, "kind": "aic", "process": int(number or 0)}],
            tasks=[task(0, None, None, 1, 2, None, task=1)],
        )
        self.session: Any = SimpleNamespace(error=None)
        self.rotator: Any = None
        self.unfinished = ""
        self.parts_at: list[Path] = []
        self.fails: Exception | None = None

    def begin(self, capture: Path) -> None:
        """Make the directory of the capture."""
        self.directory = capture / self.folder
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "region").touch()

    def reconcile(self) -> Any:
        """The trace."""
        return self.trace

    def store(self, target: Path, put: Any) -> StoredTrace:
        """Store the trace."""
        if self.fails is not None:
            raise self.fails
        save_by(self.trace, target, put)
        return stored_trace(self.trace, target)

    def parts(self) -> list[StoredTrace]:
        """What is told of each part."""
        return [stored_trace(self.trace, path) for path in self.parts_at]
