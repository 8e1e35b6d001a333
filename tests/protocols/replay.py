"""Replays the interleavings of a model through the C code, one shared access at a time.

`paths` goes through every step of a model at least once. `Driven.replay` lets the real code take
the same steps in the same order, and says where it does something else.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tests.protocols.accesses import (
    ACTORS,
    COMMANDS,
    KINDS,
    ORDERS,
    Access,
    Accesses,
    Listed,
    Places,
)
from tests.protocols.explorer import Step
from tests.protocols.models import ACTORS as MODELS
from tests.protocols.state import ROTATED, Setting, State, start_state

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
_ORDER_CODES = {name: code for code, name in ORDERS.items()}
FOREVER = 1 << 62
UNSHARED = ("looks for its next", "has ended", "ls_channel_written: task {} has no record")
"""Steps that touch nothing shared and may be the last of their call."""


class Taken(NamedTuple):
    """One step of a path; without a step the producer `waits` looks at a full ring."""

    step: Step | None
    state: State
    after: State
    waits: str = ""


def build(folder: Path, compiler: str, native: Path = ROOT / "native") -> Path:
    """The library that drives the code; only the actors' part is instrumented."""
    flags = ["-std=gnu11", "-O0", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I", str(HERE)]
    actors, hooks = folder / "actors.o", folder / "hooks.o"
    sources = ["-fsanitize=thread", "-I", str(native / "include"), "-I", str(native / "src")]
    subprocess.run(
        [compiler, *flags, *sources, "-c", HERE / "driven_actors.c", "-o", actors], check=True
    )
    subprocess.run([compiler, *flags, "-c", HERE / "driven_hooks.c", "-o", hooks], check=True)
    library = folder / "driven.so"
    subprocess.run([compiler, "-shared", actors, hooks, "-o", library], check=True)
    return library


class Driven:
    """The C code of one build, ready to follow paths of one setting."""

    def __init__(self, library: Path, setting: Setting) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.driven_replay.restype = ctypes.c_int64
        self.setting = setting
        patient = not setting.host_may_be_lost
        self._setting = np.array(
            [
                *(PROTOCOLS.index(setting.protocol), ("block", "drop").index(setting.on_full)),
                *(setting.pre_dispatch, setting.size, setting.buffers, FOREVER * patient),
            ],
            np.int64,
        )
        places = np.zeros(4, np.int64)
        self._library.driven_places(address(self._setting), address(places))
        self.places = Places(setting, places.tolist())

    def replay(self, path: list[Taken]) -> str:
        """Follow a path; return what the code does otherwise, or an empty text."""
        made = Accesses(self.setting, self.places)
        listed: list[Listed] = []
        words: list[str] = []
        for taken in path:
            if taken.step is None:
                rows = list(made.waits(taken.waits, taken.state))
                does = f"{taken.waits} waits"
            elif taken.step.does.startswith(UNSHARED):
                continue
            else:
                rows = list(made.of(taken.step, taken.state, taken.after))
                does = f"{taken.step.actor} {taken.step.does.format(taken.step.number)}"
            listed += rows
            words += [does] * len(rows)
        steps = np.array([packed(one) for one in listed], np.int64)
        found = np.zeros(5, np.int64)
        at = self._library.driven_replay(
            address(self._setting), address(steps), ctypes.c_int64(len(steps)), address(found)
        )
        if at < 0:
            return ""
        if at == len(listed):
            return f"at the end the code goes on: {shown(unpacked(found))}"
        wanted = listed[at].access
        return f"{words[at]}: expected {shown(wanted)}, the code: {shown(unpacked(found))}"


def address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def packed(one: Listed) -> tuple[int, ...]:
    head = (ACTORS.index(one.actor), COMMANDS.index(one.command), one.clock)
    if one.access is None:
        return (*head, 0, 0, 0, 0, 0, 0)
    kind, order, offset, size, value = one.access
    codes = (KINDS.index(kind), _ORDER_CODES[order], offset, size)
    return (*head, int(value is not None), *codes, value or 0)


def unpacked(found: np.ndarray) -> Access | None:
    kind, order, offset, size, value = found.tolist()
    return Access(KINDS[kind], ORDERS.get(order, str(order)), offset, size, value) if kind else None


def shown(access: Access | None) -> str:
    if access is None:
        return "nothing"
    value = "any value" if access.value is None else access.value
    return f"{access.kind} {access.order} of {access.bytes} bytes at {access.offset}: {value}"


# ---- Paths ---------------------------------------------------------------------------------------


def graph_of(setting: Setting) -> tuple[State, dict[State, list[tuple[Step, State]]]]:
    """Every state of a sound model with the steps that lead on."""
    start, actors = start_state(setting), MODELS[setting.protocol]
    graph: dict[State, list[tuple[Step, State]]] = {}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        if state in graph:
            continue
        moves = [move for actor in actors for move in actor(state, setting)]
        assert all(isinstance(after, State) for _, after in moves)
        graph[state] = moves  # type: ignore[assignment]
        waiting.extend(after for _, after in graph[state])
    return start, graph


def paths(setting: Setting, rng: random.Random) -> Iterator[list[Taken]]:
    """Paths from the start to an end that take every step of the model, each at least once."""
    start, graph = graph_of(setting)
    came_from = shortest(start, graph)
    untaken = {state: list(range(len(moves))) for state, moves in graph.items() if moves}
    for choices in untaken.values():
        rng.shuffle(choices)
    while untaken:
        state = next(iter(untaken))
        path = way_to(state, came_from)
        while graph[state]:
            choices = untaken.get(state)
            index = choices.pop() if choices else rng.randrange(len(graph[state]))
            if choices is not None and not choices:
                del untaken[state]
            step, after = graph[state][index]
            if (waits := waiting_producer(state, setting)) and rng.random() < 0.5:
                path.append(Taken(None, state, state, waits))
            path.append(Taken(step, state, after))
            state = after
        yield path


def shortest(
    start: State, graph: dict[State, list[tuple[Step, State]]]
) -> dict[State, tuple[State, Step] | None]:
    """By state: from where, and by which step, it is reached first."""
    came_from: dict[State, tuple[State, Step] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for step, after in graph[state]:
            if after not in came_from:
                came_from[after] = (state, step)
                waiting.append(after)
    return came_from


def way_to(state: State, came_from: dict[State, tuple[State, Step] | None]) -> list[Taken]:
    path: list[Taken] = []
    while (origin := came_from[state]) is not None:
        before, step = origin
        path.append(Taken(step, before, state))
        state = before
    return path[::-1]


def waiting_producer(state: State, setting: Setting) -> str:
    """Who waits for a buffer and would go on waiting; "": nobody."""
    if not setting.lossless or state.opened - state.released < setting.buffers:
        return ""
    if setting.protocol in ROTATED:
        wants = state.dispatched < setting.tasks and state.dispatched == state.segment_end
        free = state.dispatched - state.finished <= setting.pre_dispatch
        return "controller" if state.controller == "loop" and wants and free else ""
    actor = "core" if setting.protocol == "producer-rotated" else "controller"
    at = state.core if actor == "core" else state.controller
    return actor if at == "reserve" and state.cursor < 0 else ""
