"""The cases in which counters, trace engines and the chip's memory take part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.platforms.sim.same_graphs import SETTINGS
from tests.platforms.sim.same_parts import LATE, NARROW, PROTOCOLS, SLOW, Fields, few, tiny

ENGINES: dict[str, dict[str, Any]] = {
    "ring": {"wrap": "ring"},
    "count": {"wrap": "ring", "pointer": "byte_count"},
    "index": {"wrap": "ring", "pointer": "burst_index", "address": "physical"},
    "cached": {"coherent": False, "fixp_code": 6},
    "swapped": {"form": "byte_swapped"},
    "wide": {"form": "eight_byte"},
}


def counted() -> Iterator[Fields]:
    """Yield runs with counters: read by the controller (a2a3) and by the core (a5)."""
    groups = (1, "pipe", True, 4, 5)
    for number, (name, graph, protocol) in enumerate(
        product(("a2a3", "a5"), (*SETTINGS, "blocks", "mix"), PROTOCOLS)
    ):
        size = tiny(2, 1) if number % 2 else tiny(32, 2)
        yield {
            "name": f"{name} {graph} {protocol}",
            "graph": graph,
            "chip": name,
            "changes": few() | (SLOW if number % 3 == 0 else {}),
            "recording": size
            | {
                "pmu": groups[number % len(groups)],
                "protocol": protocol,
                "first_token": LATE,
                "chip_swimlane": (4, 0, 3, 2)[number % 4],
                "on_full": "drop" if number % 5 == 4 else "block",
            },
            "pre_dispatch": number % 3,
            "keep_truth": number % 3 == 1,
        }


def inside() -> Iterator[Fields]:
    """Yield runs with the core swimlane, from the engines and from the driver."""
    graphs = (*SETTINGS, "blocks", "mix")
    for number, (graph, protocol) in enumerate(product(graphs, PROTOCOLS)):
        size = tiny(3, 1) if number % 2 else tiny(64, 2)
        yield {
            "name": f"{graph} {protocol}",
            "graph": graph,
            "chip": "a5",
            "changes": few() | (SLOW if number % 3 == 0 else {}),
            "recording": size
            | {
                "core_swimlane": True,
                "core_source": "driver" if number % 4 == 2 else "perfmon",
                "protocol": protocol,
                "chip_swimlane": (4, 1, 0, 2, 3)[number % 5],
                "on_full": "drop" if number % 5 == 4 else "block",
            },
            "pre_dispatch": number % 3,
            "keep_truth": number % 3 == 1,
        }
    for (name, engine), size in product(ENGINES.items(), (4096, 8192 + 20)):
        yield {
            "name": f"matmul_add {name} {size}",
            "graph": "matmul_add",
            "chip": "a5",
            "changes": few() | {"perfmon.buffer_bytes": size},
            "recording": tiny(64, 2, core_swimlane=True),
            "engine": engine,
        }
    yield {
        "name": "whole chip by the driver",
        "graph": "vector",
        "chip": "a5",
        "recording": tiny(64, 2, core_swimlane=True, core_source="driver"),
    }
    for size in (32, 320, 1024):
        yield {
            "name": f"lost {size}",
            "graph": "pipes",
            "chip": "a5",
            "changes": few() | {"perfmon.buffer_bytes": size},
            "recording": tiny(64, 2, core_swimlane=True),
            "keep_truth": True,
        }


def both_inside() -> Iterator[Fields]:
    """Yield runs with counters and core swimlane together."""
    graphs = ("matmul_add", "vector", "decode_layer", "pipes", "mixed", "blocks")
    for number, (graph, protocol) in enumerate(product(graphs, PROTOCOLS)):
        yield {
            "name": f"{graph} {protocol}",
            "graph": graph,
            "chip": "a5",
            "changes": few(3, 2),
            "recording": tiny(3, 1 + number % 2, protocol=protocol, pmu=True, core_swimlane=True),
            "pre_dispatch": number % 3,
            "keep_truth": number % 2 == 0,
        }


def sharing() -> Iterator[Fields]:
    """Yield kernels that share the chip's memory, with and without counters and core swimlane."""
    graphs = ("matmul_add", "vector", "decode_layer", "pipes", "blocks")
    watched = ({}, {"pmu": True}, {"core_swimlane": True}, {"pmu": True, "core_swimlane": True})
    for number, (graph, more, name) in enumerate(product(graphs, watched, ("a2a3", "a5"))):
        if name == "a2a3" and "core_swimlane" in more:
            continue
        yield {
            "name": f"{name} {graph} {' '.join(more) or 'plain'}",
            "graph": graph,
            "chip": name,
            "changes": few(3, 2) | NARROW,
            "recording": tiny(4, 2, protocol=PROTOCOLS[number % 3], **more),
            "pre_dispatch": number % 3,
            "keep_truth": number % 2 == 1,
        }
    for level, protocol in product((0, 2, 4), PROTOCOLS):
        yield {
            "name": f"level {level} {protocol}",
            "graph": "pipes",
            "changes": few(1, 1) | NARROW,
            "recording": tiny(2, 1, chip_swimlane=level, protocol=protocol),
        }
