"""Processes of this machine, each with one call at a time: a killed one breaks that call alone.

`ProcessPoolExecutor` breaks every call in flight when one process dies, so each process here is an
executor of its own. Processes are spawned, never forked: Arrow and the C library have threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from queue import SimpleQueue
from threading import Thread
from typing import Any

from lanescope.errors import UsageError

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""How numpy and Arrow are told to use one thread: there is a process per core already."""


class WorkerProcesses(Executor):
    """An executor whose calls in flight each have a process to themselves."""

    def __init__(self, count: int) -> None:
        """At most `count` processes; each starts when it is first needed."""
        self._context = get_context("spawn")
        self._watched, self._alive = self._context.Pipe(duplex=False)
        self._free: SimpleQueue[ProcessPoolExecutor | None] = SimpleQueue()
        for _ in range(count):
            self._free.put(None)
        self._open: set[ProcessPoolExecutor] = set()
        self._is_proven = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a call in a free process; waits where there is none.

        The future's error is a BrokenProcessPool where the process ended during the call.
        Raises UsageError in a process that is itself a worker which has not yet started.
        """
        process = self._free.get() or self._started()
        try:
            future = process.submit(fn, *args, **kwargs)
        except RuntimeError:
            raise _no_start() from None
        future.add_done_callback(lambda done: self._give_back(process, done))
        return future

    def require_start(self) -> None:
        """Raise UsageError where a process ends before it can do anything."""
        if self._is_proven:
            return
        try:
            self.submit(os.getpid).result()
        except BrokenProcessPool:
            raise _no_start() from None
        self._is_proven = True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; with `cancel_futures` at once, also in the middle of a call."""
        if cancel_futures:
            self._alive.close()
        for process in list(self._open):
            process.shutdown(wait=wait, cancel_futures=cancel_futures)
        self._alive.close()
        self._watched.close()

    def _started(self) -> ProcessPoolExecutor:
        process = ProcessPoolExecutor(
            1, mp_context=self._context, initializer=_begin, initargs=(self._watched,)
        )
        self._open.add(process)
        return process

    def _give_back(self, process: ProcessPoolExecutor, done: Future[Any]) -> None:
        is_broken = not done.cancelled() and isinstance(done.exception(), BrokenProcessPool)
        if is_broken:
            self._open.discard(process)
        self._free.put(None if is_broken else process)


def _no_start() -> UsageError:
    return UsageError(
        "the worker processes end as soon as they start; in a script, call this below "
        "if __name__ == '__main__':, or ask for workers=0"
    )


def _begin(watched: Any) -> None:
    """Prepare a new process: one thread for arithmetic, deaf to Ctrl-C, gone with its parent."""
    from signal import SIG_IGN, SIGINT, signal

    signal(SIGINT, SIG_IGN)
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    Thread(target=_end_with_parent, args=(watched,), daemon=True).start()


def _end_with_parent(watched: Any) -> None:
    """Nothing is ever sent: the pipe ends when the parent closes it, or is killed."""
    try:
        watched.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
