"""A function over many keys: batches, retries, and failures that never cost another key's answer.

A batch whose worker ends, or that fails as a whole, is run again key by key. A key that ends its
worker twice is a failure. On workers that are shared, such keys run one at a time with nothing
beside them, so that no key is blamed for another's end.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any, Generic, NamedTuple

from lanescope.render.progress import counting
from lanescope.workers.batch import Answer, Failure, run_batch
from lanescope.workers.pool import Pool, open_pool
from lanescope.workers.processes import WorkerProcesses

_LARGEST_BATCH = 25
_BATCHES_PER_WORKER = 8
"""At least so many, so that no worker is left with a long last batch."""
_KILLED = ("KilledWorker", "WorkerCrashedError", "CommClosedError")
"""How executors of Dask and Ray call a worker that ended; they need not be installed."""
_MOST_TRIES = 2
_LOOK_S = 5.0
"""How often a cluster that gives no answer is asked for its workers."""
_PATIENCE_S = 60.0
"""How long a cluster may be without workers after it had some. Until the first one comes there is
no limit: a queue may be long."""


def map_over(
    function: Callable[[str], Answer],
    keys: Sequence[str],
    *,
    pool: Pool | None = None,
    label: str = "",
) -> Iterator[tuple[str, Answer | Failure]]:
    """Give each key with its answer or its failure, in the order in which they are ready.

    Args:
        function: Called once per key, in a worker: a function of a module, or a partial of one.
        keys: What to call it with, such as the paths of traces; each of them once.
        pool: Who does the work; None opens processes of this machine, and closes them.
        label: What a terminal shows beside the number of keys that are done.
    """
    if pool is None:
        with open_pool(keys=len(keys)) as opened:
            yield from map_over(function, keys, pool=opened, label=label)
        return
    with counting(label, len(keys)) as advance:
        for key, answer in _Mapping(function, keys, pool).answers():
            advance()
            yield key, answer


class _Work(NamedTuple):
    """Keys that go to a worker together, and how often that was tried before."""

    keys: tuple[str, ...]
    tries: int = 0


class _Mapping(Generic[Answer]):
    """The state of one `map_over`: what waits, and what is in flight."""

    def __init__(self, function: Callable[[str], Answer], keys: Sequence[str], pool: Pool) -> None:
        self._function, self._pool = function, pool
        size = batch_size(len(keys), pool)
        starts = range(0, len(keys), size)
        self._waiting = deque(_Work(tuple(keys[start : start + size])) for start in starts)
        self._alone: deque[_Work] = deque()
        """What runs with nothing beside it."""
        self._running: dict[Future[Any], _Work] = {}
        self._last_present_s: float | None = None
        # A process does one call at a time; other executors have queues that are kept filled.
        self._most_running = pool.workers * (2 if pool.is_shared else 1)

    def answers(self) -> Iterator[tuple[str, Answer | Failure]]:
        """Each key with its answer or failure."""
        while self._waiting or self._alone or self._running:
            yield from self._submit()
            done, _ = wait(self._running, _LOOK_S, return_when=FIRST_COMPLETED)
            for future in done:
                yield from self._taken(future, self._running.pop(future))
            if not done and self._is_deserted():
                yield from self._given_up("the cluster has no workers left; run it again")

    def _is_deserted(self) -> bool:
        """Whether the cluster lost all its workers, and none came back."""
        if self._pool.present is None:
            return False
        if self._pool.present():
            self._last_present_s = time.monotonic()
        last_s = self._last_present_s
        return last_s is not None and time.monotonic() - last_s > _PATIENCE_S

    def _given_up(self, why: str) -> Iterator[tuple[str, Failure]]:
        """Failures for all that has no answer yet."""
        for future, work in self._running.items():
            future.cancel()
            self._waiting.append(work)
        left = [*self._waiting, *self._alone]
        self._running.clear()
        self._waiting.clear()
        self._alone.clear()
        for work in left:
            for key in work.keys:
                yield key, Failure(key, f"{key}: {why}", work.tries)

    def _submit(self) -> Iterator[tuple[str, Failure]]:
        """Fill the workers; gives failures where the executor takes no more work."""
        while self._waiting and len(self._running) < self._most_running:
            yield from self._started(self._waiting.popleft())
        if self._alone and not self._running:
            yield from self._started(self._alone.popleft())

    def _started(self, work: _Work) -> Iterator[tuple[str, Failure]]:
        try:
            future = self._pool.executor.submit(run_batch, self._function, work.keys)
        except (BrokenExecutor, RuntimeError) as error:
            why = f"the executor takes no more work ({_first_line(error)}); run it again"
            for key in work.keys:
                yield key, Failure(key, why, work.tries)
        else:
            self._running[future] = work

    def _taken(self, future: Future[Any], work: _Work) -> Iterator[tuple[str, Answer | Failure]]:
        """The answers of a call that ended; where it has none, its keys wait again."""
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            yield from future.result()
            return
        is_killed = _is_killed(error)
        if is_killed and isinstance(self._pool.executor, WorkerProcesses):
            self._pool.executor.require_start()
        tries = work.tries + 1
        if len(work.keys) > 1 or (is_killed and tries < _MOST_TRIES):
            queue = self._alone if is_killed and self._pool.is_shared else self._waiting
            queue.extend(_Work((key,), tries) for key in work.keys)
            return
        (key,) = work.keys
        reason = "ended its worker twice" if is_killed else f"failed ({_first_line(error)})"
        yield key, Failure(key, f"{key}: {reason}", tries)


def batch_size(keys: int, pool: Pool) -> int:
    """How many keys go to a worker at once."""
    if pool.is_here:
        return 1
    return max(1, min(_LARGEST_BATCH, keys // (pool.workers * _BATCHES_PER_WORKER)))


def _is_killed(error: BaseException) -> bool:
    return isinstance(error, BrokenExecutor | CancelledError) or type(error).__name__ in _KILLED


def _first_line(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return text.splitlines()[0]
