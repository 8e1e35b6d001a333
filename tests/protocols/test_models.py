"""Every interleaving of small runs of the protocols, and wrong protocols that are found out.

What must hold: in block every record is delivered; in drop, and where a producer gives up on the
host, delivered + dropped is every record; none twice, none torn, in order, sequence numbers and
`first` without a gap; nobody writes into a buffer the host may read; nothing locks up, also with
one buffer per lane (after-finish: two); the last, partly filled buffer arrives with its count.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from tests.protocols import late, segments
from tests.protocols.explorer import Broken, Step, explore
from tests.protocols.models import ACTORS, check
from tests.protocols.state import Setting
from tests.protocols.wrong import WRONG

LEAST_BUFFERS = {"after-finish": 2}
"""What ls_config_check asks for, where it is more than one buffer."""
MODES = {"block": ("block", False), "drop": ("drop", False), "host lost": ("block", True)}


def settings(protocol: str, mode: str, tasks: int) -> list[Setting]:
    on_full, host_may_be_lost = MODES[mode]
    return [
        Setting(protocol, tasks, size, buffers, pre_dispatch, on_full, host_may_be_lost)
        for size, buffers, pre_dispatch in product((1, 2, 3), (1, 2, 3), (0, 1, 2))
        if buffers >= LEAST_BUFFERS.get(protocol, 1)
    ]


SIZES = [
    *((protocol, tasks) for protocol in ACTORS for tasks in (3, 4, 5)),
    *((protocol, 6) for protocol in ACTORS if protocol != "after-finish"),
    pytest.param("after-finish", 6, marks=pytest.mark.stress),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("protocol", "tasks"), SIZES)
def test_every_interleaving_keeps_every_record_accounted_for(
    protocol: str, mode: str, tasks: int
) -> None:
    for setting in settings(protocol, mode, tasks):
        outcome = check(setting)
        assert not outcome.failure, f"{setting}\n{outcome}"
        assert outcome.endings > 0


@pytest.mark.parametrize("mode", MODES)
def test_writing_after_the_controller_was_told_is_safe_when_the_core_rotates(mode: str) -> None:
    for setting in settings("producer-rotated", mode, 5):
        outcome = check(replace(setting, tell_first=True))
        assert not outcome.failure, f"{setting}\n{outcome}"


@pytest.mark.parametrize("on_full", ["block", "drop"])
def test_the_segment_table_may_wrap_twice(on_full: str) -> None:
    """Two tasks in advance need all of the table; giving up on the host is a way to drop."""
    for buffers in (1, 3):
        setting = Setting("controller-rotated", 9, 1, buffers, 2, on_full)
        outcome = check(setting)
        assert not outcome.failure, f"{setting}\n{outcome}"


# ---- The check can fail ---------------------------------------------------------------------


def found_wrong(name: str, setting: Setting) -> tuple[str, list[str]]:
    """The failure and the steps that lead to it."""
    outcome = check(setting, WRONG[name])
    print(f"{name}, {setting}:\n{outcome}")
    return outcome.failure, [step.does.format(step.number) for step in outcome.trace]


HEAD = Setting("controller-rotated", tasks=3, size=1, buffers=2, pre_dispatch=1)


def test_rotation_at_dispatch_publishes_a_buffer_that_a_task_still_writes() -> None:
    failure, trace = found_wrong("rotate at dispatch", HEAD)
    assert failure == "task 0 writes into buffer 0, which is published"
    assert "publishes buffer 0" in trace and trace[-1] == "writes half a of task 0"
    assert "sees that task 0 has finished" not in trace


def test_rotation_at_completion_leaves_a_dispatched_task_with_the_old_buffer() -> None:
    failure, trace = found_wrong("rotate at completion", HEAD)
    assert failure == "task 1 writes into buffer 0, which is published"
    held = trace.index("reads the head: task 1 goes into buffer 0")
    assert held < trace.index("publishes buffer 0") < len(trace) - 1


def test_publishing_before_writing_is_found() -> None:
    failure, trace = found_wrong(
        "publish before write", Setting("producer-rotated", 3, 1, buffers=2, pre_dispatch=0)
    )
    assert failure == "task 0 writes into buffer 0, which is published"
    assert trace.index("ls_buffer_publish: buffer 0") < len(trace) - 1


@pytest.mark.parametrize("pre_dispatch", [1, 2])
def test_waiting_in_admit_locks_up_with_one_buffer(pre_dispatch: int) -> None:
    one = Setting("controller-rotated", 3, 1, buffers=1, pre_dispatch=pre_dispatch)
    failure, trace = found_wrong("wait in admit", one)
    assert failure.startswith("deadlock: 0 of 3 tasks have finished")
    assert "ls_channel_admit waits for a buffer for task 1" in trace


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("rotate at dispatch", 1),
        ("rotate at dispatch", 2),
        ("rotate at completion", 1),
        ("rotate at completion", 2),
        ("publish before write", 1),
        ("publish before write", 2),
    ],
)
def test_the_host_alone_would_notice_the_same_faults(name: str, size: int) -> None:
    protocol = "producer-rotated" if name.startswith("publish") else "controller-rotated"
    blind = Setting(protocol, 5, size, buffers=2, pre_dispatch=1, watch_writes=False)
    failure, _ = found_wrong(name, blind)
    assert failure.startswith(("the host gets", "deadlock"))


@pytest.mark.parametrize("name", ["rotate at dispatch", "rotate at completion"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_both_rotations_are_right_without_pre_dispatch(name: str, size: int) -> None:
    for tasks, buffers in product((3, 4, 6), (1, 2)):
        setting = Setting("controller-rotated", tasks, size, buffers, pre_dispatch=0)
        outcome = check(setting, WRONG[name])
        assert not outcome.failure, f"{setting}\n{outcome}"


def test_waiting_in_admit_is_right_without_pre_dispatch() -> None:
    outcome = check(Setting("controller-rotated", 4, 1, 1, 0), WRONG["wait in admit"])
    assert not outcome.failure, str(outcome)


# ---- after-finish --------------------------------------------------------------------------------

LATE = Setting("after-finish", tasks=3, size=1, buffers=2, pre_dispatch=1)


def test_handing_on_at_the_finish_publishes_a_buffer_that_is_still_written() -> None:
    failure, trace = found_wrong("hand on at finish", LATE)
    assert failure == "task 0 writes into buffer 0, which is published"
    assert "acknowledges task 1" not in trace


def test_acknowledging_before_the_record_is_written_is_found() -> None:
    failure, trace = found_wrong("acknowledge before write", LATE)
    assert failure == "task 0 writes into buffer 0, which is published"
    assert trace.index("ls_channel_acknowledged: 2 tasks") < len(trace) - 1


def test_closing_before_the_core_has_closed_is_found() -> None:
    failure, trace = found_wrong("close before the core", LATE)
    assert failure.endswith("which is published")
    assert "acknowledges the order to go" not in trace


def test_after_finish_locks_up_with_one_buffer() -> None:
    """The full buffer waits for the next task's ACK, and the next task for a buffer."""
    assert check(replace(LATE, buffers=1)).failure.startswith("deadlock: 1 of 3 tasks")


