"""The protocols of native/include/lanescope/record.h as step-by-step models.

Each step names the C function it stands for, and touches shared memory at most once in a way
that another actor can see. A record is written and read as two halves, so a torn one shows.

    core         takes tasks in dispatch order, writes records, tells the controller
    controller   dispatches (at most `pre_dispatch` ahead) and handles finished tasks, in any order
    host         takes the oldest published buffer, copies it, gives it back, at any moment

What each step does to shared words, by word, order and value, is in accesses.py. test_replay.py
lets the C code take the same steps and compares.

Memory order: steps are sequentially consistent. That the release and acquire operations of the
real code are enough to make it so is what ThreadSanitizer checks on the real code (tests/native).
A wait is a step that cannot be taken, so waiting for ever is a deadlock, and giving up because the
host is lost (ls_host_is_lost, or host_lost_cycles without a beat) is a step that may be taken at
any moment of a wait. A producer that waits again because the host is back is one that takes its
next step late.

Tasks are numbered from 0; a record of task k has the halves (k, k). Buffers keep the bytes of
their last use, as memory does.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.protocols.explorer import Move, Outcome, explore
from tests.protocols.host import host
from tests.protocols.late import late_controller, late_core
from tests.protocols.producer import producer_controller, producer_core
from tests.protocols.segments import segments_controller, segments_core
from tests.protocols.staging import staging_controller, staging_core
from tests.protocols.state import Setting, State, start_state


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
    "after-finish": (late_core, late_controller, host),
}


def check(setting: Setting, actors: tuple[Actor, ...] = ()) -> Outcome:
    """Every interleaving of one setting; `actors` in place of those of its protocol."""
    actors = actors or ACTORS[setting.protocol]

    def moves(state: State) -> list[Move]:
        return [move for actor in actors for move in actor(state, setting)]

    return explore(start_state(setting), moves, lambda state: verdict(state, setting))
