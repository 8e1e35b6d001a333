"""Feeds mutated JSON, random slices, graphs and programs to a sanitized build of the C library.

Run by test_sanitizers.py in a process of its own: sanitized.py LIBRARY SECONDS SEED
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import numpy as np

from lanescope import native
from lanescope.errors import LanescopeError
from lanescope.formats import json_rows
from lanescope.formats.json_rows import Span, integer, integers, micros, span, text
from lanescope.model.boards import load_board
from lanescope.model.cost.machine import make_machine
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule import overlap
from lanescope.model.schedule.predict import predict_known

PLENA, COSTS = load_isa("plena"), load_cost_source("emulator")
MACHINE = make_machine(load_board("nexys_video"), None)

CELLS = (
    text("kind", texts=8),
    integer("a", low=-5),
    micros("t", required=False),
    integers("q", 3, required=False),
    span("args", required=False),
)
ROWS = [
    {"kind": "dispatch", "a": 5, "t": 1.25, "q": [1, 2, 3], "args": {"x": [1, {"y": 'z\\"'}]}},
    {"kind": "complete", "a": "9007199254740993", "t": 3e2, "zzz": None, "q": None},
    {"kind": "é\n", "a": -3, "args": "text", "q": [0, 0, 0]},
]


def mutate(text: bytes, rng: random.Random) -> bytes:
    data = bytearray(text)
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at:at] = bytes([rng.choice(b'[]{}",:\\0123456789-eE. \n\xff\x00')])
            case 1:
                del data[at : at + rng.randint(1, 5)]
            case 2:
                data = data[:at]
            case 3:
                data[at : at + 1] = bytes([rng.randrange(256)])
    return bytes(data)


def read(data: bytes, rng: random.Random) -> None:
    """The bytes lie in a block of exactly their size, so that reading past it is caught."""
    array = np.frombuffer(data, np.uint8).copy()
    piece = Span(Path("fuzz"), array, array)
    reader = rng.choice([json_rows.read_object_rows, json_rows.read_array_rows])
    try:
        reader(piece, CELLS, what="rows")
    except LanescopeError:
        pass


def shapes(rng: np.random.Generator) -> None:
    count = int(rng.integers(0, 200))
    lane = np.sort(rng.integers(0, 4, count))
    start = rng.integers(0, 100, count)
    end = start + rng.integers(0, 50, count)
    order = np.lexsort((-end, start, lane))
    native.stack_slices(lane[order], start[order], end[order])
    native.cyclic_nodes(50, rng.integers(0, 50, count), rng.integers(0, 50, count))


def programs(rng: random.Random) -> None:
    """A program of random lines and loops, with addresses and counts from small to absurd."""
    words = {"gp": "gp{}", "f": "f{}", "a": "a{}"}
    lines = []
    for _ in range(rng.randint(1, 30)):
        form = rng.choice([form for form in PLENA.forms.values() if form.opcode.loop is None])
        operands = [
            words[kind].format(rng.randrange(8))
            if (kind := operand.kinds[-1]) != "imm"
            else str(rng.choice([0, 1, 64, 1 << 31, (1 << 63) - 1, -5]))
            for operand in form.operands
        ]
        lines.append(f"{form.name} {', '.join(operands)}")
    for depth in range(rng.randint(0, 3)):
        lines = [f"C_LOOP_START gp{depth + 1}, {rng.randint(1, 9)}", *lines]
        lines.append(f"C_LOOP_END gp{depth + 1}")
    transfers = overlap.Transfers(rng.randint(1, 4), rng.randint(1, 2))
    predict_known(parse("\n".join(lines), PLENA), COSTS, MACHINE, transfers=transfers)


def main() -> None:
    library = native.load_library(Path(sys.argv[1]))
    native.library = json_rows.library = overlap.library = lambda: library  # type: ignore
    rng, numbers = random.Random(int(sys.argv[3])), np.random.default_rng(int(sys.argv[3]))
    objects = json.dumps(ROWS * 3).encode()
    arrays = json.dumps([list(row.values())[:5] for row in ROWS]).encode()
    until = time.monotonic() + float(sys.argv[2])
    rounds = 0
    while time.monotonic() < until:
        read(mutate(rng.choice([objects, arrays]), rng), rng)
        shapes(numbers)
        programs(rng)
        rounds += 1
    print(f"{rounds} rounds")


main()
