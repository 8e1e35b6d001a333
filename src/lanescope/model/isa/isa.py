"""An instruction set as data: opcodes with operands and unit, and what each reads and writes.

A range is written `MEMORY @ OPERAND [+ OPERAND] x COUNT [step OPERAND] [part]`: COUNT granules of a
memory from the address in a register; `part` says that a granule is written in part only.
A file with `extends` says only what it adds to another one, changes of it or leaves out.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from lanescope.errors import InputError, UsageError
from lanescope.model.data_file import data_names, read_data
from lanescope.model.expression import FormulaError, evaluate

_PACKAGE = "lanescope.model.isa"
_OPERAND = re.compile(r"(\w+)=(\w+(?:\|\w+)*)(\?)?")
_RANGE = re.compile(r"(\w+) @ (\w+)(?: \+ (\w+))? x ([^@]+?)(?: step (\w+))?( part)?")
OPERAND_NUMBER = re.compile(r"\{(\w+)(?:\|(\d+))?\}")
"""`{role}` in a name: the number of that operand; `{role|0}` is 0 where it was left out."""
IMMEDIATE = "imm"
OPEN = "imm"
"""Role of the number that patterns of lines leave open."""


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


class Count(Struct, frozen=True, forbid_unknown_fields=True):
    """How often a loop turns that says so at run time only."""

    name: str
    """What `--bind` calls it."""
    least: int
    most: str | int


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
    value: (
        Literal["add", "addi", "sub", "mul", "lui", "loop", "join", "copy"]
        | Literal["sll", "slli", "srl", "srli", "div", "rem"]
        | None
    ) = None
    """What the register that it writes holds afterwards, where addresses depend on it."""
    loop: Literal["start", "end", "break"] | None = None
    counts: Count | None = None
    """Of a loop's start without a count: the bounds of how often the loop turns."""
    sets: dict[str, str | int] = {}
    """Names that have another value afterwards; a formula may name operands and names."""
    uses: dict[str, str] = {}
    """Names of its formulas to the names that they stand for; `{role}` is an operand's number."""
    word: str = ""
    """Where operands are in a word that does not have them where most have them; see words.py."""
    called: str | None = None
    """What operation tables call its number, names between `|`; without it its own name."""
    by: str | None = None
    """One of the names that it uses, which chooses the cost: a source lists OPCODE.NUMBER."""
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


class OpcodeChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What another file changes of an opcode: a new number, more operands and effects."""

    code: int | None = None
    operands: str = ""
    word: str | None = None
    called: str | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    uses: dict[str, str] = {}


class IsaFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data file of an instruction set; with `extends` only what differs from another one."""

    name: str
    summary: str
    sources: tuple[str, ...]
    extends: str | None = None
    """Name of a built-in instruction set, or a file beside this one."""
    without: tuple[str, ...] = ()
    """Opcodes of the extended set that this one does not have."""
    changes: dict[str, OpcodeChange] = {}
    comments: tuple[str, ...] = ()
    registers: dict[str, RegisterFile] = {}
    state: tuple[str, ...] = ()
    memories: dict[str, str | int] = {}
    """Name to the size of a granule, in the memory's own addresses."""
    units: tuple[str, ...] = ()
    names: dict[str, str | int] = {}
    """Names that formulas may use, beside those of the core."""
    most: dict[str, int] = {}
    """The most that such a name can be, where a program does not say what it is."""
    opcodes: dict[str, Opcode] = {}


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
    family: tuple[str, ...]
    """Its name, and those of the sets that it extends, the nearest first."""

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
        return _ready("ISA " + str(name), *_whole(files(_PACKAGE) / f"{name}.yaml"))
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return _ready(str(path), *_whole(path))
    raise UsageError(f"no ISA {str(name)!r}; there are {', '.join(isa_names())}, or name a file")


