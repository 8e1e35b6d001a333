"""Steps on the shared buffers: writing a record, opening, publishing, waiting for a free one."""

from __future__ import annotations

from tests.protocols.explorer import Broken
from tests.protocols.state import Setting, State, put


def write_half(state: State, setting: Setting, sequence: int, at: int) -> State | Broken:
    """One half of the current task's record goes into the buffer of `sequence`."""
    return store(state, setting, sequence, at, state.task)


def store(state: State, setting: Setting, sequence: int, at: int, value: int) -> State | Broken:
    if not 0 <= at < 2 * setting.size:
        return Broken(f"record {at // 2} lies outside a buffer of {setting.size}")
    index = sequence % setting.buffers
    if setting.watch_writes:
        held = range(state.released, state.published)
        if any(other % setting.buffers == index for other in held):
            return Broken(f"task {value} writes into buffer {index}, which is published")
        if not state.published <= sequence < state.opened:
            return Broken(f"task {value} writes into buffer {index}, which is not open")
    old = state.buffers[index]
    changed = old._replace(halves=put(old.halves, at, value))
    return state._replace(buffers=(*state.buffers[:index], changed, *state.buffers[index + 1 :]))


def open_header(state: State, setting: Setting, first: int) -> State | Broken:
    """ls_buffer_open: the header of buffer `opened`, which must be free."""
    if state.opened - state.released >= setting.buffers:
        return Broken(f"buffer {state.opened % setting.buffers} is opened while the host has it")
    index = state.opened % setting.buffers
    fresh = state.buffers[index]._replace(sequence=state.opened, first=first, count=0)
    return state._replace(
        buffers=(*state.buffers[:index], fresh, *state.buffers[index + 1 :]),
        opened=state.opened + 1,
        lost=False,
    )


def stamp_count(state: State, setting: Setting, count: int) -> State:
    """ls_buffer_publish, first half: the count goes into the header."""
    index = state.published % setting.buffers
    stamped = state.buffers[index]._replace(count=count)
    return state._replace(buffers=(*state.buffers[:index], stamped, *state.buffers[index + 1 :]))


def wait_step(state: State, setting: Setting) -> list[tuple[str, bool, State]]:
    """What ls_wait_step can return now: (words, is there a buffer, state); nothing: it waits."""
    if state.opened - state.seen < setting.buffers:
        return [("ls_wait_step: a buffer is known to be free", True, state)]
    state = state._replace(seen=state.released)  # ls_buffer_is_free: the load of lane.released
    if state.opened - state.seen < setting.buffers:
        return [("ls_wait_step: a buffer is free", True, state)]
    if setting.on_full == "drop" or state.lost:
        return [("ls_wait_step: no buffer, drop", False, state)]
    if setting.host_may_be_lost:
        return [("ls_wait_step: the host seems lost, drop", False, state._replace(lost=True))]
    return []
