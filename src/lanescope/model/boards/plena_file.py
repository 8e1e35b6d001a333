"""Reads PLENA's own board files as they are: each key becomes a value of ours or is said unused."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from lanescope.errors import InputError
from lanescope.model.boards import plena_keys
from lanescope.model.boards.board import Board
from lanescope.model.boards.plena_keys import RULES, Rule, Unit
from lanescope.model.data_file import Document
from lanescope.render.names import clean, clean_end

_SECTIONS = ("memory", "host_link", "precision", "latency", "power", "resources")
_MOST_TEXT = 80
_SHOWN = 5
"""Unknown keys that a note names."""
_USB = "memory.usb2_bandwidth_mbps"
_WIDTH = "memory.bus_width"
_WEIGHT = "precision.hbm_weight"
_TILES = "tile_hints"
_TILE_SIZES = ("mlen", "vlen", "blen")
_LANES = re.compile(r"x?(\d{1,4})", re.IGNORECASE)
_EXPONENT = re.compile(r"\d[\d_.]*[eE]\d+")
_BITS_PER_BYTE = 8


class FileKey(NamedTuple):
    """One key of a board file in PLENA's form, and what it became."""

    key: str
    value: bool | int | float | str
    """As the file has it; in words where it is no plain value."""
    becomes: str | None
    """Dotted name of the value; None where the key is not used."""
    note: str | None = None
    """How it was read, or why it is not used."""


def is_plena(content: dict[str, Any]) -> bool:
    """Whether a file has PLENA's form: a clock in MHz, or one of its keys with a plain value."""
    own = (
        key
        for section in ("memory", "host_link", "latency")
        for key, value in _mapping(content.get(section)).items()
        if f"{section}.{key}" in (*RULES, _USB) and not isinstance(value, dict)
    )
    return "clock_mhz" in content or next(own, None) is not None


def read_plena(document: Document) -> tuple[Board, tuple[FileKey, ...]]:
    """The board that the file describes, and every key of it with what it became."""
    for section in _SECTIONS:
        if not isinstance(document.content.get(section, {}), dict | None):
            raise document.refusal(section, "expected keys with values below it")
    reading = _Reading(document)
    for key, rule in RULES.items():
        reading.take(key, rule)
    _link_of_usb(reading)
    _bus_width(reading)
    _element_bits(reading)
    _tile(reading)
    _require(reading)
    keys = tuple(reading.file_keys())
    return _board(reading, keys), keys


