"""Settings of a workload: parameters of the function that makes its graph, given as text."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from lanescope.errors import UsageError, did_you_mean

Setting = int | float | str

_MOST = 2**31 - 1
"""Largest number a setting takes."""


class WorkloadSummary(TypedDict):
    """A workload: its name, one sentence, and its parameters with their defaults."""

    name: str
    doc: str
    parameters: dict[str, Setting]


def parameters_of(make: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the function's parameters; their annotations are types, not text."""
    return inspect.signature(make, eval_str=True).parameters


def summary_of(
    name: str, make: Callable[..., Any], known: Mapping[str, inspect.Parameter]
) -> WorkloadSummary:
    """Summarise a workload; its sentence is the first line of the function's docstring."""
    return WorkloadSummary(
        name=name,
        doc=(inspect.getdoc(make) or "").partition("\n")[0],
        parameters={parameter.name: parameter.default for parameter in known.values()},
    )


def convert(
    settings: Mapping[str, str], known: Mapping[str, inspect.Parameter], *, workload: str
) -> dict[str, Setting]:
    """Convert each text to its parameter's type; refuse a parameter that does not exist."""
    for setting in settings:
        if setting not in known:
            there = f"it has: {', '.join(known)}" if known else "it has none"
            near = did_you_mean(setting, known)
            raise UsageError(f"the workload {workload} has no setting {setting!r}; {there}{near}")
    return {
        setting: _convert(text, known[setting], workload=workload)
        for setting, text in settings.items()
    }


def _convert(text: str, parameter: inspect.Parameter, *, workload: str) -> Setting:
    """Convert a text to the parameter's annotated type."""
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
