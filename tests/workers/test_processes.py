"""Processes of this machine as an executor: one call each, and whether any can start."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from lanescope.errors import UsageError
from lanescope.workers.mapping import map_over
from lanescope.workers.pool import Pool
from lanescope.workers.processes import WorkerProcesses


def test_calls_of_one_worker_are_all_in_one_process() -> None:
    processes = WorkerProcesses(1)
    try:
        pids = {future.result() for future in [processes.submit(os.getpid) for _ in range(20)]}
    finally:
        processes.shutdown(cancel_futures=True)
    assert len(pids) == 1
    assert os.getpid() not in pids


class Answering(WorkerProcesses):
    """Processes that all end at once, or all answer."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(1)
        self.calls, self._error = 0, error

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        if self._error is None:
            future.set_result(7)
        else:
            future.set_exception(self._error)
        return future


def test_whether_processes_start_is_asked_until_one_did() -> None:
    broken = Answering(BrokenProcessPool())
    for _ in range(2):
        with pytest.raises(UsageError, match=r"^the worker processes end as soon as they start; "):
            broken.require_start()
    good = Answering(None)
    good.require_start()
    good.require_start()
    assert (broken.calls, good.calls) == (2, 1)
    broken.shutdown()
    good.shutdown()


def test_a_process_is_deaf_to_ctrl_c_and_does_arithmetic_in_one_thread() -> None:
    processes = WorkerProcesses(1)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    interrupt = processes.submit(signal.getsignal, signal.SIGINT).result()
    threads = [processes.submit(os.getenv, name).result() for name in names]
    processes.shutdown()
    assert (interrupt, threads) == (signal.SIG_IGN, ["1", "1", "1"])


def test_a_shutdown_waits_for_what_was_begun_and_closes_the_pipe() -> None:
    processes = WorkerProcesses(1)
    future = processes.submit(sum, range(3_000_000))
    processes.shutdown()
    assert future.result(0) == 4_499_998_500_000
    assert processes._alive.closed and processes._watched.closed


@pytest.mark.parametrize(
    ("error", "again"), [(None, True), (ValueError(), True), (BrokenProcessPool(), False)]
)
def test_a_process_is_used_again_unless_it_broke(error: Exception | None, again: bool) -> None:
    """A call may also have been cancelled before it began."""
    processes, done = WorkerProcesses(0), Future[Any]()
    process = ProcessPoolExecutor(1)
    processes._open.add(process)
    if error is None:
        done.cancel()
    else:
        done.set_exception(error)
    processes._give_back(process, done)
    assert processes._free.get_nowait() is (process if again else None)
    assert (process in processes._open) == again
    processes.shutdown()


def test_work_for_processes_that_never_start_is_refused() -> None:
    broken = Answering(BrokenProcessPool())
    with pytest.raises(UsageError, match=r"^the worker processes end as soon as they start; "):
        list(map_over(str.upper, ["a"], pool=Pool(broken, 1)))
    broken.shutdown()
