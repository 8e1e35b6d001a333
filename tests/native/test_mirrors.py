"""Structs that Python has a copy of: each one's fields lie where the C library has them."""

from __future__ import annotations

import ctypes
import importlib
import re
from ctypes import Structure, byref, c_int32
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lanescope import native
from lanescope.formats.json_cells import CellType
from lanescope.native import areas, assembly, machine, paths, proto, structs, tiling

ROOT = Path(__file__).parents[2]

Mirror = type[Structure] | np.dtype[Any]
Field = tuple[str, int, int, str]
"""Name, offset, bytes, and the letter of its elements as in ls_layout_field."""

MIRRORS: dict[str, Mirror] = {
    "ls_json_pool": structs.JsonPool,
    "ls_json_column": structs.JsonColumn,
    "ls_json_error": structs.JsonError,
    "ls_proto_messages": proto._Messages,
    "ls_proto_column": proto._Column,
    "ls_proto_list": proto._List,
    "ls_proto_error": proto._Error,
    "ls_layout_field": structs.LayoutField,
    "ls_constant": structs.Constant,
    "ls_record_kind": structs.RecordKindRow,
    "ls_cost": structs.CostRow,
    "ls_machine_truth": machine.TruthRow,
    "ls_machine_piece": machine.EnginePiece,
    "ls_machine_span": machine.OpSpan,
    "ls_asm_words": assembly._Words,
    "ls_asm_form": assembly.ASM_FORM,
    "ls_asm_pattern": assembly.ASM_PATTERN,
    "ls_asm_lines": assembly._Lines,
    "ls_schedule": structs.Schedule,
    "ls_range": structs.SCHEDULE_RANGE,
    "ls_line": structs.SCHEDULE_LINE,
    "ls_transfer": structs.SCHEDULE_TRANSFER,
    "ls_moments": tiling._MomentsStruct,
    "ls_tiling": tiling._TilingStruct,
    "ls_area_bars": areas._Bars,
    "ls_area_sums": areas.SUMS,
    "ls_area_search": areas.SEARCH,
    "ls_walk": paths._WalkStruct,
}
LETTERS = {
    ctypes.c_int32: "i",
    ctypes.c_int64: "I",
    ctypes.c_uint32: "u",
    ctypes.c_uint64: "U",
    ctypes.c_char: "c",
    ctypes.c_char_p: "P",
    ctypes.c_void_p: "P",
    np.dtype("<i4"): "i",
    np.dtype("<i8"): "I",
    np.dtype("<u8"): "U",
}


def letter(element: Any) -> str:
    if isinstance(element, np.dtype):
        return "R" if element.names else LETTERS[element]
    return "R" if issubclass(element, Structure) else LETTERS[element]


def fields_of(mirror: Mirror) -> tuple[int, list[Field]]:
    """Bytes and fields of Python's copy."""
    if isinstance(mirror, np.dtype):
        assert mirror.names is not None and mirror.fields is not None
        parts = [(name, *mirror.fields[name][:2]) for name in mirror.names]
        return mirror.itemsize, [
            (name, offset, part.itemsize, letter(part.base)) for name, part, offset in parts
        ]
    listed = [(entry[0], entry[1]) for entry in mirror._fields_]
    places = {name: getattr(mirror, name) for name, _ in listed}
    return ctypes.sizeof(mirror), [
        (name, places[name].offset, places[name].size, letter(kind)) for name, kind in listed
    ]


def c_structs() -> dict[str, tuple[int, list[Field]]]:
    """Bytes and fields of every struct in the library's table."""
    count = c_int32()
    table = native.library().ls_mirror_table(byref(count))
    described: dict[str, tuple[int, list[Field]]] = {}
    for row in table[: count.value]:
        _, fields = described.setdefault(row.type.decode(), (int(row.type_bytes), []))
        fields.append((row.field.decode(), row.offset, row.bytes, row.element.decode()))
    return described


def mirrors_in(module: ModuleType) -> list[Mirror]:
    """The structs and dtypes that a module defines."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, np.dtype)
        or (
            isinstance(value, type)
            and issubclass(value, Structure)
            and value.__module__ == module.__name__
        )
    ]


@pytest.mark.parametrize("name", MIRRORS)
def test_a_copy_lies_as_its_struct_does(name: str) -> None:
    assert fields_of(MIRRORS[name]) == c_structs()[name]


def test_every_copy_is_compared() -> None:
    names = [file.stem for file in (ROOT / "src/lanescope/native").glob("[a-z]*.py")]
    modules = [native, *(importlib.import_module(f"lanescope.native.{name}") for name in names)]
    copies = [mirror for module in modules for mirror in mirrors_in(module)]
    assert {id(mirror) for mirror in copies} == {id(mirror) for mirror in MIRRORS.values()}
    assert set(c_structs()) == set(MIRRORS)


def codes(enum: str) -> dict[str, int]:
    """Names and numbers of an enum of native.h, as its text has them."""
    text = (ROOT / "native/src/native.h").read_text()
    [body] = re.findall(rf"^enum {enum} {{(.*?)}};", text, re.MULTILINE | re.DOTALL)
    return {name: int(number) for name, number in re.findall(r"LS_(\w+) = (\d+)", body)}


def test_codes_that_python_has_are_those_of_the_library() -> None:
    """C has no use for some of them: what they stand for is only a place in a table."""
    moments = {name.partition("_")[2]: code for name, code in codes("ls_tile_what").items()}
    assert moments.pop("STATES") == tiling.READY
    assert moments == {name: getattr(tiling, name) for name in moments}
    tiles = codes("ls_tile")
    assert tiles.pop("TILES") == len(tiling.TILES)
    assert list(tiles.values()) == list(range(tiling.READY, len(tiling.TILES)))
    assert codes("ls_cause") == {
        "CAUSE_NONE": paths.NO_CAUSE,
        "CAUSE_DATA": paths.DATA,
        "CAUSE_CORE": paths.CORE,
        "CAUSE_SUBMIT": paths.SUBMIT,
    }
    assert codes("ls_json_type") == {f"JSON_{one.name}": one.value for one in CellType}


def test_the_architecture_page_says_how_many_there_are() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    [said] = re.findall(r"Python\s+mirrors\s+(\d+)\s+structs", page)
    assert int(said) == len(MIRRORS)
