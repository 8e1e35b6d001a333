"""Protocols that look right and are not: what the check must be able to find.

Each is a set of actors for `models.check`. The first two are the two ways of rotating buffers with
a head word (the sequence number of "the buffer of now", plus 1, in segment[0]) that the core reads
for each task; both are right as long as no task is dispatched in advance.
"""

from __future__ import annotations

from dataclasses import replace

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.host import host
from tests.protocols.late import acknowledge, close_late, late_controller, late_core
from tests.protocols.memory import open_header, stamp_count, wait_step, write_half
from tests.protocols.models import Actor
from tests.protocols.producer import producer_controller, producer_core
from tests.protocols.runtime import (
    close,
    dispatch,
    end_controller,
    end_core,
    may_dispatch,
    take_task,
    tell,
)
from tests.protocols.segments import open_or_drop, segments_controller, segments_core
from tests.protocols.state import Setting, State, put
from tests.protocols.writer import commit, publish

# ---- Rotation with a head word -------------------------------------------------------------------


def head_core(state: State, setting: Setting) -> list[Move]:
    """Reads the head for each task, then writes record k % size of that buffer."""
    pc, k = state.core, state.task
    if pc == "take":
        return take_task(state, setting, "head")
    if pc == "head":
        sequence = state.segment[0] - 1
        after = state._replace(core_sequence=sequence, place=2 * (k % setting.size), core="a")
        return [(Step("core", f"reads the head: task {{}} goes into buffer {sequence}", k), after)]
    if pc == "a" or pc == "b":
        after = write_half(state, setting, state.core_sequence, state.place + (pc == "b"))
        if not isinstance(after, Broken):
            after = after._replace(core="b" if pc == "a" else "tell")
        return [(Step("core", f"writes half {pc} of task {{}}", k), after)]
    return tell(state) if pc == "tell" else end_core(state)


def rotate_at_dispatch(state: State, setting: Setting) -> list[Move]:
    """Publishes the old buffer when the first task of the next one is dispatched."""
    if state.controller != "loop":
        return rotate(state, setting, "dispatch")
    found = close(state, setting)
    if may_dispatch(state, setting):
        if state.dispatched % setting.size or state.dispatched < state.segment_end:
            found.append(dispatch(state))
        else:
            pc = "stamp" if state.opened else "wait"
            found.append((Step("controller", "rotates before it dispatches task {}",
                               state.dispatched), state._replace(controller=pc)))  # fmt: skip
    return found + finish(state, "loop")


def rotate_at_completion(state: State, setting: Setting) -> list[Move]:
    """Publishes a buffer when as many tasks have finished as it has records."""
    if state.controller != "loop":
        return rotate(state, setting, "loop")
    if not state.opened:
        return [
            (Step("controller", "opens its first buffer", 0), state._replace(controller="wait"))
        ]
    found = close(state, setting)
    if may_dispatch(state, setting):
        found.append(dispatch(state))
    last = (state.finished + 1) % setting.size == 0 and state.finished + 1 < setting.tasks
    return found + finish(state, "stamp" if last else "loop")


def finish(state: State, then: str) -> list[Move]:
    if state.told == state.finished:
        return []
    k = state.finished
    after = state._replace(finished=k + 1, recorded=state.recorded + 1, controller=then)
    return [(Step("controller", "sees that task {} has finished", k), after)]


def rotate(state: State, setting: Setting, then: str) -> list[Move]:
    """stamp → publish → wait → open → head → `then`; at the end stamp → publish → ended."""
    pc = state.controller
    if pc == "stamp":
        at_end = state.finished == setting.tasks
        count = setting.tasks - state.first + setting.size if at_end else setting.size
        stamped = stamp_count(state, setting, count)._replace(controller="publish")
        return [(Step("controller", "stamps the count {}", count), stamped)]
    if pc == "publish":
        after = "close" if state.finished == setting.tasks else "wait"
        done = state._replace(published=state.published + 1, controller=after)
        return [(Step("controller", "publishes buffer {}", state.published), done)]
    if pc == "wait":
        return [(Step("controller", words, 0), now._replace(controller="open"))
                for words, free, now in wait_step(state, setting) if free]  # fmt: skip
    if pc == "open":
        opened = open_header(state, setting, state.first)
        if not isinstance(opened, Broken):
            ends = state.segment_end + setting.size
            first = state.first + setting.size
            opened = opened._replace(first=first, segment_end=ends, controller="head")
        return [(Step("controller", "opens buffer {}", state.opened), opened)]
    if pc == "head":
        after = state._replace(segment=put(state.segment, 0, state.opened), controller=then)
        return [(Step("controller", "sets the head to buffer {}", state.opened - 1), after)]
    if pc == "dispatch":
        return [dispatch(state)]
    if pc == "close" and state.published < state.opened:
        return [(Step("controller", "flushes buffer {}", state.published),
                 state._replace(controller="stamp"))]  # fmt: skip
    return end_controller(state)


