"""Reads a YAML data file into a typed struct; an error names the line and the key.

Plain YAML only: a key given twice, an alias, or a value of another type is refused.
"""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import yaml

from lanescope.errors import InputError

T = TypeVar("T")

_MOST_BYTES = 1 << 20
_MOST_DEPTH = 32
_PLACE = re.compile(r" - at `(key in )?\$([^`]*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"unknown field `(.*)`$")
_EXPONENT = re.compile(r"\d[\d_.]*[eE]\d+")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_names(package: str) -> tuple[str, ...]:
    """Names of the YAML files in a package of ours, without the ending, in order."""
    names = (file.name for file in files(package).iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


class Document(NamedTuple):
    """A YAML file as dicts, lists and plain values, and the lines that they stand in."""

    file: Path | Traversable
    root: Any
    """The node that the file is composed to."""
    content: Any

    def convert(self, form: type[T]) -> T:
        """The content as a `form`; an InputError says which line and key is wrong."""
        try:
            return msgspec.convert(self.content, form)
        except msgspec.ValidationError as error:
            raise InputError(str(self.file), _sentence(str(error), self.root)) from error

    def refusal(self, place: str, problem: str) -> InputError:
        """The error for the value at a dotted place, with its line."""
        line = _line(_find(self.root, f".{place}"))
        return InputError(str(self.file), f"line {line}, {place}: {problem}")


def read_data(file: Path | Traversable, form: type[T]) -> T:
    """Read the file as a `form`; an InputError says which line and key is wrong."""
    return read_document(file).convert(form)


def read_document(file: Path | Traversable) -> Document:
    """Read the file as it is, before anything is known of its form."""
    node = _compose(file, _text(file))
    try:
        return Document(file, node, _plain(node))
    except _Refused as refused:
        raise InputError(str(file), str(refused)) from refused


class _Refused(Exception):
    """A sentence about one place in the file."""


def _text(file: Path | Traversable) -> str:
    try:
        with file.open("rb") as stream:
            content: bytes = stream.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise InputError(str(file), "expected a YAML file, found none there") from error
    except OSError as error:
        raise InputError(str(file), f"cannot be read ({error.strerror or error})") from error
    if len(content) > _MOST_BYTES:
        raise InputError(str(file), f"expected at most {_MOST_BYTES:,} bytes of YAML, found more")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(str(file), f"expected YAML in UTF-8, found: {error}") from error


def _compose(file: Path | Traversable, text: str) -> Any:
    try:
        _refuse_deep_and_aliases(text)
        node = yaml.compose(text, Loader=_LOADER)
    except _Refused as refused:
        raise InputError(str(file), str(refused)) from refused
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or type(error).__name__
        raise InputError(str(file), f"{where}expected YAML, found: {problem}") from error
    if node is None:
        raise InputError(str(file), "expected YAML with keys, found an empty file")
    return node


def _refuse_deep_and_aliases(text: str) -> None:
    """Refuse an alias, and values nested too deep: composing them would need as deep a stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            found = f"found an alias (*{event.anchor})"
            raise _Refused(
                f"line {_line(event)}: expected a value, {found}; write the value itself"
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MOST_DEPTH:
                place = f"line {_line(event)}"
                raise _Refused(f"{place}: expected values at most {_MOST_DEPTH} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _plain(root: Any) -> Any:
    """The node as dicts, lists and scalars."""
    loader = _LOADER("")

    def walk(node: Any, place: str) -> Any:
        if isinstance(node, yaml.MappingNode):
            return mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [walk(item, f"{place}[{n}]") for n, item in enumerate(node.value)]
        try:
            return loader.construct_object(node)
        except (yaml.YAMLError, ValueError, AttributeError, LookupError) as error:
            # A tag like !!bool or !!timestamp on other text fails in one of these ways.
            raise _Refused(f"line {_line(node)}, {place}: expected a plain value") from error

    def mapping(node: Any, place: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            if name in values:
                inside = f" in {place}" if place else ""
                raise _Refused(f"line {_line(key)}{inside}: the key {name!r} is given twice")
            values[name] = walk(value, f"{place}.{name}".removeprefix("."))
        return values

    try:
        return walk(root, "")
    finally:
        loader.dispose()


def _sentence(error: str, root: Any) -> str:
    """The message of msgspec, behind the line and the dotted key of the place."""
    match = _PLACE.search(error)
    path = match.group(2) if match else ""
    node = _find(root, path)
    problem = error[: match.start()] if match else error
    if isinstance(node, yaml.ScalarNode) and _EXPONENT.fullmatch(node.value):
        problem += f" ({node.value!r} is text in YAML; write 4_800_000_000 or 4.8e+9)"
    place = path.removeprefix(".")
    unknown = _UNKNOWN.search(problem)
    if unknown and isinstance(node, yaml.MappingNode):
        node = next((key for key, _ in node.value if key.value == unknown[1]), node)
    return f"line {_line(node)}{', ' + place if place else ''}: {problem[0].lower()}{problem[1:]}"


def _find(root: Any, path: str) -> Any:
    node = root
    for key, index in _STEP.findall(path):
        if key and isinstance(node, yaml.MappingNode):
            node = next((value for name, value in node.value if name.value == key), node)
        elif index.isdigit() and isinstance(node, yaml.SequenceNode):
            node = node.value[int(index)] if int(index) < len(node.value) else node
    return node


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
