"""lanescope: what every core of an AI accelerator did, when, and why it waited.

The public names load on first use, so that `import lanescope` costs nothing (PEP 562).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanescope.device.include import include_directory
    from lanescope.dump.read import read_tensors
    from lanescope.errors import InputError, LanescopeError, OutputError, UsageError
    from lanescope.platforms.run import run
    from lanescope.trace import Trace, load, save, select
    from lanescope.workloads.builder import GraphBuilder

__version__ = "0.2.0.dev0"

__all__ = [
    "GraphBuilder",
    "InputError",
    "LanescopeError",
    "OutputError",
    "Trace",
    "UsageError",
    "include_directory",
    "load",
    "read_tensors",
    "run",
    "save",
    "select",
]

_HOMES = {
    "GraphBuilder": "lanescope.workloads.builder",
    "InputError": "lanescope.errors",
    "LanescopeError": "lanescope.errors",
    "OutputError": "lanescope.errors",
    "UsageError": "lanescope.errors",
    "Trace": "lanescope.trace",
    "include_directory": "lanescope.device.include",
    "load": "lanescope.trace",
    "read_tensors": "lanescope.dump.read",
    "run": "lanescope.platforms.run",
    "save": "lanescope.trace",
    "select": "lanescope.trace",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lanescope' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
