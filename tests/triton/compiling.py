"""Kernels of the tests and the examples, compiled for GPUs that need not be there."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples" / "triton"
WORK = {
    "out": "*i32",
    **dict.fromkeys(("tasks", "func", "outer", "inner"), "i32"),
    "handle": "u64",
}


@cache
def example(name: str) -> ModuleType:
    """A file of examples/triton as a module."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def compiled(kernel: Any, arguments: dict[str, Any], arch: int = 90, **options: Any) -> Any:
    return example("ahead").compiled(kernel, arguments, arch, **options)
