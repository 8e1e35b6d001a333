"""Feeds mutated JSON, protobuf and assembly, random slices, graphs and programs to a sanitized C
library.

Run by test_sanitizers.py in a process of its own: sanitized.py LIBRARY SECONDS SEED
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from lanescope import native
from lanescope.errors import LanescopeError
from lanescope.formats import json_rows
from lanescope.formats.json_cells import (
    exact_micros,
    first_word,
    integer,
    integers,
    micros,
    nested,
    number,
    span,
    text,
)
from lanescope.formats.json_rows import TextSpan
from lanescope.formats.perfetto import wire
from lanescope.formats.proto_rows import ProtoFile, content, double
from lanescope.formats.proto_rows import number as whole
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import _tables, parse
from lanescope.model.schedule import overlap
from lanescope.model.schedule.figures import predict_known
from lanescope.native import assembly, machine, paths, proto, replay, tiling
from lanescope.native.nesting import nest
from lanescope.native.paths import follow

BUILDS = [load_isa(name) for name in ("plena", "plena-tilelang")]
PLENA, COSTS = load_isa("plena"), load_cost_source("emulator")
CORE = core_setup(load_board("nexys_video"), None)

CELLS = (
    text("kind", texts=8),
    integer("a", low=-5),
    micros("t", required=False),
    integers("q", 3, required=False),
    span("args", required=False),
    exact_micros("u", required=False, lenient=True),
    nested("in", (number("n"), integer("i", lenient=True), text("s"), nested("in", (span("x"),)))),
)
INNER = wire.message(1, wire.number(1, 300), b"\x11" + bytes(8), wire.message(3, b"name"))
MESSAGES = b"".join(wire.message(1, INNER, wire.number(1, k)) for k in range(9))
OPERANDS = ("gp1", "gp15", "gp16", "f7", "a0", "0", "-64", "0xff", "9" * 19, "gp" + "0" * 40, "é")
ENDS = ("\n", "\n", " ; tile\n", "//\n", "/", ",,\r\n", ";\xa0\n", "\0\n", ";")
ROWS = [
    {"kind": "dispatch", "a": 5, "t": 1.25, "q": [1, 2, 3], "args": {"x": [1, {"y": 'z\\"'}]}},
    {"kind": "complete", "a": "9007199254740993", "t": 3e2, "zzz": None, "q": None},
    {"kind": "é\n", "a": -3, "args": "text", "q": [0, 0, 0], "u": "17.0000000000000000001"},
    {"kind": "x", "a": 0, "u": 1e-9, "in": {"n": 1.5e300, "i": "x", "s": [], "in": {"x": 1}}},
    {"kind": "x", "a": 0, "u": "", "in": {"n": "123456789012345678901234567890", "in": 4}},
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
    piece = TextSpan(Path("fuzz"), array, array)
    readers = json_rows.read_object_rows, json_rows.read_array_rows, json_rows.read_line_rows
    reader = rng.choice(readers)
    try:
        reader(piece, (rng.choice((CELLS[0], first_word("kind"))), *CELLS[1:]), what="rows")
    except LanescopeError:
        pass


def messages(rng: random.Random) -> None:
    """Protobuf walked as deep as there are messages, in a block of exactly the bytes' size."""
    data = mutate(MESSAGES, rng) or b"\x08"
    array = np.frombuffer(data, np.uint8).copy()
    file = ProtoFile(Path("fuzz"), array, "a message")
    spans = file.whole
    try:
        for _ in range(3):
            file.columns(spans, whole(1), double(2), content(3))
            file.numbers(spans, 1)
            _, spans = file.repeated(spans, 1)
            file.texts(spans)
    except LanescopeError:
        pass


def shapes(rng: np.random.Generator) -> None:
    count = int(rng.integers(0, 200))
    lane = np.sort(rng.integers(0, 4, count))
    start = rng.integers(0, 100, count)
    end = start + rng.integers(0, 50, count)
    order = np.lexsort((-end, start, lane))
    native.stack_slices(lane[order], start[order], end[order])
    parent = nest(lane[order], start[order], end[order]).parent
    if count:
        follow(parent, count - 1)
    native.cyclic_nodes(50, rng.integers(0, 50, count), rng.integers(0, 50, count))


def programs(rng: random.Random) -> None:
    """A program of random lines and loops, with addresses and counts from small to absurd."""
    words = {"gp": "gp{}", "f": "f{}", "a": "a{}"}
    lines, isa = [], rng.choice(BUILDS)
    for _ in range(rng.randint(1, 30)):
        form = rng.choice([form for form in isa.forms.values() if form.opcode.loop is None])
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
    found = predict_known(parse("\n".join(lines), isa), COSTS, CORE, transfers=transfers)
    moved = overlap.executed_transfers(found.program, found.table)
    cycles = np.array([rng.choice([0, 1, 99, 1 << 40]) for _ in moved], np.int64)
    overlap.overlap(found.program, found.table, transfers, cycles=cycles, times=True)


def texts(rng: random.Random) -> None:
    """Lines of assembly, in a block of exactly their size; the patterns are as many as lines."""
    lines = [
        f"{form.name} {', '.join(rng.choice(OPERANDS) for _ in form.operands)}{rng.choice(ENDS)}"
        for form in rng.choices(list(PLENA.forms.values()), k=rng.randint(0, 30))
    ]
    data = mutate("".join(lines).encode(), rng)
    text, rows = np.frombuffer(data, np.uint8).copy(), data.count(b"\n") + 1
    read = assembly.read_assembly(text, rows, _tables(PLENA))
    assert (read.which < len(read.patterns)).all() and (read.comment < len(data)).all()


