"""Programs that end badly, for test_flight.py.

python -m tests.cuda.crash illegal|killed DIRECTORY
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from tests.cuda.gpu import cupy, kernel

import lanescope.cuda

CORES, WHICH = 6, 4


def main() -> None:
    how, directory = sys.argv[1], Path(sys.argv[2])
    nowhere = np.uint64(1 << 20 if how == "illegal" else cupy().zeros(1, np.uint32).data.ptr)
    rec = lanescope.cuda.record(cores=CORES, directory=directory)
    func = np.uint32(rec.function("even"))
    rec.function("odd")
    with rec:
        handle = np.uint64(rec.handle)
        kernel("beyond")((CORES,), (32,), (nowhere, np.uint32(WHICH), func, handle))
        if how == "killed":
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGKILL)
    print("\n".join(rec.trace.meta.notes))


if __name__ == "__main__":
    main()
