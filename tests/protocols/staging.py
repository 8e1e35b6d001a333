"""staging: the core writes a slot, the controller copies it into the lane."""

from __future__ import annotations

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.memory import store
from tests.protocols.runtime import (
    close,
    dispatch,
    end_controller,
    end_core,
    may_dispatch,
    take_task,
    tell,
)
from tests.protocols.state import NOTHING, Setting, State, put
from tests.protocols.writer import commit, open_buffer, publish, reserve


def staging_core(state: State, setting: Setting) -> list[Move]:
    """ls_core_write with mode LS_CORE_STAGING: slot token & slot_mask."""
    pc, slot = state.core, 2 * (state.task % setting.slots)
    if pc == "take":
        return take_task(state, setting, "a")
    if pc == "a" or pc == "b":
        slots = put(state.slots, slot + (pc == "b"), state.task)
        after = state._replace(slots=slots, core="b" if pc == "a" else "tell")
        return [(Step("core", f"ls_core_write: half {pc} of task {{}} into its slot", state.task),
                 after)]  # fmt: skip
    return tell(state) if pc == "tell" else end_core(state)


def staging_controller(state: State, setting: Setting) -> list[Move]:
    """ls_channel_finish → ls_channel_copy: the slot's record goes into the lane."""
    pc, k = state.controller, state.finished - 1
    if pc == "loop":
        found = close(state, setting)
        if may_dispatch(state, setting):
            found.append(dispatch(state))
        if state.told > state.finished:
            after = state._replace(finished=state.finished + 1, controller="check")
            found.append((Step("controller", "ls_channel_finish: task {}", state.finished), after))
        return found
    if pc in ("check", "write", "b"):
        return [copy_slot(state, setting, k)]
    if pc == "reserve":
        return reserve(state, setting, "controller", k, "loop")
    if pc == "open":
        return open_buffer(state, setting, "controller")
    if pc == "commit":
        return commit(state, setting, "controller", "loop")
    if pc == "stamp" or pc == "publish":
        after_it = "end" if state.finished == setting.tasks and not full(state, setting) else "loop"
        return publish(state, setting, "controller", pc, after_it)
    if pc == "close" and state.cursor != NOTHING:
        step = Step("controller", "ls_writer_flush: {} records in it", state.cursor)
        return [(step, state._replace(controller="stamp"))]
    return end_controller(state)


def copy_slot(state: State, setting: Setting, k: int) -> Move:
    """ls_channel_copy: at "check" the slot's token, at "write" and "b" the halves of its record."""
    slot = 2 * (k % setting.slots)
    if state.controller == "check":
        step = Step("controller", "ls_channel_copy: looks at the slot of task {}", k)
        if state.slots[slot] != k:
            return step, Broken(f"the slot of task {k} holds task {state.slots[slot]}")
        return step, state._replace(controller="reserve")
    half = int(state.controller == "b")
    value = state.slots[slot + half]
    after = store(state, setting, state.opened - 1, 2 * state.cursor + half, value)
    if not isinstance(after, Broken):
        after = after._replace(controller="commit" if half else "b")
    return Step("controller", f"ls_channel_copy: half {'ab'[half]} of task {{}}", k), after


def full(state: State, setting: Setting) -> bool:
    return state.cursor == setting.size
