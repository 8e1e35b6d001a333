"""Task graphs: the built-in workloads by name, and the classes to make one's own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import TypedDict

from lanescope.errors import UsageError
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.chain import chain
from lanescope.workloads.decode_layer import decode_layer
from lanescope.workloads.fan import fan
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.matmul_add import matmul_add
from lanescope.workloads.paged_attention import paged_attention
from lanescope.workloads.random_dag import random_dag
from lanescope.workloads.vector import vector

__all__ = [
    "WORKLOADS",
    "GraphBuilder",
    "TaskGraph",
    "WorkKind",
    "WorkloadSummary",
    "build_workload",
    "describe",
]

Setting = int | float | str

WORKLOADS: dict[str, Callable[..., TaskGraph]] = {
    "chain": chain,
    "decode_layer": decode_layer,
    "fan": fan,
    "matmul_add": matmul_add,
    "paged_attention": paged_attention,
    "random_dag": random_dag,
    "vector": vector,
}

_MOST = 2**31 - 1
"""Largest number a setting takes."""


class WorkloadSummary(TypedDict):
    """What a user may ask for; `parameters` are all of them, with their defaults."""

    name: str
    doc: str
    parameters: dict[str, Setting]


def describe() -> tuple[WorkloadSummary, ...]:
    """All built-in workloads."""
    return tuple(
        WorkloadSummary(
            name=name,
            doc=(inspect.getdoc(make) or "").partition("\n")[0],
            parameters={p.name: p.default for p in _parameters(make).values()},
        )
        for name, make in WORKLOADS.items()
    )


def build_workload(name: str, settings: Mapping[str, str]) -> TaskGraph:
    """The workload `name`, its parameters given as text; those left out keep their defaults."""
    make = WORKLOADS.get(name)
    if make is None:
        raise UsageError(f"there is no workload {name!r}; choose one of: {', '.join(WORKLOADS)}")
    known = _parameters(make)
    for setting in settings:
        if setting not in known:
            raise UsageError(
                f"the workload {name} has no setting {setting!r}; it has: {', '.join(known)}"
            )
    values = {
        setting: _convert(text, known[setting], workload=name) for setting, text in settings.items()
    }
    return make(**values)


def _parameters(make: Callable[..., TaskGraph]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(make, eval_str=True).parameters


def _convert(text: str, parameter: inspect.Parameter, *, workload: str) -> Setting:
    """The text as the parameter's annotated type."""
    wanted = parameter.annotation
    if wanted is str:
        if text:
            return text
        raise UsageError(f"the setting {parameter.name} of {workload} is empty")
    number = _number(text, wanted)
    if number is None or not 0 <= number <= _MOST:
        kind = "a whole number" if wanted is int else "a number"
        raise UsageError(
            f"the setting {parameter.name} of {workload} must be {kind} from 0 to {_MOST}, "
            f"not {text!r}"
        )
    return number


def _number(text: str, wanted: type[int] | type[float]) -> int | float | None:
    try:
        number = wanted(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
