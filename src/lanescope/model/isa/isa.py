"""An instruction set as data: opcodes with operands and unit, and what each reads and writes.

A range is written `MEMORY @ OPERAND [+ OPERAND] x COUNT [step OPERAND] [part]`: COUNT granules of a
memory from the address in a register; `part` says that a granule is written in part only.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from lanescope.errors import InputError, UsageError
from lanescope.model.data_file import data_names, read_data

_PACKAGE = "lanescope.model.isa"
_OPERAND = re.compile(r"(\w+)=(\w+(?:\|\w+)*)(\?)?")
_RANGE = re.compile(r"(\w+) @ (\w+)(?: \+ (\w+))? x ([^@]+?)(?: step (\w+))?( part)?")
IMMEDIATE = "imm"


class Operand(NamedTuple):
    """One place behind the opcode."""

    role: str
    kinds: tuple[str, ...]
    """What may stand there: names of register files, or `imm`."""
    optional: bool


class Range(NamedTuple):
    """Granules of a memory that an instruction touches."""

    memory: str
    base: str
    """Role of the operand with the address."""
    offset: str | None
    """Role of an immediate that is added to the address."""
    granules: str
    """Formula of the number of granules."""
    step: str | None
    """Role of the operand with the distance between two granules."""
    part: bool
    """Whether a granule is written in part only."""


class RegisterFile(Struct, frozen=True, forbid_unknown_fields=True):
    """Registers of one kind."""

    count: Annotated[int, Meta(gt=0, le=256)]
    zero: int | None = None
    """The register that always holds zero."""
    integer: bool = False
    """Whether addresses are computed in the registers."""


class Opcode(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One instruction of the set, as its file has it."""

    code: int
    operands: str = ""
    unit: str
    category: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    clears: str | None = None
    """A state that it leaves empty: the next instruction does not wait for a result there."""
    value: Literal["add", "addi", "sub", "mul", "lui", "loop", "join", "copy"] | None = None
    """What the register that it writes holds afterwards, where addresses depend on it."""
    loop: Literal["start", "end", "break"] | None = None
    transfer: bool = False
    """Whether it moves data between the board's memory and the chip, while the core computes."""
    stores: bool = False
    """Whether a transfer writes to the board's memory; it reads the same bytes first."""
    rows: str | int | None = None
    """Rows of the board's memory that a transfer moves."""
    row_elements: str | int | None = None
    """Elements of one such row."""
    traffic_bytes: str | int = 0
    """Bytes on the memory bus."""
    useful_bytes: str | int = 0
    """Of these, the bytes that were asked for."""
    flop: str | int = 0
    note: str | None = None


class IsaFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data file of an instruction set."""

    name: str
    summary: str
    sources: tuple[str, ...]
    comments: tuple[str, ...]
    registers: dict[str, RegisterFile]
    state: tuple[str, ...]
    memories: dict[str, str | int]
    """Name to the size of a granule, in the memory's own addresses."""
    units: tuple[str, ...]
    opcodes: dict[str, Opcode]


class Form(NamedTuple):
    """An opcode with its operands and effects taken apart."""

    name: str
    number: int
    opcode: Opcode
    operands: tuple[Operand, ...]
    reads: tuple[str | Range, ...]
    writes: tuple[str | Range, ...]


class Isa(NamedTuple):
    """An instruction set with all opcodes taken apart."""

    file: IsaFile
    forms: dict[str, Form]
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the instruction set."""
        return self.file.name


def isa_names() -> tuple[str, ...]:
    """Names of the instruction sets that come with lanescope, in order."""
    return data_names(_PACKAGE)


@cache
def load_isa(name: str | Path) -> Isa:
    """Read a built-in instruction set by its name, or one from a YAML file by its path."""
    if str(name) in isa_names():
        return _ready("ISA " + str(name), read_data(files(_PACKAGE) / f"{name}.yaml", IsaFile))
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return _ready(str(path), read_data(path, IsaFile))
    raise UsageError(f"no ISA {str(name)!r}; there are {', '.join(isa_names())}, or name a file")


def _ready(path: str, file: IsaFile) -> Isa:
    forms = {}
    for index, (name, opcode) in enumerate(file.opcodes.items()):
        if opcode.unit not in file.units:
            raise InputError(path, f"opcodes.{name}: unknown unit {opcode.unit!r}")
        if opcode.clears is not None and opcode.clears not in opcode.writes:
            raise InputError(path, f"opcodes.{name}: clears {opcode.clears!r} without writing it")
        operands = _operands(path, name, opcode.operands)
        roles = {operand.role: operand for operand in operands}
        try:
            reads = tuple(_effect(text, roles, file) for text in opcode.reads)
            writes = tuple(_effect(text, roles, file) for text in opcode.writes)
        except ValueError as error:
            raise InputError(path, f"opcodes.{name}: {error}") from error
        forms[name] = Form(name, index, opcode, operands, reads, writes)
    return Isa(file, forms, tuple(forms))


def _operands(path: str, name: str, text: str) -> tuple[Operand, ...]:
    operands = []
    for part in text.split():
        match = _OPERAND.fullmatch(part)
        if match is None:
            raise InputError(path, f"opcodes.{name}: expected role=kind, found {part!r}")
        operands.append(Operand(match[1], tuple(match[2].split("|")), bool(match[3])))
    return tuple(operands)


def _effect(text: str, roles: dict[str, Operand], file: IsaFile) -> str | Range:
    """The operand, state or range that a text means; a ValueError where it means none."""
    if text in roles or text in file.state:
        return text
    match = _RANGE.fullmatch(text)
    if match is None or match[1] not in file.memories:
        raise ValueError(f"expected an operand, a state or a range, found {text!r}")
    wrong = [role for role in (match[2], match[3], match[5]) if role and role not in roles]
    if wrong:
        raise ValueError(f"{text!r} names no operand {wrong[0]!r}")
    return Range(match[1], match[2], match[3], match[4], match[5], bool(match[6]))
