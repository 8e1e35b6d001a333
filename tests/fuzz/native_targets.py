"""Fuzz targets: the C library through its Python doors, one function per reader or kernel."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from tests.fuzz.drawn import DrawnArrays, DrawnNumbers
from tests.fuzz.target import Target, some_bytes

from lanescope import native
from lanescope.formats import json_members, json_rows
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
from lanescope.native import assembly, paths, replay, tiling
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


def json_reader(read: Callable[..., Any], first: Any) -> Callable[[bytes], None]:
    """The bytes lie in a block of exactly their size, so that reading past it is caught."""

    def run(data: bytes) -> None:
        array = np.frombuffer(data, np.uint8).copy()
        read(TextSpan(Path("fuzz"), array, array), (first, *CELLS[1:]), what="rows")

    return run


def members(data: bytes) -> None:
    """An object and an array cut into their members, in a block of exactly the bytes' size."""
    array = np.frombuffer(data, np.uint8).copy()
    span = TextSpan(Path("fuzz"), array, array)
    with mock.patch.object(json_members, "LARGE", 0):
        json_members.large_object(span)
        json_members.large_array(span)


def messages(data: bytes) -> None:
    """Protobuf walked as deep as there are messages, in a block of exactly the bytes' size."""
    file = ProtoFile(Path("fuzz"), np.frombuffer(data or b"\x08", np.uint8).copy(), "a message")
    spans = file.whole
    for _ in range(3):
        file.columns(spans, whole(1), double(2), content(3))
        file.numbers(spans, 1)
        _, spans = file.repeated(spans, 1)
        file.texts(spans)


def shapes(data: bytes) -> None:
    """Bars on lanes, nested and stacked."""
    rng = DrawnArrays(data)
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


def programs(data: bytes) -> None:
    """A program of random lines and loops, with addresses and counts from small to absurd."""
    rng = DrawnNumbers(data)
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


def texts(data: bytes) -> None:
    """Lines of assembly, in a block of exactly their size; the patterns are as many as lines."""
    text, rows = np.frombuffer(data, np.uint8).copy(), data.count(b"\n") + 1
    read = assembly.read_assembly(text, rows, _tables(PLENA))
    assert (read.which < len(read.patterns)).all() and (read.comment < len(data)).all()


def lines_of_assembly(rng: random.Random) -> bytes:
    lines = [
        f"{form.name} {', '.join(rng.choice(OPERANDS) for _ in form.operands)}{rng.choice(ENDS)}"
        for form in rng.choices(list(PLENA.forms.values()), k=30)
    ]
    return "".join(lines).encode()


def graphs(data: bytes) -> None:
    """Orders, paths, walks and sweeps over anything that passes the checks."""
    rng = DrawnArrays(data)
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


def manners(kind: Any, blocks: Any, partners: Any, rng: DrawnArrays) -> np.ndarray[Any, Any]:
    alone = (kind >= 0) & (partners == 0)
    early = alone & (blocks == 1) & (rng.integers(0, 2, len(kind)) > 0)
    together = alone & ~early & (blocks <= 2) & (rng.integers(0, 2, len(kind)) > 0)
    return early * replay.EARLY + together * replay.TOGETHER


def replayed(graph: paths.Ordered, rng: DrawnArrays) -> None:
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


def reductions(data: bytes) -> None:
    """Implied edges of graphs that are large enough to be swept."""
    rng = DrawnArrays(data)
    count = int(rng.integers(600, 1500))
    ends = np.sort(rng.integers(0, count, (2, 4 * count)), axis=0)
    every = np.arange(1, count - 1)
    hubs = [[0 * every, every], [every, 0 * every + count - 1]]
    ends = np.hstack([ends[:, ends[0] != ends[1]], *hubs])
    pairs = np.unique(ends, axis=1)
    graph = paths.order_graph(count, pairs[0], pairs[1])
    assert graph is not None
    paths.implied_edges(graph, budget=int(rng.integers(0, 10**6)))


def native_targets() -> list[Target]:
    """One target for each reader and kernel of the library."""
    objects = json.dumps(ROWS * 3).encode()
    arrays = json.dumps([list(row.values())[:7] for row in ROWS]).encode()
    lines = b"\n".join(json.dumps(row).encode() for row in ROWS)
    word = first_word("kind")
    return [
        Target("c/json objects", (objects,), json_reader(json_rows.read_object_rows, CELLS[0])),
        Target("c/json words", (objects,), json_reader(json_rows.read_object_rows, word)),
        Target("c/json arrays", (arrays,), json_reader(json_rows.read_array_rows, CELLS[0])),
        Target("c/json members", (b'{"rows": %s}' % objects, arrays), members),
        Target("c/json lines", (lines,), json_reader(json_rows.read_line_rows, CELLS[0])),
        Target("c/protobuf", (MESSAGES,), messages),
        Target("c/assembly", (lines_of_assembly(random.Random(1)),), texts),
        Target("c/shapes", some_bytes(900), shapes),
        Target("c/programs", some_bytes(400), programs),
        Target("c/graphs", some_bytes(2500), graphs),
        Target("c/reductions", some_bytes(9000), reductions),
    ]
