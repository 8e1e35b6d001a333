"""How fast a program is profiled and scheduled, against reading and splitting its lines.

    python -m benchmarks.predict [--json] [PROGRAM.asm ...]

Without programs, three made here of 66,000 lines each. The first repeats a few lines, as a compiler
writes them, with loops that run 459,000 instructions. In the other two every line differs: by one
number, and by opcode, registers, numbers and comment. Processor time, best of nine, in turns,
because these machines are noisy. The floor is what any Python tool must do: read the file, split
the lines, split off the first word of each. Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import IMMEDIATE, load_isa
from lanescope.model.isa.parse import read_program
from lanescope.model.schedule.detail import detail
from lanescope.model.schedule.figures import predict_known, predict_serial
from lanescope.model.schedule.overlap import Transfers

PEER_LINES_PER_S = 450_000
"""What the published profiler reads per second."""
OVER_FLOOR = {"repeating": 1.3, "differing": 3.8}
"""Most time of a profile, in floors. The machine that this was set on splits 3.8 M lines/s: there
it is 3 M lines/s, and 1 M lines/s where more than half of the lines differ."""
FEW_LINES = 10_000
"""Programs with fewer lines have no target for the profile: the same 1 to 2 ms count for all."""
MEMORY_MB = 300
"""Most memory of a process that profiles a million lines that all differ."""
SCHEDULE_S = 3.0
START_S = {"predict": 0.5, "fit": 0.8}
"""From the start of a command to its report, for a small program or model."""
MODEL = Path(__file__).parents[1] / "examples" / "model_135m.json"
ROUNDS = 9
LINES = 66_000


def made(folder: Path) -> list[Path]:
    """A program whose lines repeat and two whose lines all differ."""
    repeating, differing, mixed = (
        folder / f"{name}.asm" for name in ("repeating", "differing", "mixed")
    )
    block = [
        "; tile",
        "H_PREFETCH_M gp3, gp1, a0, 1, 0",
        "C_LOOP_START gp4, 4",
        "C_LOOP_START gp5, 10",
        "M_MM 0, gp2, gp1",
        "S_ADDI_INT gp1, gp1, 256",
        "C_LOOP_END gp5",
        "M_MM_WO gp3, gp0, 0",
        "C_LOOP_END gp4",
        *(f"V_MUL_VV gp{n}, gp{n}, gp{n + 1}, 0" for n in range(1, 9)),
        *(f"S_ADDI_INT gp{n}, gp0, {64 * n}" for n in range(1, 5)),
    ]
    times = LINES // len(block)
    repeating.write_text("\n".join(block * times) + "\n")
    differing.write_text(one_number(LINES))
    mixed.write_text("".join(mixed_line(number) for number in range(LINES)))
    return [repeating, differing, mixed]


def one_number(lines: int) -> str:
    """Lines that differ in one number."""
    return "".join(f"S_ADDI_INT gp1, gp2, {n}\n" for n in range(lines))


def mixed_line(number: int) -> str:
    """A line of any opcode, with any operands and a comment that no other line has."""
    rng = random.Random(number)
    isa = load_isa("plena")
    form = rng.choice([form for form in isa.forms.values() if form.opcode.loop is None])
    operands = [
        str(rng.randrange(4096))
        if kind == IMMEDIATE
        else f"{kind}{rng.randrange(isa.file.registers[kind].count)}"
        for kind in (rng.choice(operand.kinds) for operand in form.operands)
    ]
    return f"{form.name} {', '.join(operands)} ; step {number}\n"


def best(
    *actions: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> list[float]:
    """Fewest seconds of each action; they take turns."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(ROUNDS):
        for action, taken in zip(actions, times, strict=True):
            start = clock()
            action()
            taken.append(clock() - start)
    return [min(taken) for taken in times]


def floor(path: Path) -> int:
    return sum(len(line.split(None, 1)[:1]) for line in path.read_text().split("\n"))


def profiler(path: Path) -> Callable[[], object]:
    """What finds everything that needs no schedule."""
    isa, core = load_isa("plena"), core_setup(load_board("nexys_video"), None)
    peer = load_cost_source("peer")
    return lambda: detail(predict_serial(read_program(path, isa), peer, core), 12)


