"""JSON Schema of a type, as `results.plain` turns its values into dicts and lists.

A class becomes one definition under its name, which no two classes share.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
import typing
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any

from lanescope.results import Result

Schema = dict[str, Any]

_PLAIN: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonForm:
    """How the JSON of a class differs from its fields."""

    without: tuple[str, ...] = ()
    """Fields that it leaves out."""
    more: Mapping[str, Any] | None = None
    """Further keys, or other types of fields, each with its type."""
    optional: tuple[str, ...] = ()
    """Keys that are not always there."""
    spread: tuple[str, ...] = ()
    """Fields whose own keys stand in their place."""


class SchemaMaker:
    """Makes schemas, and collects the definitions of the classes that they name."""

    def __init__(self, forms: Mapping[type, JsonForm | type] | None = None) -> None:
        self.definitions: dict[str, Schema] = {}
        self._forms = forms or {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type: a plain one, a collection, a union or a class with fields."""
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.NotRequired, typing.Annotated):
            return self.of(inner[0])
        if origin is typing.Literal:
            return {"enum": list(inner)}
        if origin in (typing.Union, types.UnionType):
            return {"anyOf": [self.of(one) for one in inner]}
        if isinstance(kind, type) and origin is None:
            return self._of_class(kind)
        return self._of_collection(origin, inner)

    def _of_collection(self, origin: Any, inner: tuple[Any, ...]) -> Schema:
        if origin is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
            parts = [self.of(one) for one in inner]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "items": False}
        if origin.__module__ == "numpy":
            return {"type": "array"}
        if issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        return {"type": "array", "items": self.of(inner[0])}

    def _of_class(self, kind: type) -> Schema:
        if issubclass(kind, PurePath):
            return {"type": "string"}
        if issubclass(kind, Enum):
            return {"enum": [one.value for one in kind]}
        if kind in (dict, list, tuple):
            return {"type": "object" if kind is dict else "array"}
        if kind.__name__ not in self.definitions:
            self.definitions[kind.__name__] = {}
            self.definitions[kind.__name__] = self._definition(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def _definition(self, kind: type) -> Schema:
        form = self._forms.get(kind, JsonForm())
        if isinstance(form, type):
            return self._definition(form) | _described(kind)
        hints = typing.get_type_hints(kind, include_extras=True)
        hidden = {*form.without, *form.spread}
        shown = {name: hints[name] for name in field_names(kind) if name not in hidden}
        texts = dict(ChainMap(*(field_texts(base) for base in _own_classes(kind))))
        if issubclass(kind, Result):
            for name in kind.DERIVED:
                getter = getattr(kind, name).fget
                shown[name] = typing.get_type_hints(getter)["return"]
                texts[name] = _first_line(getter)
        shown |= form.more or {}
        optional = {*form.optional, *_not_required(hints)}
        told = {name: {"description": texts[name]} for name in texts if name not in hidden}
        own = {name: self.of(one) | told.get(name, {}) for name, one in shown.items()}
        parts = [self._definition(hints[name]) for name in form.spread]
        needed = [name for part in parts for name in part["required"]]
        return {
            "type": "object",
            **_described(kind),
            "properties": dict(ChainMap(own, *(part["properties"] for part in parts))),
            "required": [*needed, *(name for name in own if name not in optional)],
        }


def field_names(kind: type) -> tuple[str, ...]:
    """Names of the values of a dataclass, a Struct, a named tuple or a typed dict."""
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    for attribute in ("__struct_fields__", "_fields"):
        if hasattr(kind, attribute):
            return tuple(getattr(kind, attribute))
    if typing.is_typeddict(kind):
        return tuple(typing.get_type_hints(kind))
    raise TypeError(f"{kind.__qualname__} has no fields that a schema can name")


@cache
def field_texts(kind: type) -> dict[str, str]:
    """What the source says below each field of a class."""
    node = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(node, ast.ClassDef)
    texts = {}
    for before, after in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            texts[before.target.id] = " ".join(str(after.value.value).split())
    return texts


def _own_classes(kind: type) -> list[type]:
    """The class and those that it inherits fields from, itself first."""
    return [base for base in kind.__mro__ if base.__module__.startswith("lanescope.")]


def _not_required(hints: Mapping[str, Any]) -> set[str]:
    return {name for name, one in hints.items() if typing.get_origin(one) is typing.NotRequired}


def _described(kind: type) -> Schema:
    return {"description": _first_line(kind)}


def _first_line(thing: type | Callable[..., Any]) -> str:
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
