"""Which cores a scheduler serves in one step, as stamps that runs share tell it."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task
from tests.replay.banked import BankedRun, traced

from lanescope.replay.readings.banks import bank_cores_of, guessed_bank_cores, seats_of
from lanescope.replay.readings.served import ServedRuns, served_runs
from lanescope.trace.meta import RecordingFacts


def chain(kind: str) -> ServedRuns:
    """Tasks one after the other, on two cores of one scheduler."""
    times = [[100 * k + step for step in (0, 10, 20, 80, 90)] for k in range(6)]
    return served_runs(
        make_trace(
            tasks=[task(k % 2, *at, task=k) for k, at in enumerate(times)],
            cores=[{"core": core, "kind": kind, "controller": 0} for core in range(2)],
        )
    )


def test_runs_of_a_bank_share_their_stamps() -> None:
    for schedulers in (1, 2):
        runs = served_runs(traced(BankedRun(tasks=400, schedulers=schedulers)))
        assert guessed_bank_cores(runs, ("sm",)) == 32


def test_a_scheduler_whose_runs_share_no_stamp_serves_one_core_after_the_other() -> None:
    times = [[0, 10, 20, 80 + k, 90 + k] for k in range(6)]
    trace = make_trace(
        tasks=[task(k, *at, task=k) for k, at in enumerate(times)],
        cores=[{"core": core, "kind": "sm", "controller": 0} for core in range(6)],
    )
    assert guessed_bank_cores(served_runs(trace), ("sm",)) == 1


def test_where_tasks_never_overlap_only_a_gpu_is_known_to_have_banks() -> None:
    assert guessed_bank_cores(chain("sm"), ("sm",)) == 32
    assert guessed_bank_cores(chain("aiv"), ("aiv",)) == 1


def test_what_the_recording_says_is_not_guessed() -> None:
    """32 cores share each stamp, and the recording says that two do."""
    trace = traced(BankedRun(tasks=400))
    facts = RecordingFacts(bank_cores=2)
    runs = served_runs(trace)
    assert bank_cores_of(trace, runs, ("sm",)) == 32
    assert bank_cores_of(trace.with_meta(recording=facts), runs, ("sm",)) == 2


def test_seats_are_counted_for_each_scheduler() -> None:
    trace = make_trace(
        tasks=[task(core, 0, 1, 2, 3, 4, task=core) for core in range(5)],
        cores=[{"core": core, "kind": "sm", "controller": core % 2} for core in range(5)],
    )
    assert seats_of(served_runs(trace)).tolist() == [0, 0, 1, 1, 2]