class _Reading:
    """A file while it is read: its values, those of ours found so far, and what keys became."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.file = clean_end(Path(str(document.file)).name, _MOST_TEXT)
        self.source = f"published by {self.file}"
        self.leaves: dict[str, Any] = dict(_leaves(document.content, ""))
        self.found: dict[str, dict[str, Any]] = {}
        """Dotted name of ours to a value with its basis."""
        self.became: dict[str, tuple[str | None, str | None]] = {}

    def take(self, key: str, rule: Rule) -> None:
        """Let one key become what its rule says, where the file has it."""
        if self.leaves.get(key) is None:
            return
        if not rule.becomes:
            self.became[key] = (None, rule.note)
        elif rule.becomes in self.found:
            first = next(k for k, (place, _) in self.became.items() if place == rule.becomes)
            self.became[key] = (None, f"{first} goes before it")
        elif rule.unit is None:
            self.give(key, rule.becomes, self.text(key))
        else:
            value = self.number(key, self.leaves[key], rule.unit)
            self.give(key, rule.becomes, value, note=rule.note)

    def give(self, key: str, place: str, value: Any, **more: Any) -> None:
        """One value of ours, from a key of the file."""
        known = {name: item for name, item in more.items() if item is not None}
        self.found[place] = {"value": value, "basis": "published", "source": self.source} | known
        self.became[key] = (place, more.get("note"))

    def text(self, key: str) -> str:
        """The text at a key."""
        value = self.leaves[key]
        if isinstance(value, str) and key == "description":
            value = clean(value, 10 * _MOST_TEXT)
        elif isinstance(value, str) and len(value) > _MOST_TEXT:
            value = ""
        if not isinstance(value, str) or not value.strip():
            wanted = f"expected a text of at most {_MOST_TEXT} characters"
            raise self.document.refusal(key, f"{wanted}, found {_short(self.leaves[key])}")
        return value

    def number(self, key: str, value: Any, unit: Unit) -> int:
        """A number in our unit; a sentence refuses what is none or cannot be."""
        whole = "whole " if unit.factor == 1 else ""
        wanted = f"expected a {whole}number of {unit.name}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            hint = " (write 4_750_000 or 4.75e+6)" if _is_exponent(value) else ""
            shown = f"the text {_short(value)!r}" if isinstance(value, str) else _short(value)
            raise self.document.refusal(key, f"{wanted}, found {shown}{hint}")
        if not _is_finite(value) or (whole and value != int(value)):
            raise self.document.refusal(key, f"{wanted}, found {_short(value)}")
        low, high = unit.least / unit.factor, unit.most // unit.factor
        found = round(value * unit.factor) if value <= high else unit.most + 1
        if not unit.least <= found <= unit.most:
            ends = f"from {low:g} to {high:,}"
            raise self.document.refusal(key, f"{wanted} {ends}, found {_short(value)}")
        return found

    def file_keys(self) -> Iterator[FileKey]:
        """Every key of the file in its order, with what it became or why it is not used."""
        for key, value in self.leaves.items():
            becomes, note = self.became.get(key, (None, None))
            if becomes is None and note is None:
                section = key.partition(".")[0]
                note = plena_keys.UNUSED_SECTIONS.get(section, plena_keys.UNKNOWN)
                note = "it has no value" if value is None else note
            yield FileKey(clean(key, _MOST_TEXT), _plain(value), becomes, note)


def _link_of_usb(reading: _Reading) -> None:
    """The link of a file that only states `usb2_bandwidth_mbps`, which was read in two units."""
    value = reading.leaves.get(_USB)
    if value is None:
        return
    if any(place.startswith("host_link.") for place in reading.found):
        reading.became[_USB] = (None, "host_link goes before it")
        return
    rate = reading.number(_USB, value, plena_keys.MEGABYTES_PER_S)
    low = max(1, rate // _BITS_PER_BYTE)
    note = f"read as MB/s, as PLENA's documents use it; low: the same number in Mbit/s, {low:,}"
    reading.give(_USB, "host_link.kind", "usb2")
    reading.give(_USB, "host_link.effective_bytes_per_s", rate, low=low, note=note)


def _bus_width(reading: _Reading) -> None:
    """Data lines of the memory's bus, written like x16 or 16."""
    value = reading.leaves.get(_WIDTH)
    if value is None:
        return
    match = _LANES.fullmatch(str(value).strip())
    lanes = int(match.group(1)) if match else 0
    if not lanes:
        wanted = "expected the data lines of the memory, like x16"
        raise reading.document.refusal(_WIDTH, f"{wanted}, found {_short(value)}")
    reading.give(_WIDTH, "memory.bus_width_bits", lanes)


def _element_bits(reading: _Reading) -> None:
    """Bits of a weight: a width, or exponent, mantissa and a sign that the file does not deny.

    A format of which the file states no scale has none.
    """
    names = ("width",) if reading.leaves.get(f"{_WEIGHT}.width") else ("exponent", "mantissa")
    parts = {name: reading.leaves.get(f"{_WEIGHT}.{name}") for name in names}
    if None in parts.values():
        return
    bits = sum(
        reading.number(f"{_WEIGHT}.{name}", value, plena_keys.BITS._replace(least=0))
        for name, value in parts.items()
    )
    bits += len(names) > 1 and reading.leaves.get(f"{_WEIGHT}.sign") is not False
    note = f"sign, exponent and mantissa: {bits} bits" if len(names) > 1 else f"{bits} bits"
    if "core.scale_bits" not in reading.found:
        note += "; the file states no scale, so there is none"
        reading.give(f"{_WEIGHT}.{names[0]}", "core.scale_bits", 0, note=note)
        reading.found.setdefault("core.block", reading.found["core.scale_bits"] | {"value": 1})
    for name in parts:
        reading.give(f"{_WEIGHT}.{name}", "core.element_bits", max(1, bits), note=note)


