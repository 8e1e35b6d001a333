"""after-finish: controller-rotated, but the core tells that a task ended before it records it.

The core writes record k before it acknowledges task k + 1. So the controller counts the record of k
when it has seen that, or that k + 1 has finished, or that the core has closed.
"""

from __future__ import annotations

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.memory import write_half
from tests.protocols.runtime import end_controller, may_dispatch, take_task, tell
from tests.protocols.segments import (
    admit,
    dispatch_counted,
    open_segment,
    place,
    publish_segment,
    store_segment,
)
from tests.protocols.state import OUTSTANDING, Setting, State


def late_core(state: State, setting: Setting) -> list[Move]:
    """take → acknowledge → tell → ls_core_write → the next task."""
    pc = state.core
    if pc == "take":
        return take_task(state, setting, "acknowledge")
    if pc == "acknowledge" or pc == "close":
        return [acknowledge(state, "tell" if pc == "acknowledge" else "end")]
    if pc == "tell":
        return tell(state, "place")
    if pc == "place":
        step, after = place(state, setting)
        assert isinstance(after, State)
        return [(step, after._replace(core="next") if after.core == "tell" else after)]
    if pc == "a" or pc == "b":
        return [write_late(state, setting)]
    if pc == "next":
        return [(Step("core", "looks for its next task, {} done", state.task),
                 state._replace(core="take", task=state.task + 1))]  # fmt: skip
    return []


def acknowledge(state: State, then: str) -> Move:
    """The runtime's own release store: a task, and at the end the order to go."""
    words = "acknowledges task {}" if then == "tell" else "acknowledges the order to go"
    after = state._replace(acknowledged=state.acknowledged + 1, core=then)
    return Step("core", words, state.task), after


def write_late(state: State, setting: Setting) -> Move:
    half = state.core
    after = write_half(state, setting, state.core_sequence, state.place + (half == "b"))
    if not isinstance(after, Broken):
        after = after._replace(core="b" if half == "a" else "next")
    return Step("core", f"ls_core_write: half {half} of task {{}}", state.task), after


def late_controller(state: State, setting: Setting) -> list[Move]:
    """segments_controller, but that what has finished is counted later."""
    pc = state.controller
    if pc == "loop":
        found = close_late(state, setting)
        if may_dispatch(state, setting):
            found += admit(state, setting)
        return found + hear(state, setting)
    if pc == "count":
        return [count_written(state, setting)]
    if pc == "open":
        return [open_segment(state, setting)]
    if pc == "segment":
        return [store_segment(state)]
    if pc == "dispatch":
        return [dispatch_counted(state)]
    if pc == "stamp" or pc == "publish":
        return [(step, goes_on(after, setting)) for step, after in publish_segment(state, setting)]
    if pc == "close" and state.published < state.opened:
        return [(Step("controller", "ls_channel_close: buffer {} is open", state.published),
                 state._replace(controller="stamp"))]  # fmt: skip
    return end_controller(state)


def hear(state: State, setting: Setting) -> list[Move]:
    """A task has finished: those before it are written. One was acknowledged: the same."""
    found: list[Move] = []
    if state.told > state.finished:
        step = Step("controller", "ls_channel_finish: task {}", state.finished)
        after = state._replace(finished=state.finished + 1, until=state.finished)
        found.append((step, counts(after)))
    if state.written < state.acknowledged - 1 < setting.tasks:
        step = Step("controller", "ls_channel_acknowledged: {} tasks", state.acknowledged)
        found.append((step, counts(state._replace(until=state.acknowledged - 1))))
    return found


def close_late(state: State, setting: Setting) -> list[Move]:
    """Only when the core has closed: then its last record is there."""
    if state.finished < setting.tasks or state.acknowledged <= setting.tasks:
        return []
    after = counts(state._replace(until=setting.tasks))
    if after.controller == "loop":
        after = after._replace(controller="close")
    return [(Step("controller", "ls_channel_close: the core has closed", 0), after)]


def counts(state: State) -> State:
    """ls_channel_written, begun: is there anything to count?"""
    return state._replace(controller="count" if state.written < state.until else "loop")


def count_written(state: State, setting: Setting) -> Move:
    """ls_channel_written → ls_channel_count."""
    k = state.written
    after = state._replace(written=k + 1)
    first = state.firsts[state.published % OUTSTANDING]
    if state.published == state.opened or k < first:
        step = Step("controller", "ls_channel_written: task {} has no record", k)
        return step, goes_on(after, setting)
    step = Step("controller", "ls_channel_written: task {}", k)
    after = after._replace(recorded=state.recorded + 1)
    if k - first + 1 == setting.size:
        return step, after._replace(controller="stamp")
    return step, goes_on(after, setting)


def goes_on(state: State | Broken, setting: Setting) -> State | Broken:
    """After a count or a publish: the next count; at the end what is open; else the loop."""
    if isinstance(state, Broken) or state.controller == "publish":
        return state
    if state.written < state.until:
        return state._replace(controller="count")
    return state._replace(controller="close" if state.until == setting.tasks else "loop")
