"""Reads a chip's TOML file into checked cells: { value, basis, source } under section and key.

A fitted value also says what it was fitted to: { …, to }.

The end of a key's name says what it may hold: `_ns` a time, `_hz` a clock, `_bytes_per_s` a rate,
`_bytes` a size. `name` and `block` hold a word, all other keys a count. A refusal names the file,
the section and the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from lanescope.errors import InputError
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.render.names import has_long_key
from lanescope.workloads.spread import BASES

Schema = Mapping[str, tuple[str, ...]]
"""Name of a section to its keys."""


class Provenance(NamedTuple):
    """Why a value is what it is."""

    basis: str
    source: str
    to: str = ""
    """Of a fitted value: the published figure that it was chosen to meet."""


class ChipCell(NamedTuple):
    """A checked value and why it is so; times are picoseconds."""

    value: int | str
    provenance: Provenance


Cells = dict[tuple[str, str], ChipCell]
"""Section and key to the cell."""

_UNITS = {
    "_ns": "ns",
    "_hz": "Hz",
    "_bytes_per_s": "bytes/s",
    "_bytes": "bytes",
    "_tasks": "tasks",
}
_MOST = {
    "ns": 10**12,
    "Hz": 10**12,
    "bytes/s": 10**18,
    "bytes": 2**24,
    "tasks": 2**31,
    "": 4096,
}
_WORDS = ("name", "block")
_ZERO_COUNTS = ("aic_per_cluster", "aiv_per_cluster", "orchestrators")
_SWITCHES = ("sweeps",)
"""Keys that are 0 or 1."""
_PASSING = "loop_ns"
"""A key that must not be 0: a simulation whose scheduler's rounds take no time never ends."""
_MOST_FILE_BYTES = 1 << 20
_MOST_SOURCE = 2000
_CELL = ("value", "basis", "source")
_CELL_FORM = "{ value = …, basis = …, source = … }"
_FITTED = "fitted"


def built_in_chips() -> tuple[str, ...]:
    """Return the names of the chips that come with lanescope."""
    names = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def built_in_file(name: str) -> Traversable:
    """Return the TOML file of a built-in chip."""
    return _folder() / f"{name}.toml"


def _folder() -> Traversable:
    return files("lanescope.platforms.sim") / "chips"


def read_cells(file: Path | Traversable, schema: Schema) -> Cells:
    """Return the file's cells, and those of its base that it does not replace.

    A file that does not exist is an OSError.
    """
    document = _document(file)
    cells = _base(file, document.pop("base"), schema) if "base" in document else {}
    for section, table in document.items():
        if section not in schema:
            names = ", ".join(schema)
            raise InputError(
                str(file), f"expected base or a section ({names}), found {_shown(section)}"
            )
        if not isinstance(table, dict):
            raise InputError(str(file), f"[{section}]: expected a section, found {_shown(table)}")
        for key, cell in table.items():
            if key not in schema[section]:
                names = ", ".join(schema[section])
                raise InputError(
                    str(file), f"[{section}]: expected one of {names}, found {_shown(key)}"
                )
            try:
                cells[section, key] = _cell(key, cell)
            except ValueError as error:
                raise InputError(str(file), f"[{section}] {key}: {error}") from error
    return cells


def _base(file: Path | Traversable, base: Any, schema: Schema) -> Cells:
    if base not in built_in_chips():
        names = ", ".join(built_in_chips())
        raise InputError(
            str(file), f"base: expected a built-in chip ({names}), found {_shown(base)}"
        )
    return read_cells(built_in_file(base), schema)


def _document(file: Path | Traversable) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise InputError(str(file), f"cannot be read ({error.strerror or error})") from error
    if len(content) > _MOST_FILE_BYTES:
        raise InputError(
            str(file), f"expected a chip of at most {_MOST_FILE_BYTES:,} bytes, found a larger file"
        )
    try:
        text = content.decode()
        if has_long_key(text):
            raise InputError(str(file), "expected a chip in TOML, found a key of over 32 parts")
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError as error:
        raise InputError(str(file), "expected a chip in TOML, found values too deep") from error
    except (ValueError, ArithmeticError) as error:
        raise InputError(str(file), f"expected a chip in TOML, found: {error}") from error


def _cell(key: str, cell: Any) -> ChipCell:
    """Check one table of value, basis and source; a ValueError says what was expected."""
    if not isinstance(cell, dict):
        raise ValueError(f"expected {_CELL_FORM}, found {_shown(cell)}")
    for name in _CELL:
        if name not in cell:
            raise ValueError(f"expected {_CELL_FORM}, found no {name}")
    for name in cell:
        if name not in (*_CELL, "to"):
            raise ValueError(f"expected {_CELL_FORM}, found {_shown(name)}, too")
    basis, source = cell["basis"], cell["source"]
    if basis not in BASES:
        raise ValueError(f"expected a basis ({', '.join(BASES)}), found {_shown(basis)}")
    if not isinstance(source, str) or not 0 < len(source.strip()) <= _MOST_SOURCE:
        raise ValueError(
            f"expected a source, a text of 1 to {_MOST_SOURCE} characters, found {_shown(source)}"
        )
    to = cell.get("to", "")
    if not isinstance(to, str) or len(to) > _MOST_SOURCE or bool(to.strip()) != (basis == _FITTED):
        raise ValueError(
            f'expected to = "…", the figure that it was fitted to, with the basis {_FITTED} and '
            f"with no other, found {_shown(to) if 'to' in cell else 'none'} with {basis}"
        )
    value = cell["value"]
    good = _name(value) if key in _WORDS else _number(key, value)
    if good is None:
        raise ValueError(f"expected {expected(key)}, found {_shown(value)}")
    return ChipCell(good, Provenance(basis, source, to))


def _name(value: Any) -> str | None:
    fits = isinstance(value, str) and 0 < len(value) <= 80 and value.isprintable()
    return value if fits else None


def _number(key: str, value: Any) -> int | None:
    """Return the number as it is kept, times in picoseconds; None where the key cannot hold it."""
    is_time = unit(key) == "ns"
    if isinstance(value, bool) or not isinstance(value, (int, Decimal) if is_time else int):
        return None
    if isinstance(value, Decimal) and not (value.is_finite() and -3 <= _exponent(value)):
        return None
    least, most = _range(key)
    if not least <= value <= most:
        return None
    return int(value * PS_PER_NS) if is_time else int(value)


def _exponent(value: Decimal) -> int:
    """Return the power of ten of a finite number's last digit: −3 for 1.250."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


def unit(key: str) -> str:
    """Return the unit that a key's name ends in; empty for counts and names."""
    return next((unit for ending, unit in _UNITS.items() if key.endswith(ending)), "")


def _range(key: str) -> tuple[Decimal | int, int]:
    """Return the least and the largest number that a key may hold, in the file's unit."""
    most = _MOST[unit(key)]
    if key in _SWITCHES:
        return 0, 1
    if key == _PASSING:
        return Decimal("0.001"), most
    return (0 if unit(key) == "ns" or key in _ZERO_COUNTS else 1), most


def expected(key: str) -> str:
    """Say in words what a key may hold."""
    if key in _WORDS:
        return "a printable name of 1 to 80 characters"
    least, most = _range(key)
    if unit(key) == "ns":
        return f"nanoseconds from {least} to {most:,} with at most 3 decimals"
    return f"a whole number{' of ' + unit(key) if unit(key) else ''} from {least} to {most:,}"


def _shown(value: Any) -> str:
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
