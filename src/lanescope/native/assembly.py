"""The text of a program to numbers, through the C library (native/src/assembly.c)."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import Structure, c_int64, c_void_p
from typing import NamedTuple

import numpy as np

from lanescope.native import Array, library

OPERANDS = 8
"""Operands that an opcode has at most: LS_ASM_OPERANDS."""
NUMBER, REGISTER, KINDS = 1, 2, 64
"""Kinds of operands: ls_asm_kind. Register file k has the kind REGISTER + k."""
NOTHING, ODD = 0, 1
"""The first patterns of every program: no instruction, and one that the caller reads."""

ASM_FORM = np.dtype([("kinds", np.uint64, OPERANDS), ("counts", np.int32), ("open", np.int32)])
"""What may stand behind an opcode (ls_asm_form)."""
ASM_PATTERN = np.dtype(
    [
        ("values", np.int64, OPERANDS),
        ("kinds", np.uint64),
        ("opcode", np.int32),
        ("spare", np.int32),
    ]
)
"""An opcode with its operands, but for the number that it leaves open (ls_asm_pattern)."""


class AsmTables(NamedTuple):
    """The words of an instruction set."""

    opcodes: Sequence[str]
    forms: Array
    """Per opcode what may stand behind it (ASM_FORM)."""
    registers: Mapping[str, int]
    """Register file to the number of its registers."""
    marks: Sequence[str]
    """What starts a comment; none is empty."""


class AsmLines(NamedTuple):
    """A program's text as numbers."""

    patterns: Array
    """What lines have in common that differ in spaces, comment and one number (ASM_PATTERN)."""
    which: Array
    """Per line: its pattern; ODD where the caller has to read it."""
    start: Array
    """Per line: its first byte."""
    column: Array
    """Per line: column of its opcode, from 1."""
    comment: Array
    """Per line: first visible byte of its comment, -1 without one."""
    number: Array
    """Per line: the number that its pattern leaves open, or 0."""


class _Words(Structure):
    _fields_ = (("text", c_void_p), ("first", c_void_p), ("count", c_int64))


class _Lines(Structure):
    _fields_ = (
        ("text", c_void_p),
        ("length", c_int64),
        ("rows", c_int64),
        ("opcodes", _Words),
        ("files", _Words),
        ("marks", _Words),
        ("forms", c_void_p),
        ("registers", c_void_p),
        ("opcode_slots", c_int64),
        ("opcode_table", c_void_p),
        ("pattern_slots", c_int64),
        ("pattern_table", c_void_p),
        ("patterns", c_void_p),
        ("which", c_void_p),
        ("start", c_void_p),
        ("column", c_void_p),
        ("comment", c_void_p),
        ("number", c_void_p),
    )


def read_assembly(text: bytes, rows: int, tables: AsmTables) -> AsmLines:
    """Read the first `rows` lines of a text; lines end with \\n.

    Lines that are not plain ASCII up to their comment, or not right, have the pattern ODD.
    """
    if len(text) >= 1 << 31 or not 0 <= rows <= len(text) + 1:
        raise ValueError("the text must have fewer than 2^31 bytes, and at least the given lines")
    if len(tables.registers) > KINDS - REGISTER or not all(tables.marks):
        raise ValueError("too many register files, or an empty mark")
    content = np.frombuffer(text, np.uint8)
    words = [_words(part) for part in (tables.opcodes, tables.registers, tables.marks)]
    registers = np.array(list(tables.registers.values()), np.int32)
    forms = np.ascontiguousarray(tables.forms, ASM_FORM)
    slots = _slots(len(tables.opcodes)), _slots(rows + 2)
    patterns = np.empty(rows + 2, ASM_PATTERN)
    which, start, column, comment = (np.empty(rows, np.int32) for _ in range(4))
    number = np.empty(rows, np.int64)
    call = _Lines(
        content.ctypes.data,
        len(text),
        rows,
        *(_Words(blob.ctypes.data, first.ctypes.data, len(first) - 1) for blob, first in words),
        forms.ctypes.data,
        registers.ctypes.data,
        len(slots[0]),
        slots[0].ctypes.data,
        len(slots[1]),
        slots[1].ctypes.data,
        *(array.ctypes.data for array in (patterns, which, start, column, comment, number)),
    )
    used = library().ls_asm_read(ctypes.addressof(call))
    kept = patterns[:used] if 2 * used > rows else patterns[:used].copy()
    return AsmLines(kept, which, start, column, comment, number)


def _words(words: Sequence[str] | Mapping[str, int]) -> tuple[Array, Array]:
    """The bytes of all words, and where each one begins."""
    encoded = [word.encode() for word in words]
    first = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return np.frombuffer(b"".join(encoded) + b"\0", np.uint8), first


def _slots(entries: int) -> Array:
    """An empty hash table for so many entries."""
    return np.zeros(1 << (2 * entries + 1).bit_length(), np.int32)