# ---- Publishing before writing -------------------------------------------------------------------


def hasty_core(state: State, setting: Setting) -> list[Move]:
    """producer-rotated, but ls_commit comes before the record is written."""
    pc = state.core
    if pc == "write":
        place, sequence = 2 * state.cursor, state.opened - 1
        return [(step, after._replace(place=place, core_sequence=sequence))
                for step, after in commit(state, setting, "core", "late a")]  # fmt: skip
    if pc == "stamp" or pc == "publish":
        after_it = "end" if state.task == setting.tasks else "late a"
        return publish(state, setting, "core", pc, after_it)
    if pc == "late a" or pc == "late b":
        half = pc[-1]
        after = write_half(state, setting, state.core_sequence, state.place + (half == "b"))
        if not isinstance(after, Broken):
            after = after._replace(core="late b" if half == "a" else "tell")
        return [(Step("core", f"ls_core_write: half {half} of task {{}}", state.task), after)]
    return producer_core(state, setting)


# ---- Waiting inside admit ------------------------------------------------------------------------


def waiting_controller(state: State, setting: Setting) -> list[Move]:
    """controller-rotated, but ls_channel_admit waits where it should say "not now"."""
    if state.controller == "wait":
        return open_or_drop(state, setting)
    found = segments_controller(state, setting)
    needs_buffer = may_dispatch(state, setting) and state.dispatched == state.segment_end
    if state.controller == "loop" and needs_buffer:
        found = [move for move in found if "ls_wait_step" not in move[0].does]
        found.append((Step("controller", "ls_channel_admit waits for a buffer for task {}",
                           state.dispatched), state._replace(controller="wait")))  # fmt: skip
    return found


# ---- after-finish --------------------------------------------------------------------------------


def hasty_controller(state: State, setting: Setting) -> list[Move]:
    """controller-rotated's, which takes a finished task's record for written."""
    return segments_controller(state, replace(setting, protocol="controller-rotated"))


def hasty_acknowledging_core(state: State, setting: Setting) -> list[Move]:
    """after-finish, but a task that is there is acknowledged before the last record is written."""
    if state.core == "place" and state.acknowledged == state.task + 1 < state.dispatched:
        return [acknowledge(state, "place")]
    if state.core == "acknowledge" and state.acknowledged == state.task + 1:
        return tell(state, "place")
    return late_core(state, setting)


def hasty_closing_controller(state: State, setting: Setting) -> list[Move]:
    """after-finish, but it closes when all tasks have finished, not when the core has closed."""
    gone = state._replace(acknowledged=max(state.acknowledged, setting.tasks + 1))
    if state.controller != "loop" or state.finished < setting.tasks:
        return late_controller(state, setting)
    return [(step, after._replace(acknowledged=state.acknowledged))
            for step, after in close_late(gone, setting)]  # fmt: skip


WRONG: dict[str, tuple[Actor, ...]] = {
    "rotate at dispatch": (head_core, rotate_at_dispatch, host),
    "rotate at completion": (head_core, rotate_at_completion, host),
    "publish before write": (hasty_core, producer_controller, host),
    "wait in admit": (segments_core, waiting_controller, host),
    "hand on at finish": (late_core, hasty_controller, host),
    "acknowledge before write": (hasty_acknowledging_core, late_controller, host),
    "close before the core": (late_core, hasty_closing_controller, host),
}
