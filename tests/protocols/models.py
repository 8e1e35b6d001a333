"""The three protocols of native/include/lanescope/record.h as step-by-step models.

Each step names the C function it stands for, and touches shared memory at most once in a way
that another actor can see. A record is written and read as two halves, so a torn one shows.

    core         takes tasks in dispatch order, writes records, tells the controller
    controller   dispatches (at most `pre_dispatch` ahead) and handles finished tasks, in any order
    host         takes the oldest published buffer, copies it, gives it back, at any moment

Memory order: steps are sequentially consistent. That the release and acquire operations of the
real code are enough to make it so is what ThreadSanitizer checks on the real code (tests/native).
A wait is a step that cannot be taken, so waiting for ever is a deadlock, and giving up after
host_lost_cycles is a step that may be taken at any moment of a wait.

Tasks are numbered from 0; a record of task k has the halves (k, k). Buffers keep the bytes of
their last use, as memory does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tests.protocols.explorer import Broken, Move, Outcome, Step, explore

OUTSTANDING = 4  # LS_OUTSTANDING
NOTHING = -1


@dataclass(frozen=True)
class Setting:
    """One small run."""

    protocol: str
    tasks: int
    size: int
    """records per buffer"""
    buffers: int
    pre_dispatch: int
    on_full: str = "block"
    host_may_be_lost: bool = False
    """block: a waiting producer may give up"""
    tell_first: bool = False
    """producer-rotated: the controller is told before the record is written"""
    watch_writes: bool = True
    """fail at the write itself, not only when the host gets what it should not"""

    @property
    def slots(self) -> int:
        return 2 if self.pre_dispatch < 2 else 4  # ls_staging_slots

    @property
    def lossless(self) -> bool:
        return self.on_full == "block" and not self.host_may_be_lost


class Buffer(NamedTuple):
    """ls_buffer and the records behind it, as halves a0 b0 a1 b1 …"""

    sequence: int
    first: int
    count: int
    halves: tuple[int, ...]


class State(NamedTuple):
    # Shared: ls_lane, the buffers, the staging slots, the mailbox between core and controller.
    published: int
    released: int
    segment: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    slots: tuple[int, ...]
    dispatched: int
    told: int
    # The core's own.
    core: str
    task: int
    """the task it works on, or will take next"""
    place: int
    """where the record goes: half index in the buffer of `core_sequence`"""
    core_sequence: int
    core_first: int
    """first task of its segment; NOTHING before the first"""
    # The controller's own.
    controller: str
    finished: int
    firsts: tuple[int, ...]
    segment_end: int
    # ls_writer of the core's lane: the core's with producer-rotated, else the controller's.
    opened: int
    recorded: int
    first: int
    dropped: int
    cursor: int
    """records in the open buffer; NOTHING: none is open"""
    lost: bool
    # The host's own.
    host: str
    taken: int
    copied: tuple[int, ...]
    delivered: int
    last: int
    """the last task delivered"""


def start_state(setting: Setting) -> State:
    empty = Buffer(NOTHING, NOTHING, 0, (NOTHING,) * (2 * setting.size))
    return State(
        published=0, released=0, segment=(0,) * OUTSTANDING, buffers=(empty,) * setting.buffers,
        slots=(NOTHING,) * (2 * setting.slots), dispatched=0, told=0,
        core="take", task=0, place=NOTHING, core_sequence=NOTHING, core_first=NOTHING,
        controller="loop", finished=0, firsts=(0,) * OUTSTANDING, segment_end=0,
        opened=0, recorded=0, first=0, dropped=0, cursor=NOTHING, lost=False,
        host="look", taken=0, copied=(), delivered=0, last=NOTHING,
    )  # fmt: skip


def put(row: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*row[:at], value, *row[at + 1 :])


# ---- Memory ---------------------------------------------------------------------------------


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
    return state._replace(
        buffers=(*state.buffers[:index], changed, *state.buffers[index + 1 :])
    )


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


# ---- Waiting for a buffer: ls_wait_step -------------------------------------------------------


def wait_step(state: State, setting: Setting) -> list[tuple[str, bool, State]]:
    """What ls_wait_step can return now: (words, is there a buffer, state); nothing: it waits."""
    if state.opened - state.released < setting.buffers:
        return [("ls_wait_step: a buffer is free", True, state)]
    if setting.on_full == "drop" or state.lost:
        return [("ls_wait_step: no buffer, drop", False, state)]
    if setting.host_may_be_lost:
        return [("ls_wait_step: the host seems lost, drop", False, state._replace(lost=True))]
    return []


# ---- The writer: ls_reserve, ls_commit, ls_writer_flush -----------------------------------------
#
# The same steps for whoever owns the lane; `pc` is that actor's place in its program, `after` what
# it does when the record is written or dropped.


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


# ---- Core -------------------------------------------------------------------------------------


def take_task(state: State, setting: Setting, then: str) -> list[Move]:
    if state.task == setting.tasks:
        return [(Step("core", "ls_core_close", 0), state._replace(core="close"))]
    if state.task < state.dispatched:
        return [(Step("core", "ls_core_begin, ls_core_stop: task {}", state.task),
                 state._replace(core=then))]  # fmt: skip
    return []


def tell(state: State, then: str = "take") -> list[Move]:
    """The runtime's own release store; the core goes on to its next task."""
    task = state.task + 1 if then == "take" else state.task
    return [(Step("core", "tells the controller: task {} has ended", state.task),
             state._replace(core=then, told=state.told + 1, task=task))]  # fmt: skip


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


