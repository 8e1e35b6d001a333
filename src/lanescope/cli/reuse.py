"""How the process of a command that ends by itself takes memory: what is freed is used again.

The kernel clears every page that is given back and taken anew. That was a fifth of the time of a
report of a million tasks.
"""

from __future__ import annotations

import ctypes
import os
import sys

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
"""Parameters of glibc's mallopt (malloc.h)."""
_NEVER = -1


def reuse_memory() -> None:
    """Keep freed memory in this process; to be called before numpy is imported.

    Pages stay small, because a large one is out of the caches when it has been cleared.
    """
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    if sys.platform != "linux":
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return  # another C library
    mallopt(_TRIM_THRESHOLD, _NEVER)
    mallopt(_MMAP_MAX, 0)
    mallopt(_ARENA_MAX, 1)