@pytest.mark.parametrize("entries", [3, 4])
def test_after_finish_needs_all_entries_of_the_segment_table(
    entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (segments, late):
        monkeypatch.setattr(module, "OUTSTANDING", entries)
    outcome = check(replace(LATE, tasks=5, buffers=4, pre_dispatch=2))
    assert bool(outcome.failure) == (entries == 3), str(outcome)


@pytest.mark.parametrize("name", ["hand on at finish", "close before the core"])
def test_the_host_alone_would_notice_a_late_record(name: str) -> None:
    failure, _ = found_wrong(name, replace(LATE, tasks=5, watch_writes=False))
    assert failure.startswith(("the host gets", "deadlock"))


# ---- The explorer ---------------------------------------------------------------------------


def test_the_explorer_finds_the_lost_update_of_two_counters_in_fewest_steps() -> None:
    def moves(state: tuple[int, int, int]) -> list[tuple[Step, object]]:
        """(shared, what a has read or -2 when done, the same of b)"""
        shared, *own = state
        found: list[tuple[Step, object]] = []
        for place, name in enumerate("ab"):
            after = list(own)
            if own[place] == -1:
                after[place] = shared
                found.append((Step(name, "reads {}", shared), (shared, *after)))
            elif own[place] >= 0:
                after[place] = -2
                found.append((Step(name, "writes {}", own[place] + 1), (own[place] + 1, *after)))
        return found

    outcome = explore((0, -1, -1), moves, lambda state: None if state[0] == 2 else "lost")
    assert str(outcome).splitlines() == [
        "  1. a  reads 0",
        "  2. b  reads 0",
        "  3. a  writes 1",
        "  4. b  writes 1",
        "  => lost",
    ]


def test_the_explorer_reports_a_broken_step_and_a_model_that_holds() -> None:
    step = Step("a", "steps", 0)
    broken = explore(0, lambda state: [(step, Broken("no"))], lambda state: None)
    assert (broken.failure, broken.trace) == ("no", (step,))
    fine = explore(0, lambda state: [(step, 1)] if state == 0 else [], lambda state: None)
    assert str(fine) == "2 states, 1 steps, 1 endings: holds"