def _whole(path: Path | Traversable, inside: tuple[str, ...] = ()) -> tuple[IsaFile, list[str]]:
    """The file with all that it extends, and the names of the sets, the nearest first."""
    file = read_data(path, IsaFile)
    if file.extends is None:
        wanted = ("comments", "registers", "memories", "units", "opcodes")
        missing = [key for key in wanted if not getattr(file, key)]
        if missing:
            raise InputError(str(path), f"expected {missing[0]}, or extends, found neither")
        return file, [file.name]
    if str(path) in inside:
        raise InputError(str(path), f"extends {file.extends!r}, which extends this one")
    if file.extends in isa_names():
        base = files(_PACKAGE) / f"{file.extends}.yaml"
    else:
        base = Path(str(path)).parent / file.extends
    whole, family = _whole(base, (*inside, str(path)))
    return _extended(str(path), file, whole), [file.name, *family]


def _extended(path: str, file: IsaFile, base: IsaFile) -> IsaFile:
    """The extended set with what the file adds, changes and leaves out."""
    for name in (*file.without, *file.changes):
        if name not in base.opcodes:
            raise InputError(path, f"{base.name!r} has no opcode {name!r} to change or leave out")
    opcodes = {name: op for name, op in base.opcodes.items() if name not in file.without}
    for name, change in file.changes.items():
        opcode = opcodes[name]
        opcodes[name] = replace(
            opcode,
            code=opcode.code if change.code is None else change.code,
            operands=f"{opcode.operands} {change.operands}".strip(),
            word=opcode.word if change.word is None else change.word,
            called=opcode.called if change.called is None else change.called,
            reads=opcode.reads + change.reads,
            writes=opcode.writes + change.writes,
            uses=opcode.uses | change.uses,
        )
    return replace(
        file,
        sources=base.sources + file.sources,
        comments=file.comments or base.comments,
        registers=base.registers | file.registers,
        state=base.state + file.state,
        memories=base.memories | file.memories,
        units=base.units + file.units,
        names=base.names | file.names,
        most=base.most | file.most,
        opcodes=opcodes | file.opcodes,
    )


def _ready(path: str, file: IsaFile, family: list[str]) -> Isa:
    forms = {}
    for index, (name, opcode) in enumerate(file.opcodes.items()):
        if not 0 <= opcode.code < 64:
            raise InputError(
                path, f"opcodes.{name}: expected a code of 0 to 63, found {opcode.code}"
            )
        if opcode.unit not in file.units:
            raise InputError(path, f"opcodes.{name}: unknown unit {opcode.unit!r}")
        if opcode.clears is not None and opcode.clears not in opcode.writes:
            raise InputError(path, f"opcodes.{name}: clears {opcode.clears!r} without writing it")
        operands = _operands(path, name, opcode.operands)
        roles = {operand.role: operand for operand in operands}
        try:
            reads = tuple(_effect(text, roles, file) for text in opcode.reads)
            writes = tuple(_effect(text, roles, file) for text in opcode.writes)
            _check_names(opcode, roles, file)
        except (ValueError, FormulaError) as error:
            raise InputError(path, f"opcodes.{name}: {error}") from error
        forms[name] = Form(name, index, opcode, operands, reads, writes)
    return Isa(file, forms, tuple(forms), tuple(family))


def _operands(path: str, name: str, text: str) -> tuple[Operand, ...]:
    operands = []
    for part in text.split():
        match = _OPERAND.fullmatch(part)
        if match is None:
            raise InputError(path, f"opcodes.{name}: expected role=kind, found {part!r}")
        operands.append(Operand(match[1], tuple(match[2].split("|")), bool(match[3])))
    return tuple(operands)


def _check_names(opcode: Opcode, roles: dict[str, Operand], file: IsaFile) -> None:
    """Raise a ValueError where a name has an operand, or a bound, that there is not."""
    for text in map(str, (*opcode.uses.values(), *opcode.sets, *opcode.sets.values())):
        for role, number in OPERAND_NUMBER.findall(text):
            if role not in roles and not number:
                raise ValueError(f"{text!r} names no operand {role!r}")
    if opcode.by is not None and opcode.by not in opcode.uses:
        raise ValueError(f"by {opcode.by!r}, which is not among the names that it uses")
    if opcode.counts is not None and (opcode.loop != "start" or len(roles) < 2):
        raise ValueError("counts without a loop's start with a register and a count")
    if opcode.counts is not None and evaluate(opcode.counts.most, file.most) < opcode.counts.least:
        raise ValueError("counts with a most below the least")


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
