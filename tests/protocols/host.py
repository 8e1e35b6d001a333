"""The host: ls_drain and ls_release, and what it must find in a buffer."""

from __future__ import annotations

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.state import Buffer, Setting, State


def host(state: State, setting: Setting) -> list[Move]:
    index = state.taken % setting.buffers
    buffer = state.buffers[index]
    if state.host == "a":
        halves = buffer.halves[0 : 2 * buffer.count : 2]
        return [(Step("host", "ls_drain: halves a of buffer {}", state.taken),
                 state._replace(copied=halves, host="b"))]  # fmt: skip
    if state.host == "b":
        return [(Step("host", "ls_drain: halves b of buffer {}", state.taken),
                 deliver(state, setting, buffer))]  # fmt: skip
    found: list[Move] = []
    if state.published > state.taken:
        wrong = header_problem(state, buffer)
        after = Broken(wrong) if wrong else state._replace(host="a")
        found.append((Step("host", "ls_drain: takes buffer {}", state.taken), after))
    if state.taken > state.released:
        found.append((Step("host", "ls_release: up to {}", state.taken),
                      state._replace(released=state.taken)))  # fmt: skip
    return found


def header_problem(state: State, buffer: Buffer) -> str:
    if buffer.sequence != state.taken:
        return f"buffer {state.taken} arrives with sequence number {buffer.sequence}"
    if buffer.first != state.delivered:
        return f"buffer {state.taken} says {buffer.first} before it, {state.delivered} came"
    return ""


def deliver(state: State, setting: Setting, buffer: Buffer) -> State | Broken:
    """What has been copied must be whole records, of increasing tasks; in block of every task."""
    last = state.last
    others = buffer.halves[1 : 2 * len(state.copied) : 2]
    for a, b in zip(state.copied, others, strict=True):
        if a != b:
            return Broken(f"the host gets a torn record: half of task {a}, half of task {b}")
        if a <= last:
            return Broken(f"the host gets task {a} after task {last}")
        if setting.lossless and a != last + 1:
            return Broken(f"the host gets task {a} after task {last}: one is lost")
        last = a
    return state._replace(
        taken=state.taken + 1, copied=(), host="look", last=last,
        delivered=state.delivered + len(state.copied),
    )  # fmt: skip
