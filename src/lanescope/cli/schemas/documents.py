"""The JSON Schema of each output."""

from __future__ import annotations

from typing import Any

from lanescope.cli.printing import schema_name
from lanescope.cli.schemas.forms import FORMS
from lanescope.cli.schemas.outputs import OUTPUTS
from lanescope.cli.schemas.shapes import Schema, SchemaMaker


def schema(name: str) -> Schema:
    """The JSON Schema (2020-12) of one output."""
    output, shapes = OUTPUTS[name], SchemaMaker(FORMS)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_name(name),
        "title": f"lanescope {output.command} --json",
    }
    if output.item is not None:
        body: Schema = {"type": "array", "items": shapes.of(output.item)}
    else:
        own = {key: shapes.of(kind) for key, kind in output.more.items()}
        bodies = [_object(name, shapes, kind, own) for kind in output.kinds or (None,)]
        body = bodies[0] if len(bodies) == 1 else {"anyOf": bodies}
    return head | body | {"$defs": dict(sorted(shapes.definitions.items()))}


def _object(name: str, shapes: SchemaMaker, kind: Any, own: dict[str, Schema]) -> Schema:
    """One object: the name of its schema, the keys of a type, those of the command."""
    output = OUTPUTS[name]
    told: Schema = {"type": "object", "properties": {}, "required": []}
    if kind is not None:
        place = shapes.of(kind)["$ref"].rpartition("/")[2]
        told = shapes.definitions.pop(place)
    needed = [key for key in own if key not in output.optional]
    return told | {
        "properties": {"schema": {"const": schema_name(name)}, **told["properties"], **own},
        "required": ["schema", *told["required"], *needed],
    }
