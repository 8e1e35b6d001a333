"""The machine of the overlapped schedule once more, plainly: every turn of every loop as a list,
dictionaries for registers and granules, straight from the ISA's forms. Slow and easy to check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from lanescope.model.cost.table import CostTable
from lanescope.model.expression import evaluate
from lanescope.model.isa.isa import Range
from lanescope.model.isa.lines import Line
from lanescope.model.isa.parse import Program
from lanescope.model.schedule.overlap import Transfers

WORD = 1 << 32
ANYWHERE = "anywhere"
"""The place of an access whose address is not known."""
EVER = "ever"
"""The latest of all accesses so far: what such an access waits for."""
Place = tuple[str, "int | str"]


@dataclass
class Machine:
    program: Program
    table: CostTable
    transfers: Transfers
    cycles: list[int] | None = None
    values: dict[str, int | None] = field(default_factory=lambda: defaultdict(int))
    ready: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    path: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    written: dict[Place, int] = field(default_factory=lambda: defaultdict(int))
    written_path: dict[Place, int] = field(default_factory=lambda: defaultdict(int))
    read: dict[Place, int] = field(default_factory=lambda: defaultdict(int))
    read_before: dict[Place, int] = field(default_factory=lambda: defaultdict(int))
    free: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    moved: list[int] = field(default_factory=list)
    front: int = 0
    end: int = 0
    path_end: int = 0


def unroll(program: Program) -> list[tuple[int, int | None]]:
    """(row, turns left after it for loop instructions), in the order they run."""
    ends = {loop.start: loop for loop in program.loops}

    def block(first: int, last: int) -> list[tuple[int, int | None]]:
        found: list[tuple[int, int | None]] = []
        row = first
        while row <= last:
            if row in ends:
                loop = ends[row]
                found.append((row, loop.turns))
                for turn in range(loop.turns):
                    found += block(row + 1, loop.end - 1)
                    found.append((loop.end, loop.turns - turn - 1))
                row = loop.end + 1
            else:
                if program.opcode[row] >= 0:
                    found.append((row, None))
                row += 1
        return found

    return block(0, program.source_lines - 1)


def schedule(
    program: Program, table: CostTable, transfers: Transfers, cycles: list[int] | None = None
) -> tuple[int, int]:
    """Cycles of the overlapped schedule and of the critical path.

    `cycles` are those of every transfer in the order of execution, in place of the table's.
    """
    machine = Machine(program, table, transfers, cycles)
    for row, left in unroll(program):
        step(machine, row, left)
    return machine.end, machine.path_end


def name_of(machine: Machine, line: Line, effect: str) -> str | None:
    """The register or state that an effect names; None for zero registers and immediates."""
    isa = machine.program.isa.file
    if effect in isa.state:
        return effect
    found = line.operand(effect)
    if found is None or found[0] == "imm":
        return None
    kind, number = found
    return None if number == isa.registers[kind].zero else f"{kind}{number}"


def places(machine: Machine, line: Line, span: Range, pattern: int) -> list[Place] | None:
    """Granules of a range; None when the address is not known."""
    kind, register = line.operand(span.base) or ("", 0)
    base = machine.values[f"{kind}{register}"]
    step = 1
    if span.step is not None:
        kind, register = line.operand(span.step) or ("", 0)
        given = machine.values[f"{kind}{register}"]
        if given is None:
            return None
        step = max(1, given)
    if base is None:
        return None
    offset = (line.operand(span.offset) or ("", 0))[1] if span.offset else 0
    isa, own = machine.program.isa, machine.program.names.get(pattern, {})
    names = isa.file.most | machine.table.core.names
    names |= {name: value for name, value in own.items() if value is not None}
    granule = evaluate(machine.program.isa.file.memories[span.memory], names)
    first = (base + offset) % WORD // granule
    return [(span.memory, first + k * step) for k in range(evaluate(span.granules, names))]


def note_ever(times: dict[Place, int], memory: str, time: int) -> None:
    times[memory, EVER] = max(times[memory, EVER], time)


def step(machine: Machine, row: int, left: int | None) -> None:
    line = machine.program.at(row)
    assert line.form is not None
    number = int(machine.program.which[row])
    done, ready, interval = (
        int(column[number])
        for column in (machine.table.done, machine.table.ready, machine.table.interval)
    )
    opcode = line.form.opcode
    if opcode.transfer and machine.cycles is not None:
        done = ready = interval = machine.cycles[len(machine.moved)]
    sources = [
        n for e in line.form.reads if isinstance(e, str) and (n := name_of(machine, line, e))
    ]
    targets = [
        n for e in line.form.writes if isinstance(e, str) and (n := name_of(machine, line, e))
    ]
    spans = [
        [(e, places(machine, line, e, number)) for e in effects if isinstance(e, Range)]
        for effects in (line.form.reads, line.form.writes)
    ]
    loads, stores = [(e.memory, found) for e, found in spans[0]], spans[1]
    issue = max([machine.front, *(machine.ready[name] for name in sources + targets)])
    if opcode.transfer and len(machine.moved) >= machine.transfers.outstanding:
        issue = max(issue, machine.moved[-machine.transfers.outstanding])
    start = max(issue, machine.free[opcode.unit])
    path = max([0, *(machine.path[name] for name in sources)])
    for memory, found in loads:
        start = max(start, _load_bound(machine.written, memory, found))
        path = max(path, _load_bound(machine.written_path, memory, found))
    for span, found in stores:
        start = max(start, _store_bound(machine, span.memory, found, transfer=opcode.transfer))
    machine.front = (issue if opcode.transfer else start) + (done > 0)
    machine.free[opcode.unit] = start + interval
    if opcode.transfer:
        machine.moved.append(start + done)
    machine.end = max(machine.end, start + done)
    machine.path_end = max(machine.path_end, path + done)
    for memory, found in loads:
        note_ever(machine.read, memory, start + interval)
        for place in [(memory, ANYWHERE)] if found is None else found:
            machine.read[place] = max(machine.read[place], start + interval)
    for span, found in stores:
        _note_store(machine, span, found, times=(start + ready, path + ready))
    _note_value(machine, line, targets, left)
    for name in targets:
        machine.ready[name] = start + ready
        machine.path[name] = 0 if name == opcode.clears else path + ready


def _load_bound(times: dict[Place, int], memory: str, found: list[Place] | None) -> int:
    if found is None:
        return times[memory, EVER]
    return max(times[place] for place in [*found, (memory, ANYWHERE)])


def _store_bound(
    machine: Machine, memory: str, found: list[Place] | None, *, transfer: bool
) -> int:
    if found is None:
        return max(machine.written[memory, EVER], machine.read[memory, EVER])
    anywhere = (memory, ANYWHERE)
    bound = max(machine.written[anywhere], machine.read[anywhere])
    for place in found:
        if transfer and machine.transfers.buffers == 2:
            bound = max(bound, machine.read_before[place])
        else:
            bound = max(bound, machine.written[place], machine.read[place])
    return bound


def _note_store(
    machine: Machine, span: Range, found: list[Place] | None, *, times: tuple[int, int]
) -> None:
    written, path = times
    note_ever(machine.written, span.memory, written)
    note_ever(machine.written_path, span.memory, path)
    if found is None:
        place: Place = (span.memory, ANYWHERE)
        machine.written[place] = max(machine.written[place], written)
        machine.written_path[place] = max(machine.written_path[place], path)
    for place in found or []:
        machine.written[place] = written
        machine.read_before[place], machine.read[place] = machine.read[place], 0
        old = machine.written_path[place] if span.part else 0
        machine.written_path[place] = max(old, path)


RULES: dict[str, Callable[[int, int], int | None]] = {
    "add": lambda a, b: a + b,
    "addi": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    **dict.fromkeys(("sll", "slli"), lambda a, b: a << b if b < 32 else None),
    **dict.fromkeys(("srl", "srli"), lambda a, b: a >> b if b < 32 else None),
    "div": lambda a, b: a // b if b else None,
    "rem": lambda a, b: a % b if b else None,
}


def _note_value(machine: Machine, line: Line, targets: list[str], left: int | None) -> None:
    assert line.form is not None
    integers = [name for name in targets if name.startswith("gp")]
    if not integers:
        return

    def value(role: str) -> int | None:
        found = line.operand(role)
        assert found is not None
        return found[1] if found[0] == "imm" else machine.values[f"{found[0]}{found[1]}"]

    result: int | None = None
    rule = line.form.opcode.value or ""
    if rule == "loop":
        result = left
    elif rule == "lui":
        result = (value("imm") or 0) << 12
    elif rule in RULES:
        a, b = value("rs1"), value("imm" if rule.endswith("i") else "rs2")
        result = None if a is None or b is None else RULES[rule](a, b)
    machine.values[integers[0]] = None if result is None else result % WORD