def end_core(state: State) -> list[Move]:
    if state.core == "close":
        return [(Step("core", "has ended", 0), state._replace(core="end"))]
    return []


# ---- Controller -------------------------------------------------------------------------------


def may_dispatch(state: State, setting: Setting) -> bool:
    """The first test of ls_channel_admit."""
    if state.dispatched == setting.tasks:
        return False
    return state.dispatched - state.finished <= setting.pre_dispatch


def dispatch(state: State) -> Move:
    """ls_channel_dispatch and the runtime's own release store."""
    after = state._replace(dispatched=state.dispatched + 1, controller="loop")
    return Step("controller", "ls_channel_dispatch: task {}", state.dispatched), after


def close(state: State, setting: Setting) -> list[Move]:
    if state.finished == setting.tasks:
        return [(Step("controller", "ls_channel_close", 0), state._replace(controller="close"))]
    return []


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


def staging_controller(state: State, setting: Setting) -> list[Move]:
    """ls_channel_finish → ls_channel_copy: the slot's record goes into the lane."""
    pc, k = state.controller, state.finished - 1
    if pc == "loop":
        found = close(state, setting)
        if may_dispatch(state, setting):
            found.append(dispatch(state))
        if state.told > state.finished:
            found.append((Step("controller", "ls_channel_finish: task {}", state.finished),
                          state._replace(finished=state.finished + 1, controller="check")))  # fmt: skip
        return found
    slot = 2 * (k % setting.slots)
    if pc == "check":
        if state.slots[slot] != k:
            return [(Step("controller", "ls_channel_copy: the slot of task {}", k),
                     Broken(f"the slot of task {k} holds task {state.slots[slot]}"))]  # fmt: skip
        return [(Step("controller", "ls_channel_copy: the slot holds task {}", k),
                 state._replace(controller="reserve"))]  # fmt: skip
    if pc == "reserve":
        return reserve(state, setting, "controller", k, "loop")
    if pc == "open":
        return open_buffer(state, setting, "controller")
    if pc == "write" or pc == "b":
        half = int(pc == "b")
        value = state.slots[slot + half]
        after = store(state, setting, state.opened - 1, 2 * state.cursor + half, value)
        if not isinstance(after, Broken):
            after = after._replace(controller="commit" if half else "b")
        return [(Step("controller", f"ls_channel_copy: half {'ab'[half]} of task {{}}", k), after)]
    if pc == "commit":
        return commit(state, setting, "controller", "loop")
    if pc == "stamp" or pc == "publish":
        after_it = "end" if state.finished == setting.tasks and not full(state, setting) else "loop"
        return publish(state, setting, "controller", pc, after_it)
    if pc == "close" and state.cursor != NOTHING:
        return [(Step("controller", "ls_writer_flush: {} records in it", state.cursor),
                 state._replace(controller="stamp"))]  # fmt: skip
    return end_controller(state)


