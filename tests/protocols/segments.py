"""controller-rotated: the token decides the buffer, through segment[]."""

from __future__ import annotations

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.memory import open_header, stamp_count, wait_step, write_half
from tests.protocols.runtime import (
    close,
    dispatch,
    end_controller,
    end_core,
    may_dispatch,
    take_task,
    tell,
)
from tests.protocols.state import NOTHING, OUTSTANDING, Setting, State, put


def segments_core(state: State, setting: Setting) -> list[Move]:
    """ls_core_write with mode LS_CORE_SEGMENTS: ls_core_place, ls_core_next_segment."""
    pc = state.core
    if pc == "take":
        return take_task(state, setting, "place")
    if pc == "place":
        return [place(state, setting)]
    if pc == "a" or pc == "b":
        half = state.place + (pc == "b")
        after = write_half(state, setting, state.core_sequence, half)
        if not isinstance(after, Broken):
            after = after._replace(core="b" if pc == "a" else "tell")
        return [(Step("core", f"ls_core_write: half {pc} of task {{}}", state.task), after)]
    return tell(state) if pc == "tell" else end_core(state)


def place(state: State, setting: Setting) -> Move:
    k, size = state.task, setting.size
    if state.core_first != NOTHING and 0 <= k - state.core_first < size:
        after = state._replace(place=2 * (k - state.core_first), core="a")
        return Step("core", "ls_core_place: task {} goes into the same buffer", k), after
    sequence = state.core_sequence + 1
    entry = state.segment[sequence % OUTSTANDING]
    if entry == 0 or not 0 <= k - (entry - 1) < size:
        return Step("core", "ls_core_next_segment: no buffer for task {}", k), state._replace(
            core="tell"
        )
    after = state._replace(
        core_sequence=sequence, core_first=entry - 1, place=2 * (k - entry + 1), core="a"
    )
    return Step("core", f"ls_core_next_segment: task {{}} begins buffer {sequence}", k), after


def segments_controller(state: State, setting: Setting) -> list[Move]:
    """ls_channel_admit opens buffers, ls_channel_count publishes them."""
    pc = state.controller
    if pc == "loop":
        found = close(state, setting)
        if may_dispatch(state, setting):
            found += admit(state, setting)
        if state.told > state.finished:
            found.append(count_finished(state, setting))
        return found
    if pc == "open":
        return [open_segment(state, setting)]
    if pc == "segment":
        return [store_segment(state)]
    if pc == "dispatch":
        return [dispatch_counted(state)]
    if pc == "stamp" or pc == "publish":
        return publish_segment(state, setting)
    if pc == "close" and state.published < state.opened:
        return [(Step("controller", "ls_channel_close: buffer {} is open", state.published),
                 state._replace(controller="stamp"))]  # fmt: skip
    return end_controller(state)


def admit(state: State, setting: Setting) -> list[Move]:
    if state.dispatched < state.segment_end:
        return [dispatch(state)]
    return open_or_drop(state, setting)


def dispatch_counted(state: State) -> Move:
    """ls_channel_dispatch: a task without a buffer is counted as dropped here."""
    step, after = dispatch(state)
    assert isinstance(after, State)
    without = state.dispatched >= state.segment_end
    return step, after._replace(dropped=state.dropped + without)


def open_or_drop(state: State, setting: Setting) -> list[Move]:
    """ls_channel_admit behind ls_wait_step; where that says -1 the controller does other things."""
    return [
        (Step("controller", words + " (task {})", state.dispatched),
         now._replace(controller="open" if free else "dispatch"))
        for words, free, now in wait_step(state, setting)
    ]  # fmt: skip


def open_segment(state: State, setting: Setting) -> Move:
    """ls_channel_open_segment but for its last store."""
    step = Step("controller", "ls_buffer_open: buffer {}", state.opened)
    opened = open_header(state, setting, state.first)
    if isinstance(opened, Broken):
        return step, opened
    return step, opened._replace(
        first=state.first + setting.size,
        firsts=put(state.firsts, state.opened % OUTSTANDING, state.dispatched),
        segment_end=state.dispatched + setting.size,
        controller="segment",
    )


def store_segment(state: State) -> Move:
    """The last store of ls_channel_open_segment."""
    index = (state.opened - 1) % OUTSTANDING
    segment = put(state.segment, index, state.dispatched + 1)
    words = f"ls_channel_open_segment: segment[{index}] = {{}}"
    after = state._replace(segment=segment, controller="dispatch")
    return Step("controller", words, state.dispatched + 1), after


def count_finished(state: State, setting: Setting) -> Move:
    """ls_channel_finish → ls_channel_count."""
    k = state.finished
    after = state._replace(finished=k + 1)
    first = state.firsts[state.published % OUTSTANDING]
    if state.published == state.opened or k < first:
        return Step("controller", "ls_channel_count: task {} has no record", k), after
    last = k - first + 1 == setting.size
    step = Step("controller", "ls_channel_count: task {}", k)
    pc = "stamp" if last else "loop"
    return step, after._replace(recorded=state.recorded + 1, controller=pc)


def publish_segment(state: State, setting: Setting) -> list[Move]:
    """ls_buffer_publish from ls_channel_count or ls_channel_close: what has finished of it."""
    if state.controller == "stamp":
        first = state.firsts[state.published % OUTSTANDING]
        counted = state.written if setting.protocol == "after-finish" else state.finished
        count = min(max(counted - first, 0), setting.size)
        stamped = stamp_count(state, setting, count)._replace(controller="publish")
        return [(Step("controller", "ls_buffer_publish: count {}", count), stamped)]
    done = state._replace(published=state.published + 1, controller="loop")
    return [(Step("controller", "ls_buffer_publish: buffer {}", state.published), done)]
