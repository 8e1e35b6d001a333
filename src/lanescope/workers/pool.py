"""Who does the work: this process, processes of this machine, a Dask cluster, or what is handed in.

All four are a `concurrent.futures.Executor`; `mapping.py` knows nothing else of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from types import TracebackType

from lanescope.workers.processes import WorkerProcesses

FEW = 4
"""So many keys are not worth a process each: this process does them."""
_UNKNOWN_WORKERS = 64
"""How many workers an executor is taken to have that was handed in without a number."""


class Pool:
    """An executor, and what `map_over` has to know about it."""

    def __init__(
        self,
        executor: Executor,
        workers: int,
        *,
        close: Callable[[bool], None] = lambda now: None,
        present: Callable[[], int] | None = None,
        is_here: bool = False,
        is_shared: bool = False,
    ) -> None:
        """`close(now)` ends what was started for the pool; `now` does not wait for calls."""
        self.executor = executor
        self.workers = workers
        """Calls that run at the same time, as far as that is known."""
        self.present = present
        """How many workers there are now; None where that cannot be asked."""
        self.is_here = is_here
        """Calls run in this process."""
        self.is_shared = is_shared
        """A worker that ends may also break calls that did not end it."""
        self._close = close

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close(kind is not None)


def open_pool(
    cluster: str | Executor | None = None, workers: int | None = None, *, keys: int | None = None
) -> Pool:
    """Open the workers; leaving the `with` block ends those that were started here.

    Args:
        cluster: `local`, `slurm`, `k8s` or the address of a Dask scheduler (`tcp://…`); an executor
            of the caller's own, which stays open; None for processes of this machine.
        workers: How many; 0 is this process alone; None is one per core of this machine.
        keys: How much there is to do, where it is known: for little, no process is started.

    Raises:
        UsageError: the cluster has an unknown name, or its package is not installed.
        InputError: no scheduler answers at the address.
    """
    if isinstance(cluster, Executor):
        return Pool(cluster, workers or _UNKNOWN_WORKERS, is_shared=True)
    if cluster is not None:
        from lanescope.workers.clusters import open_cluster

        opened = open_cluster(cluster, workers)
        return Pool(
            opened.executor,
            opened.workers,
            close=opened.close,
            present=opened.present,
            is_shared=True,
        )
    if workers == 0 or (workers is None and keys is not None and keys <= FEW):
        here = ThreadPoolExecutor(1)
        return Pool(here, 1, close=lambda now: here.shutdown(cancel_futures=now), is_here=True)
    count = workers or os.cpu_count() or 1
    processes = WorkerProcesses(count)
    return Pool(processes, count, close=lambda now: processes.shutdown(cancel_futures=now))