def full(state: State, setting: Setting) -> bool:
    return state.cursor == setting.size


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
        index = (state.opened - 1) % OUTSTANDING
        segment = put(state.segment, index, state.dispatched + 1)
        words = f"ls_channel_open_segment: segment[{index}] = {{}}"
        return [(Step("controller", words, state.dispatched + 1),
                 state._replace(segment=segment, controller="dispatch"))]  # fmt: skip
    if pc == "dispatch":
        return [dispatch(state)]
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


def count_finished(state: State, setting: Setting) -> Move:
    """ls_channel_finish → ls_channel_count."""
    k = state.finished
    after = state._replace(finished=k + 1)
    first = state.firsts[state.published % OUTSTANDING]
    if state.published == state.opened or k < first:
        step = Step("controller", "ls_channel_count: task {} has no record", k)
        return step, after._replace(dropped=state.dropped + 1)
    last = k - first + 1 == setting.size
    step = Step("controller", "ls_channel_count: task {}", k)
    pc = "stamp" if last else "loop"
    return step, after._replace(recorded=state.recorded + 1, controller=pc)


def publish_segment(state: State, setting: Setting) -> list[Move]:
    """ls_buffer_publish from ls_channel_count or ls_channel_close: what has finished of it."""
    if state.controller == "stamp":
        first = state.firsts[state.published % OUTSTANDING]
        count = min(max(state.finished - first, 0), setting.size)
        stamped = stamp_count(state, setting, count)._replace(controller="publish")
        return [(Step("controller", "ls_buffer_publish: count {}", count), stamped)]
    done = state._replace(published=state.published + 1, controller="loop")
    return [(Step("controller", "ls_buffer_publish: buffer {}", state.published), done)]


def end_controller(state: State) -> list[Move]:
    if state.controller == "close":
        return [(Step("controller", "has ended", 0), state._replace(controller="end"))]
    return []


# ---- Host: ls_drain, ls_release ----------------------------------------------------------------


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


def verdict(state: State, setting: Setting) -> str | None:
    """Nobody can step: has everybody ended, and is every record accounted for?"""
    if state.core != "end" or state.finished != setting.tasks:
        return f"deadlock: {state.finished} of {setting.tasks} tasks have finished"
    if setting.protocol != "producer-rotated" and state.controller != "end":
        return "deadlock: the controller cannot end"
    if state.taken != state.published or state.published != state.opened:
        return "a buffer stays behind"
    if state.delivered + state.dropped != setting.tasks:
        return f"{state.delivered} delivered + {state.dropped} dropped of {setting.tasks} tasks"
    if state.recorded != state.delivered:
        return f"{state.recorded} recorded, {state.delivered} delivered"
    if setting.lossless and state.dropped:
        return f"{state.dropped} dropped, though the producer should wait"
    return None


Actor = Callable[[State, Setting], list[Move]]

ACTORS: dict[str, tuple[Actor, ...]] = {
    "staging": (staging_core, staging_controller, host),
    "controller-rotated": (segments_core, segments_controller, host),
    "producer-rotated": (producer_core, producer_controller, host),
}


def check(setting: Setting, actors: tuple[Actor, ...] = ()) -> Outcome:
    """Every interleaving of one setting; `actors` in place of those of its protocol."""
    actors = actors or ACTORS[setting.protocol]

    def moves(state: State) -> list[Move]:
        return [move for actor in actors for move in actor(state, setting)]

    return explore(start_state(setting), moves, lambda state: verdict(state, setting))
