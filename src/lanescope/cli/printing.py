"""How commands print JSON: one line, with the name and version of its schema in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

VERSIONS = {
    "agent": 1,
    "bench": 1,
    "bench-fit": 1,
    "bench-sources": 1,
    "boards": 1,
    "boards-check": 1,
    "boards-show": 1,
    "check": 1,
    "collect": 1,
    "completion": 1,
    "config": 1,
    "diff": 1,
    "export": 1,
    "fit": 1,
    "fleet-diff": 1,
    "fleet-index": 1,
    "fleet-outliers": 1,
    "fleet-query": 1,
    "fleet-report": 1,
    "fleet-trend": 1,
    "flight": 1,
    "import": 1,
    "manifest": 1,
    "platforms": 1,
    "platforms-show": 1,
    "predict": 1,
    "probe": 1,
    "ranks": 1,
    "recover": 1,
    "report": 1,
    "report-corrected": 1,
    "run": 1,
    "tensors": 1,
    "tensors-export": 1,
    "verify": 1,
    "view": 1,
    "view-page": 1,
    "what-if": 1,
    "workloads": 1,
}
"""Output to the version of its schema. It rises when a key goes or changes its meaning, not when
a key is added."""


def schema_name(output: str) -> str:
    """What the key `schema` of an output says, and the `$id` of its schema."""
    return f"urn:lanescope:{output}:{VERSIONS[output]}"


def print_json(output: str, value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print what a command found; a line is there at once, also where the command goes on."""
    print(json_line(output, value), flush=True)


def json_line(output: str, value: Mapping[str, Any] | Sequence[Any]) -> str:
    """What a command found; an object says its schema, a list has no room for it."""
    import msgspec

    told = {"schema": schema_name(output), **value} if isinstance(value, Mapping) else value
    return msgspec.json.encode(told).decode()
