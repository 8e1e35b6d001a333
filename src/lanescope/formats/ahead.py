"""Work made in other threads while the caller uses what came before.

It pays where the time is spent in numpy, Arrow or zlib, which work without Python's lock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")

_THREADS = 2


def ahead(make: Callable[[A], T], items: Iterable[A]) -> Iterator[T]:
    """Yield make(item) for each item, in order.

    At most two results are ready or in the making before the caller asks for them.
    """
    with ThreadPoolExecutor(_THREADS) as threads:
        coming: deque[Future[T]] = deque()
        for item in items:
            coming.append(threads.submit(make, item))
            if len(coming) > _THREADS:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
