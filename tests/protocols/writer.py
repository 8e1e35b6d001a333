"""ls_writer: the steps of whoever owns the lane, the core or its controller.

`after` is where that actor goes on when the record is written or dropped.
"""

from __future__ import annotations

from tests.protocols.explorer import Broken, Move, Step
from tests.protocols.memory import open_header, stamp_count, wait_step
from tests.protocols.state import NOTHING, Setting, State


def reserve(state: State, setting: Setting, actor: str, number: int, after: str) -> list[Move]:
    """ls_reserve: at "reserve" → "open" → "write", or → `after` where the record is dropped."""
    if state.cursor != NOTHING:
        return [(Step(actor, "ls_reserve: record of task {}", number), at(state, actor, "write"))]
    found: list[Move] = []
    for words, free, now in wait_step(state, setting):
        if free:
            move = at(now, actor, "open")
        else:
            move = at(now._replace(dropped=now.dropped + 1), actor, after)
        found.append((Step(actor, words + " (task {})", number), move))
    return found


def open_buffer(state: State, setting: Setting, actor: str) -> list[Move]:
    """ls_make_room, second half."""
    opened = open_header(state, setting, state.recorded)
    if not isinstance(opened, Broken):
        opened = at(opened._replace(first=state.recorded, cursor=0), actor, "write")
    return [(Step(actor, "ls_buffer_open: buffer {}", state.opened), opened)]


def commit(state: State, setting: Setting, actor: str, after: str) -> list[Move]:
    """ls_commit: lane.recorded, and on to publishing where the buffer is full."""
    cursor = state.cursor + 1
    full = cursor == setting.size
    done = state._replace(recorded=state.recorded + 1, cursor=cursor)
    step = Step(actor, "ls_commit: {} recorded", done.recorded)
    return [(step, at(done, actor, "stamp" if full else after))]


def publish(state: State, setting: Setting, actor: str, pc: str, after: str) -> list[Move]:
    """ls_buffer_publish of the writer's buffer in its two stores."""
    if pc == "stamp":
        count = state.recorded - state.first
        stamped = at(stamp_count(state, setting, count), actor, "publish")
        return [(Step(actor, "ls_buffer_publish: count {}", count), stamped)]
    done = state._replace(published=state.published + 1, cursor=NOTHING)
    return [(Step(actor, "ls_buffer_publish: buffer {}", state.published), at(done, actor, after))]


def at(state: State, actor: str, pc: str) -> State:
    return state._replace(core=pc) if actor == "core" else state._replace(controller=pc)
