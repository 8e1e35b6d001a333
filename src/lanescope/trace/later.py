"""Arrow, loaded where something of it is first used: a report of JSON files needs none of it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LaterModule:
    """Stands for a module that is imported when an attribute of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


pa: Any = LaterModule("pyarrow")
pq: Any = LaterModule("pyarrow.parquet")