def measured(path: Path) -> dict[str, Any]:
    isa, core = load_isa("plena"), core_setup(load_board("nexys_video"), None)
    costs = load_cost_source("emulator")
    program = read_program(path, isa)
    found = predict_known(program, costs, core)
    floor_s, parse_s, profile_s, schedule_s = best(
        lambda: floor(path),
        lambda: read_program(path, isa),
        profiler(path),
        lambda: predict_known(program, costs, core, transfers=Transfers(2, 2)),
    )
    distinct = len(set(path.read_bytes().split(b"\n")[: program.source_lines]))
    return {
        "program": path.name,
        "lines": program.source_lines,
        "distinct_lines": distinct,
        "most_over_floor": OVER_FLOOR[
            "differing" if 2 * distinct > program.source_lines else "repeating"
        ],
        "instructions": found.instructions,
        "floor_s": floor_s,
        "parse_s": parse_s,
        "profile_s": profile_s,
        "profile_lines_per_s": program.source_lines / profile_s,
        "over_floor": profile_s / floor_s,
        "over_peer": program.source_lines / profile_s / PEER_LINES_PER_S,
        "schedule_s": schedule_s,
        "schedule_instructions_per_s": found.instructions / schedule_s,
    }


def start_s(folder: Path) -> dict[str, float]:
    """Wall time of whole commands: `predict` of 100 lines, `fit` of a model on a board's core."""
    small = folder / "small.asm"
    small.write_text("S_ADDI_INT gp1, gp1, 64\nM_MM 0, gp0, gp1\n" * 50)
    times = {}
    for name, file in (("predict", small), ("fit", MODEL)):
        command = [sys.executable, "-m", "lanescope", name, str(file), "--board", "nexys_video"]
        run = partial(subprocess.run, command, check=True, capture_output=True)
        [times[name]] = best(run, clock=time.perf_counter)
    return times


def memory_mb(folder: Path) -> float:
    """Most memory of a process that profiles a million lines that all differ."""
    large = folder / "large.asm"
    large.write_text(one_number(1_000_000))
    code = (
        "import resource, sys; from pathlib import Path; from benchmarks.predict import profiler;"
        "profiler(Path(sys.argv[1]))();"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, str(large)]
    return int(subprocess.run(command, check=True, capture_output=True).stdout) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description="how fast a program is profiled and scheduled")
    parser.add_argument("program", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(path) for path in args.program or made(Path(folder))]
        start, memory = start_s(Path(folder)), memory_mb(Path(folder))
    missed = [
        f"{row['program']}: {name}"
        for row in rows
        for name, met in (
            ("profile", row["over_floor"] <= row["most_over_floor"] or row["lines"] < FEW_LINES),
            ("schedule", row["schedule_s"] <= SCHEDULE_S),
        )
        if not met
    ]
    missed += [f"start of {name}" for name, most in START_S.items() if start[name] > most]
    if memory > MEMORY_MB:
        missed.append("memory")
    if args.json:
        whole = {"programs": rows, "start_s": start, "memory_mb": memory, "missed": missed}
        print(json.dumps(whole))
    else:
        show(rows)
        print("start to report: " + ", ".join(f"{n} {s:.2f} s" for n, s in start.items()))
        print(f"memory, 1,000,000 lines that all differ: {memory:.0f} MB")
        print(f"missed: {', '.join(missed)}" if missed else "all targets met")
    return 1 if missed else 0


def show(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(
            f"{row['program']}: {row['lines']:,} lines ({row['distinct_lines']:,} different), "
            f"{row['instructions']:,} instructions\n"
            f"  floor     {row['floor_s'] * 1e3:8.1f} ms  read and split\n"
            f"  parse     {row['parse_s'] * 1e3:8.1f} ms\n"
            f"  profile   {row['profile_s'] * 1e3:8.1f} ms  parse, costs and all tables: "
            f"{row['profile_lines_per_s'] / 1e6:.2f} M lines/s, {row['over_floor']:.1f} × floor "
            f"(at most {row['most_over_floor']}), "
            f"{row['over_peer']:.1f} × the published profiler\n"
            f"  schedule  {row['schedule_s'] * 1e3:8.1f} ms  "
            f"{row['schedule_instructions_per_s'] / 1e6:.1f} M instructions/s"
        )


if __name__ == "__main__":
    sys.exit(main())
