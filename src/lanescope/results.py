"""What every answer can do: turn into plain dicts and lists, for JSON and notebooks."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, ClassVar


class Result:
    """Base of the frozen dataclasses that answer a question; it adds `to_dict()` and no field."""

    __slots__ = ()

    DERIVED: ClassVar[tuple[str, ...]] = ()
    """Properties that `to_dict()` shows behind the fields, in this order."""

    def to_dict(self) -> dict[str, Any]:
        """Fields, then derived figures, as plain dicts, lists, strings and numbers."""
        own: Any = self
        names = [field.name for field in fields(own)]
        return {name: plain(getattr(own, name)) for name in (*names, *self.DERIVED)}


def plain(value: Any) -> Any:
    """A value as dicts and lists all the way down; a number or a text stays what it is."""
    if isinstance(value, Result):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "__struct_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if type(value).__module__ == "numpy":
        return value.tolist()
    return value
