"""The cases whose bytes must stay as they are in `same_bytes.txt`.

That file was made with a simulator in plain Python, which the tests compared with the truth. To
make it anew, after a change that is meant and named in the changelog:

    python -m tests.platforms.sim.same_cases > tests/platforms/sim/same_bytes.txt

With names (or beginnings of names) behind it, only these cases run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from tests.platforms.sim.same_digest import SameCase, digest_of
from tests.platforms.sim.same_graphs import SETTINGS
from tests.platforms.sim.same_inside import both_inside, counted, inside, sharing
from tests.platforms.sim.same_parts import LATE, NARROW, PROTOCOLS, SLOW, Fields, few, tiny

BYTES = Path(__file__).with_name("same_bytes.txt")
TIMES = (
    *("orchestrator.submit", "orchestrator.submit_edge", "orchestrator.scope_end"),
    *("scheduler.poll_core", "scheduler.complete", "scheduler.resolve_edge", "scheduler.pop"),
    *("scheduler.dispatch", "scheduler.publish", "scheduler.poll_engine", "scheduler.release"),
    *("link.dispatch_latency", "link.finish_latency", "core.setup", "recording.core_record"),
    *("recording.staging_copy", "recording.staging_shared", "recording.count", "recording.rotate"),
    *("recording.controller_record", "recording.scheduler_phase", "recording.orchestrator_phase"),
    *("recording.host_latency", "pmu.register_read", "pmu.record"),
)
"""Times of a chip that may be 0, without their unit."""


def cases() -> Iterator[SameCase]:
    """Yield every case."""
    for make in (
        *(built_in, held_in_advance, waiting, lossy, counted, inside, both_inside),
        *(sharing, windows, shapes, free_of_cost, dear_records, dumped, limits, drawn),
    ):
        for case in make():
            yield SameCase(**{**case, "name": f"{make.__name__} {case['name']}"})


def built_in() -> Iterator[Fields]:
    """Yield every built-in workload on every whole chip, at every level, by every protocol."""
    for name, graph, level, protocol in product(("a2a3", "a5"), SETTINGS, range(5), PROTOCOLS):
        yield {
            "name": f"{name} {graph} {level} {protocol}",
            "graph": graph,
            "chip": name,
            "recording": tiny(16, 3, chip_swimlane=level, protocol=protocol),
        }


def held_in_advance() -> Iterator[Fields]:
    """Yield runs in which cores hold 0 to 2 tasks in advance, with tokens that overflow.

    A run that is not recorded may hold 3.
    """
    for graph, ahead, protocol in product(SETTINGS, range(4), PROTOCOLS):
        yield {
            "name": f"{graph} {ahead} {protocol}",
            "graph": graph,
            "changes": few(),
            "recording": tiny(
                8, 2, protocol=protocol, first_token=LATE, chip_swimlane=4 if ahead < 3 else 0
            ),
            "pre_dispatch": ahead,
            "keep_truth": True,
        }


def waiting() -> Iterator[Fields]:
    """Yield runs that wait for the host, at every level; of every other one the truth is kept."""
    for number, (graph, level, protocol) in enumerate(product(SETTINGS, range(1, 5), PROTOCOLS)):
        yield {
            "name": f"{graph} {level} {protocol}",
            "graph": graph,
            "changes": few() | (SLOW if level % 2 else {}),
            "recording": tiny(
                1 + number % 3, 1 + number % 2, chip_swimlane=level, protocol=protocol
            ),
            "pre_dispatch": number % 3,
            "keep_truth": number % 2 == 1,
        }


def lossy() -> Iterator[Fields]:
    """Yield runs that drop what finds no buffer."""
    for number, (graph, protocol) in enumerate(product(SETTINGS, PROTOCOLS)):
        yield {
            "name": f"{graph} {protocol}",
            "graph": graph,
            "changes": few(3, 2) | SLOW,
            "recording": tiny(1 + number % 2, 1, protocol=protocol, on_full="drop"),
            "keep_truth": number % 2 == 0,
        }


def windows() -> Iterator[Fields]:
    """Yield graphs that are larger than the chip's window, with and without scopes."""
    graphs = ("scoped", "mixed", "chain", "random_dag", "fan", "early", "silent", "engines")
    for number, (graph, places) in enumerate(product(graphs, (6, 40))):
        if graph == "mixed" and places == 6:
            continue
        for protocol in PROTOCOLS:
            yield {
                "name": f"{graph} {places} {protocol}",
                "graph": graph,
                "changes": few(2, 1 + number % 3)
                | {
                    "orchestrator.window_tasks": places,
                    "scheduler.release_tasks": (1, 3, 100)[number % 3],
                },
                "recording": tiny(64 if places == 6 else 5, 2, protocol=protocol),
                "keep_truth": number % 3 == 0,
            }


def shapes() -> Iterator[Fields]:
    """Yield graphs of one shape on chips with 1 to 4 schedulers and odd numbers of clusters."""
    graphs = (
        *("silent", "allocated", "early", "together", "mix", "cubes", "engines"),
        *("scoped", "blocks", "backward"),
    )
    machines = ((1, 1), (3, 2), (5, 3), (2, 4))
    for number, (graph, machine, protocol) in enumerate(product(graphs, machines, PROTOCOLS)):
        yield {
            "name": f"{graph} {machine[0]}x{machine[1]} {protocol}",
            "graph": graph,
            "changes": few(*machine),
            "recording": tiny(
                *((64, 2), (2, 1), (3, 2))[number % 3],
                protocol=protocol,
                chip_swimlane=(4, 4, 3, 4, 1)[number % 5],
            ),
            "pre_dispatch": number % 3,
            "keep_truth": number % 2 == 0,
        }


