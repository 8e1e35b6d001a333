"""How fast a program is profiled and scheduled, against reading and splitting its lines.

    python -m benchmarks.predict [--json] [PROGRAM.asm ...]

Without programs, two made here: 66,000 lines that mostly repeat each other, as a compiler writes
them, with loops that run 459,000 instructions; and 66,000 lines that all differ, the worst case,
which has no target for reading. Best of five, because these machines are noisy. The floor is what
any Python tool must do: read the file, split the lines, split off the first word of each. Exit
code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import read_program
from lanescope.model.schedule.detail import detail
from lanescope.model.schedule.figures import predict_known, predict_serial
from lanescope.model.schedule.overlap import Transfers

PEER_LINES_PER_S = 450_000
"""What the published profiler reads per second."""
SCHEDULE_S = 3.0
START_S = 0.5
"""From the start of `lanescope predict` to its report, for a small program."""
ROUNDS = 5
LINES = 66_000


def made(folder: Path) -> list[Path]:
    """A program whose lines repeat and one whose lines all differ."""
    repeating, differing = folder / "repeating.asm", folder / "differing.asm"
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
    differing.write_text("".join(f"S_ADDI_INT gp1, gp2, {n}\n" for n in range(LINES)))
    return [repeating, differing]


def best(action: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def floor(path: Path) -> int:
    return sum(len(line.split(None, 1)[:1]) for line in path.read_text().split("\n"))


def measured(path: Path) -> dict[str, Any]:
    isa, core = load_isa("plena"), core_setup(load_board("nexys_video"), None)
    peer, costs = load_cost_source("peer"), load_cost_source("emulator")

    def profile() -> object:
        return detail(predict_serial(read_program(path, isa), peer, core), 12)

    program = read_program(path, isa)
    found = predict_known(program, costs, core)
    floor_s, parse_s = best(lambda: floor(path)), best(lambda: read_program(path, isa))
    profile_s = best(profile)
    schedule_s = best(lambda: predict_known(program, costs, core, transfers=Transfers(2, 2)))
    return {
        "program": path.name,
        "lines": program.source_lines,
        "distinct_lines": len(set(path.read_bytes().split(b"\n"))),
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


def start_s(folder: Path) -> float:
    """Wall time of the whole command on a program of 100 lines."""
    small = folder / "small.asm"
    small.write_text("S_ADDI_INT gp1, gp1, 64\nM_MM 0, gp0, gp1\n" * 50)
    command = [sys.executable, "-m", "lanescope", "predict", str(small), "--board", "nexys_video"]
    return best(lambda: subprocess.run(command, check=True, capture_output=True))


def main() -> int:
    parser = argparse.ArgumentParser(description="how fast a program is profiled and scheduled")
    parser.add_argument("program", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(path) for path in args.program or made(Path(folder))]
        start = start_s(Path(folder))
    missed = [
        f"{row['program']}: {name}"
        for row in rows
        for name, met in (
            ("profile", row["over_peer"] >= 1 or row["distinct_lines"] > row["lines"] / 2),
            ("schedule", row["schedule_s"] <= SCHEDULE_S),
        )
        if not met
    ]
    if start > START_S:
        missed.append("start")
    if args.json:
        print(json.dumps({"programs": rows, "start_s": start, "missed": missed}))
    else:
        show(rows, start, missed)
    return 1 if missed else 0


def show(rows: list[dict[str, Any]], start: float, missed: list[str]) -> None:
    for row in rows:
        print(
            f"{row['program']}: {row['lines']:,} lines ({row['distinct_lines']:,} different), "
            f"{row['instructions']:,} instructions\n"
            f"  floor     {row['floor_s'] * 1e3:8.1f} ms  read and split\n"
            f"  parse     {row['parse_s'] * 1e3:8.1f} ms\n"
            f"  profile   {row['profile_s'] * 1e3:8.1f} ms  parse, costs and all tables: "
            f"{row['profile_lines_per_s'] / 1e6:.2f} M lines/s, {row['over_floor']:.1f} × floor, "
            f"{row['over_peer']:.1f} × the published profiler\n"
            f"  schedule  {row['schedule_s'] * 1e3:8.1f} ms  "
            f"{row['schedule_instructions_per_s'] / 1e6:.1f} M instructions/s"
        )
    print(f"start to report, 100 lines: {start:.2f} s")
    print(f"missed: {', '.join(missed)}" if missed else "all targets met")


if __name__ == "__main__":
    sys.exit(main())
