"""An emulator's scoreboard once more, small and on its own: in-order issue, one per cycle, four
units that are not pipelined, transfers beside them. It reads the program's text by itself.

Rules: AICrossSim/PLENA_Simulator 117154b1. Memory is one range each: matrix and vector SRAM.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

UNITS = {"M": "matrix", "V": "vector", "S": "scalar", "C": "scalar", "H": "dma"}
Instruction = tuple[int, str, tuple[str, ...]]
"""pc, opcode, operands"""


def instructions(text: str) -> list[Instruction]:
    """The lines with an instruction, numbered."""
    rows = [line.split(";")[0].replace(",", " ").split() for line in text.splitlines()]
    return [(pc, words[0], tuple(words[1:])) for pc, words in enumerate(filter(None, rows))]


def executed(program: list[Instruction]) -> Iterator[Instruction]:
    """The instructions as they run: the end of a loop jumps behind its start."""
    at, loops = 0, []
    while at < len(program):
        yield program[at]
        _, opcode, operands = program[at]
        if opcode == "C_LOOP_START":
            loops.append([at, int(operands[1])])
        elif opcode == "C_LOOP_END":
            loops[-1][1] -= 1
            if loops[-1][1]:
                at = loops[-1][0]
            else:
                loops.pop()
        at += 1


def scoreboard(text: str, cycles: Mapping[str, int], extra: Mapping[int, int] | None = None) -> str:
    """The lines of a run; `extra` are cycles that single instructions (by pc) take more."""
    free = dict.fromkeys(UNITS.values(), 0)
    ready: dict[str, int] = {}
    issue, lines = -1, []
    for pc, opcode, operands in executed(instructions(text)):
        unit = UNITS[opcode[0]]
        needs = [ready.get(name, 0) for name in operands]
        if opcode[0] in "MV":
            needs.append(ready.get(f"H_PREFETCH_{opcode[0]}", 0))
        if opcode.startswith("H_PREFETCH"):
            needs.append(ready.get("H_STORE_V", 0))
        issue = max(issue + 1, free[unit], *needs)
        finish = issue + cycles[opcode] + (extra or {}).get(pc, 0)
        free[unit] = finish
        ready[opcode if opcode[0] == "H" else (operands or ("",))[0]] = finish
        form = f"{opcode} {{ {', '.join(operands)} }}"
        times = {"issue_ps": 1000 * issue, "finish_ps": 1000 * finish}
        lines.append(json.dumps({"pc": pc, "op": form, "unit": unit, **times}))
    return "\n".join(lines) + "\n"


def op_stats(text: str, cycles: Mapping[str, int]) -> str:
    """The lines of a serial run: those that cost nothing are only in the sums."""
    counts: dict[str, int] = {}
    lines, total = [], 0
    for pc, opcode, _ in executed(instructions(text)):
        counts[opcode] = counts.get(opcode, 0) + 1
        total += cycles[opcode] * 1000
        if cycles[opcode]:
            lines.append(json.dumps({"pc": pc, "op": opcode, "dt_ps": cycles[opcode] * 1000}))
    ops = [{"op": opcode, "count": count} for opcode, count in counts.items()]
    lines.append(json.dumps({"aggregate": True, "total_dt_ps": total, "ops": ops}))
    return "\n".join(lines) + "\n"


def published(file: Path, board: str) -> dict[str, int]:
    """Cycles per opcode of a core of MLEN 64, as the published profiler has them."""
    costs: dict[str, int] = json.loads(file.read_text())[f"main:{board}"]
    return costs
