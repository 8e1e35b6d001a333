"""producer-rotated: the core fills, publishes and opens its buffers by itself."""

from __future__ import annotations

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.memory import write_half
from tests.protocols.runtime import dispatch, end_core, may_dispatch, take_task, tell
from tests.protocols.state import NOTHING, Setting, State
from tests.protocols.writer import commit, open_buffer, publish, reserve


def producer_core(state: State, setting: Setting) -> list[Move]:
    """ls_core_write with mode LS_CORE_PRODUCER: ls_reserve, the record, ls_commit."""
    pc = state.core
    written = "next" if setting.tell_first else "tell"
    if pc == "take":
        return take_task(state, setting, "tell" if setting.tell_first else "reserve")
    if pc == "tell":
        return tell(state, "reserve") if setting.tell_first else tell(state)
    if pc == "next":
        return [(Step("core", "looks for its next task, {} done", state.task),
                 state._replace(core="take", task=state.task + 1))]  # fmt: skip
    if pc == "reserve":
        return reserve(state, setting, "core", state.task, written)
    if pc == "open":
        return open_buffer(state, setting, "core")
    if pc == "write" or pc == "b":
        return write_own(state, setting)
    if pc == "commit":
        return commit(state, setting, "core", written)
    if pc == "stamp" or pc == "publish":
        after = "end" if state.task == setting.tasks else written
        return publish(state, setting, "core", pc, after)
    if pc == "close" and state.cursor != NOTHING:  # ls_writer_flush
        return [(Step("core", "ls_writer_flush: {} records in it", state.cursor),
                 state._replace(core="stamp"))]  # fmt: skip
    return end_core(state)


def write_own(state: State, setting: Setting) -> list[Move]:
    first_half = state.core == "write"
    half = 2 * state.cursor + (not first_half)
    after = write_half(state, setting, state.opened - 1, half)
    if not isinstance(after, Broken):
        after = after._replace(core="b" if first_half else "commit")
    name = "a" if first_half else "b"
    return [(Step("core", f"ls_core_write: half {name} of task {{}}", state.task), after)]


def producer_controller(state: State, setting: Setting) -> list[Move]:
    """The controller only dispatches and sees tasks end."""
    if state.controller != "loop":
        return []
    found = []
    if may_dispatch(state, setting):
        found.append(dispatch(state))
    if state.told > state.finished:
        found.append((Step("controller", "ls_channel_finish: task {}", state.finished),
                      state._replace(finished=state.finished + 1)))  # fmt: skip
    return found
