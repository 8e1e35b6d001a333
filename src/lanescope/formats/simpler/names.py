"""Reads function names: name_map_*.json, or a flat object of id to name."""

from __future__ import annotations

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile

LONGEST_NAME = 4096


def is_names(file: JsonFile) -> bool:
    """Whether a JSON object is a name map, or has nothing but numbers for keys."""
    if "callable_id_to_name" in file:
        return True
    return bool(file.values) and all(_is_number(key) for key in file.values)


def read_names(file: JsonFile) -> dict[int, str]:
    """Read function ids and their names."""
    key = "callable_id_to_name"
    if key in file:
        names = file.decode(key, dict[str, str])
    else:
        names = {number: file.decode(number, str) for number in file.values}
    result: dict[int, str] = {}
    for number, name in names.items():
        if not _is_number(number):
            raise InputError(file.path, f"{key!r} has the key {number[:40]!r}, expected an id")
        require_name(file, name, f"function {number}")
        if result.setdefault(int(number), name) != name:
            both = f"{result[int(number)][:40]!r} and {name[:40]!r}"
            raise InputError(file.path, f"function {int(number)} has two names, {both}; keep one")
    return result


def require_name(file: JsonFile, name: str, what: str) -> str:
    """Refuse a name of more than LONGEST_NAME characters: people read names."""
    if len(name) > LONGEST_NAME:
        problem = f"the name of {what} has {len(name)} characters, at most {LONGEST_NAME} are taken"
        raise InputError(file.path, problem)
    return name


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