def free_of_cost() -> Iterator[Fields]:
    """Yield chips on which nothing but a round takes time, and on which only one thing does."""
    none = {f"{name}_ns": 0 for name in TIMES} | {"scheduler.loop_ns": 0.001}
    graphs = ("random_dag", "early", "together", "mix", "engines", "silent", "vectors_only")
    for graph, protocol in product(graphs, PROTOCOLS):
        yield {
            "name": f"{graph} {protocol}",
            "graph": graph,
            "changes": few(2, 2) | none,
            "recording": tiny(2, 1, protocol=protocol),
            "keep_truth": True,
        }
    for number, name in enumerate(TIMES):
        yield {
            "name": f"but {name}",
            "graph": ("mixed", "spmd_mix", "pipes")[number % 3],
            "changes": few(2, 2) | none | {f"{name}_ns": 1234.567},
            "recording": tiny(3, 1, protocol=PROTOCOLS[number // 3 % 3], pmu=True),
            "pre_dispatch": 2,
        }


def dear_records() -> Iterator[Fields]:
    """Yield chips on which a core writes its record longer than the next task takes to come."""
    for graph, ahead, protocol in product(("early", "fan", "mixed"), range(3), PROTOCOLS):
        yield {
            "name": f"{graph} {ahead} {protocol}",
            "graph": graph,
            "changes": few(2, 1) | {"recording.core_record_ns": 9_000, "link.finish_latency_ns": 0},
            "recording": tiny(4, 2, protocol=protocol),
            "pre_dispatch": ahead,
            "keep_truth": ahead == 1,
        }


def dumped() -> Iterator[Fields]:
    """Yield runs that compute and dump tensors."""
    for graph, select, level in product(
        ("vector", "matmul_add"), ("", "3-9,outputs", "inputs"), (0, 4)
    ):
        yield {
            "name": f"{graph} {select or 'all'} {level}",
            "graph": f"{graph} small",
            "changes": few(1, 1) | (NARROW if level else {}),
            "recording": tiny(4, 2, chip_swimlane=level),
            "select": select,
        }
    yield {
        "name": "shapes",
        "graph": "computing",
        "changes": few(2, 2),
        "recording": tiny(4, 2, protocol="staging"),
        "pre_dispatch": 2,
        "select": "",
    }


def limits() -> Iterator[Fields]:
    """Yield what meets a limit of a record, and graphs of nothing."""
    yield {"name": "deep queue", "graph": "deep", "chip": "a5", "recording": {"chip_swimlane": 3}}
    yield {
        "name": "many rounds",
        "graph": "long",
        "changes": few(1, 1) | {"scheduler.loop_ns": 0.001, "scheduler.poll_core_ns": 0},
    }
    for protocol in PROTOCOLS:
        yield {
            "name": f"nothing {protocol}",
            "graph": "nothing",
            "changes": few(),
            "recording": tiny(4, 2, protocol=protocol),
            "keep_truth": True,
        }
    for aic, aiv in ((0, 1), (2, 1), (1, 5)):
        for graph in ("vectors_only", "vector"):
            yield {
                "name": f"{graph} {aic}+{aiv}",
                "graph": graph,
                "chip": "a5",
                "changes": few(3, 2) | {"chip.aic_per_cluster": aic, "chip.aiv_per_cluster": aiv},
                "recording": tiny(8, 2, core_swimlane=True),
                "keep_truth": True,
            }


def drawn() -> Iterator[Fields]:
    """Yield random graphs on random chips with random recordings."""
    return map(drawn_case, range(120))


def drawn_case(number: int) -> Fields:
    """Draw a graph, a chip and a recording."""
    draws = Random(f"case {number}")
    name = _one(draws, "a2a3", "a5")
    changes: Fields = few(1 + draws.randrange(5), 1 + draws.randrange(3))
    changes |= {"scheduler.loop_ns": _one(draws, 0.001, 50, 50)}
    changes |= {"scheduler.release_tasks": _one(draws, 1, 3, 16, 100)}
    if number % 2:
        times = (0, 0, 0.001, 0.999, 40, 1234.567)
        changes |= {f"{one}_ns": _one(draws, *times) for one in TIMES}
    if draws.randrange(3) == 0:
        changes |= {"orchestrator.window_tasks": 75 + draws.randrange(8)}
    if draws.randrange(2):
        changes |= {"memory.hbm_bytes_per_s": _one(draws, 1_234_567_891, 10**11)}
    recording: Fields = {
        "chip_swimlane": _one(draws, 0, 1, 2, 3, 4, 4, 4),
        "protocol": _one(draws, *PROTOCOLS),
        "first_token": _one(draws, 0, LATE),
        "on_full": _one(draws, "block", "block", "drop"),
        "pmu": _one(draws, None, None, True, 1),
        "core_swimlane": name == "a5" and _one(draws, False, False, True),
    }
    recording |= tiny(_one(draws, 1, 2, 3, 7, 200), 1 + draws.randrange(3))
    return {
        "name": str(number),
        "graph": f"drawn {number}",
        "chip": name,
        "changes": changes,
        "recording": recording,
        "pre_dispatch": draws.randrange(3),
        "keep_truth": draws.randrange(2) == 0,
    }


def _one(draws: Random, *choices: Any) -> Any:
    return choices[draws.randrange(len(choices))]


def main(wanted: list[str]) -> None:
    """Print the name and the digest of each case."""
    for case in cases():
        if not wanted or any(case.name.startswith(name) for name in wanted):
            print(f"{case.name} = {digest_of(case)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
