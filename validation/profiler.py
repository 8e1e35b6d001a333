"""PLENA's own profiler against ours with its table: every program under every cycle model.

python -m validation.profiler        exit 1 when a count or a sum differs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from lanescope.model.boards import load_board
from lanescope.model.cost.core import CoreSetup, core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import read_program
from lanescope.model.schedule.figures import predict_serial
from lanescope.model.schedule.tables import by_opcode

DATA = Path(__file__).parents[2] / "shared" / "data" / "plena"


class Compared(NamedTuple):
    """One program under one model: their cycles and ours, and whether every count is equal."""

    program: str
    model: str
    theirs: int
    ours: int
    same_counts: bool

    @property
    def holds(self) -> bool:
        return self.theirs == self.ours and self.same_counts


def compared(folder: Path) -> list[Compared]:
    """Every answer in the folder's `programs/*.golden.json`."""
    found = []
    for file in sorted((folder / "programs").glob("*.golden.json")):
        answers = json.loads(file.read_text())
        program = read_program(file.with_name(answers["asm"]), load_isa("plena"))
        for model, run in answers["runs"].items():
            core = _machine(model, answers, file)
            source = load_cost_source("peer" if model.startswith("main:") else "peer-charged")
            ours = predict_serial(program, source, core)
            shares = by_opcode(program, ours.table, ours.line_costs)
            counts = {share.name: share.instructions for share in shares}
            same = counts == run["all_opcodes_dynamic"]
            theirs = run["estimated_cycles"]
            found.append(Compared(answers["asm"], model, theirs, ours.serial, same))
    return found


def _machine(model: str, answers: dict[str, Any], file: Path) -> CoreSetup:
    _, _, what = model.partition(":")
    if what.startswith("board="):
        board = load_board(what.removeprefix("board="))
        return core_setup(board, None, {"MLEN": answers["mlen"], "VLEN": answers["vlen"]})
    own = file.with_name(answers["asm"]).with_suffix(".settings.toml")
    shared = file.parents[1] / "settings" / "main_plena_settings.toml"
    return core_setup(None, read_settings(own if own.exists() else shared, dc_en=int(what[-1])))


def print_compared(rows: list[Compared]) -> None:
    models = sorted({row.model for row in rows})
    print("PLENA's profiler against ours with its table (opcode counts and cycles)")
    for model in models:
        chosen = [row for row in rows if row.model == model]
        equal = sum(row.holds for row in chosen)
        print(f"  {model:<24} {equal:>3} of {len(chosen)} programs equal")
    for row in rows:
        if not row.holds:
            print(
                f"  DIFFERS: {row.program}, {row.model}: {row.theirs:,} theirs, {row.ours:,} ours"
            )


def main() -> int:
    if not DATA.is_dir():
        print(f"no programs in {DATA}: not checked")
        return 0
    rows = compared(DATA)
    print_compared(rows)
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