def _tile(reading: _Reading) -> None:
    """The largest tile sizes that the file calls proven."""
    hints = reading.leaves.get(_TILES)
    if hints is None:
        return
    if not isinstance(hints, list) or not all(isinstance(hint, dict) for hint in hints):
        wanted = "expected a list of mlen, vlen, blen and status"
        raise reading.document.refusal(_TILES, f"{wanted}, found {_short(hints)}")
    sizes: list[list[int]] = [
        [_tile_size(reading, number, name) for name in _TILE_SIZES]
        for number, hint in enumerate(hints)
        if hint.get("status") == "proven"
    ]
    if not sizes:
        reading.became[_TILES] = (None, "none of them is called proven")
        return
    note = f"the largest of {len(sizes)} that the file calls proven"
    largest = max(sizes, key=lambda size: size[0] * size[-1])
    for name, size in zip(_TILE_SIZES, largest, strict=True):
        reading.give(_TILES, f"core.{name}", size, note=note)
    reading.became[_TILES] = ("core.mlen, core.vlen, core.blen", note)


def _tile_size(reading: _Reading, number: int, name: str) -> int:
    hint = reading.leaves[_TILES][number]
    return reading.number(f"{_TILES}[{number}].{name}", hint.get(name), plena_keys.VALUES)


def _require(reading: _Reading) -> None:
    """Refuse a file without what every board must have; fill in a peak that is not stated."""
    found, file = reading.found, str(reading.document.file)
    if "name" not in found:
        raise InputError(file, "expected the board's name, found none: add a line 'name: …'")
    if "memory.capacity_bytes" not in found:
        keys = "capacity_bytes, physical_size_bytes or hbm_size_bytes"
        raise InputError(file, f"memory: expected {keys}, found none")
    if "memory.peak_bytes_per_s" not in found:
        effective = found.get("memory.effective_bytes_per_s")
        if effective is None:
            keys = "peak_bandwidth_gbps, hbm_bandwidth_gbps or effective_bandwidth_gbps"
            raise InputError(file, f"memory: expected {keys} in GB/s, found none")
        note = "the file states no peak: its effective rate stands here"
        found["memory.peak_bytes_per_s"] = effective | {"basis": "assumed", "note": note}
    if any(place.startswith("host_link.") for place in found) and "host_link.kind" not in found:
        raise InputError(file, "host_link: expected a type, like usb2 or pcie_gen2_x4, found none")
    if any(place.startswith("latency.") for place in found):
        missing = [
            key
            for key in plena_keys.NEEDED_LATENCIES
            if reading.leaves.get(f"latency.{key}") is None
        ]
        if missing:
            raise InputError(file, f"latency: expected {', '.join(missing)}, found none")


def _board(reading: _Reading, keys: tuple[FileKey, ...]) -> Board:
    used = sum(key.becomes is not None for key in keys)
    note = f"PLENA's own form: {used} of the {len(keys)} keys of {reading.file} are used, "
    unknown = [key.key for key in keys if key.note == plena_keys.UNKNOWN]
    more = f", and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    known = f"; unknown keys: {', '.join(unknown[:_SHOWN])}{more}" if unknown else ""
    plain: dict[str, Any] = {
        "sources": {"file": reading.source},
        "summary": f"the board of PLENA's file {reading.file}",
        "notes": (note + "'lanescope boards show' with the file lists them" + known,),
    }
    for place, given in reading.found.items():
        section, dot, name = place.partition(".")
        if dot:
            plain.setdefault(section, {})[name] = given
        else:
            plain[section] = given["value"] if section in ("name", "summary") else given
    return msgspec.convert(plain, Board)


def _leaves(content: dict[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    """Every value that is no mapping, by its dotted key, in the order of the file."""
    for key, value in content.items():
        place = f"{above}.{key}".removeprefix(".")
        if isinstance(value, dict) and value:
            yield from _leaves(value, place)
        else:
            yield place, value


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_finite(value: float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def _is_exponent(value: Any) -> bool:
    return isinstance(value, str) and bool(_EXPONENT.fullmatch(value))


def _plain(value: Any) -> bool | int | float | str:
    """A value that JSON can carry: itself, or in words."""
    small = isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 63)
    return value if small and _is_finite(value) else _short(value)


def _short(value: Any) -> str:
    """A value of the file in a few characters."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return clean(str(value)) if isinstance(value, str | int | float) else clean(repr(value))
