"""Functions that a registry names without importing the module they are in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function named by its module and its name; the module is imported at the first call."""

    module: str
    function: str

    def __call__(self, *args: Any) -> Any:
        return self.resolve()(*args)

    def resolve(self) -> Callable[..., Any]:
        """Import the module and return the function."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.function)
        return function
