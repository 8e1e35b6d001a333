"""What the runtime around the protocols does: tasks come, end, and are dispatched in order."""

from __future__ import annotations

from tests.protocols.explorer import Move, Step
from tests.protocols.state import Setting, State


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


def end_core(state: State) -> list[Move]:
    if state.core == "close":
        return [(Step("core", "has ended", 0), state._replace(core="end"))]
    return []


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


def end_controller(state: State) -> list[Move]:
    if state.controller == "close":
        return [(Step("controller", "has ended", 0), state._replace(controller="end"))]
    return []