def graphs(rng: np.random.Generator) -> None:
    """Orders, paths, walks and sweeps over anything that passes the checks."""
    count, edges = int(rng.integers(1, 40)), int(rng.integers(0, 90))
    ends = np.sort(rng.integers(0, count, (2, edges)), axis=0)
    pairs = np.unique(ends[:, ends[0] != ends[1]], axis=1)
    graph = paths.order_graph(count, pairs[0], pairs[1])
    assert graph is not None
    paths.order_graph(count, rng.integers(0, count, edges), rng.integers(0, count, edges))
    done = np.where(rng.random(count) < 0.2, paths.NO_TIME, rng.integers(0, 99, count))
    ready, gate = paths.readiness(graph, done)
    paths.with_followers(graph, gate, ready & 7)
    paths.longest(graph, rng.integers(0, 9, count))
    paths.implied_edges(graph, budget=int(rng.integers(0, 500)))
    start = rng.integers(0, 99, count)
    walk = paths.Walk(
        start=start,
        end=start + rng.integers(0, 9, count),
        node=rng.integers(0, count, count),
        before=rng.integers(-1, count, count),
        gate=rng.integers(-1, count, count),
        last=rng.integers(-1, count, count),
        submit=done,
    )
    paths.walk_back(walk, int(rng.integers(0, count)))
    far = int(rng.choice([99, 2**62]))
    parts = [
        tiling.Moments(
            rng.integers(-9, far, edges), rng.integers(0, 2, edges), what,
            rng.integers(-3, 4, edges), rng.integers(0, 3, edges),
        )
        for what in rng.permutation(10).tolist()
    ]  # fmt: skip
    tiling.tile(parts, np.array([0, 1, 1]), 2, (0, 90))
    tiling.tile_runs(parts, np.array([0, 1, 1]), 2, (0, 90))
    tiling.overhead(parts, np.array([1, 2]))
    tiling.sorted_values(rng.integers(-far, far, edges))
    replayed(graph, rng)


def manners(
    kind: Any, blocks: Any, partners: Any, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    alone = (kind >= 0) & (partners == 0)
    early = alone & (blocks == 1) & (rng.integers(0, 2, len(kind)) > 0)
    together = alone & ~early & (blocks <= 2) & (rng.integers(0, 2, len(kind)) > 0)
    return early * replay.EARLY + together * replay.TOGETHER


def replayed(graph: paths.Ordered, rng: np.random.Generator) -> None:
    count = len(graph)
    kind = rng.integers(replay.ALLOC, 2, count)
    blocks = np.where(kind >= 0, rng.integers(1, 5, count), 1)
    partners = np.where(kind == 0, rng.integers(0, 3, count), 0)
    first = np.concatenate([[0], np.cumsum(np.where(kind >= 0, blocks * (partners + 1), 0))])
    lengths, setups = rng.integers(0, 99, (2, int(first[-1])))
    costs = {field.name: int(rng.integers(0, 50)) for field in fields(replay.Costs)}
    given = replay.ReplayInput(
        first=graph.first, target=graph.target, kind=kind, blocks=blocks, partners=partners,
        partner_kind=np.where(partners > 0, 1, -1), unit_first=first, lengths=lengths,
        setups=setups,
        manner=manners(kind, blocks, partners, rng), wait=rng.integers(-20, 20, count).clip(0),
        submit_order=rng.permutation(count), submit_cost=rng.integers(0, 30, count),
        submit_records=rng.integers(0, 3, count), buffer_records=rng.integers(0, 5, 4),
        buffer_count=rng.integers(1, 4, 4),
        core_kind=np.array([0, 1, 1, 0, 1, 1]), core_scheduler=np.array([0, 0, 0, 1, 1, 1]),
        cluster_first=np.array([0, 3, 6]), cluster_cores=np.arange(6), kinds=2, schedulers=2,
        pre_dispatch=int(rng.integers(0, 3)), costs=replay.Costs(**costs),
    )  # fmt: skip
    last, found, stalled = replay.run_replay(given)
    assert (
        stalled >= 0
        and (found["dispatch"] <= found["start"]).all()
        and (found["end"] <= found["finish"]).all()
    )
    assert last == found["finish"].max(initial=0)


def reductions(rng: np.random.Generator) -> None:
    """Implied edges of graphs that are large enough to be swept."""
    count = int(rng.integers(600, 1500))
    ends = np.sort(rng.integers(0, count, (2, 4 * count)), axis=0)
    every = np.arange(1, count - 1)
    hubs = [[0 * every, every], [every, 0 * every + count - 1]]
    ends = np.hstack([ends[:, ends[0] != ends[1]], *hubs])
    pairs = np.unique(ends, axis=1)
    graph = paths.order_graph(count, pairs[0], pairs[1])
    assert graph is not None
    paths.implied_edges(graph, budget=int(rng.integers(0, 10**6)))


def main() -> None:
    library = native.load_library(Path(sys.argv[1]))
    for module in (native, assembly, json_rows, machine, overlap, paths, proto, tiling):
        module.library = lambda: library  # type: ignore[attr-defined]
    rng, numbers = random.Random(int(sys.argv[3])), np.random.default_rng(int(sys.argv[3]))
    objects = json.dumps(ROWS * 3).encode()
    arrays = json.dumps([list(row.values())[:7] for row in ROWS]).encode()
    lines = b"\n".join(json.dumps(row).encode() for row in ROWS)
    until = time.monotonic() + float(sys.argv[2])
    rounds = 0
    while time.monotonic() < until:
        read(mutate(rng.choice([objects, arrays, lines]), rng), rng)
        messages(rng)
        shapes(numbers)
        programs(rng)
        texts(rng)
        graphs(numbers)
        if rounds % 50 == 0:
            reductions(numbers)
        rounds += 1
    print(f"{rounds} rounds")


main()
