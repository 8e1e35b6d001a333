"""Processes of this machine as an executor: one call each, and whether any can start."""

from __future__ import annotations

import os
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from lanescope.errors import UsageError
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
