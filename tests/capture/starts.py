"""Starts a program many times, eight at once, kills some, and prints how each ended and its time.

python starts.py PROGRAM COUNT
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TASKS = "3000"
"""Tasks of a program that ends by itself: more than its buffers hold without a collector."""
ENDLESS = "1000000000"
KILLED = 8
"""Of so many programs one is killed."""


def start(program: str, number: int) -> tuple[bool, int, float]:
    """Start one; return whether it was to be killed, its exit code, and its time in seconds."""
    is_victim = number % KILLED == 0
    begin = time.monotonic()
    with subprocess.Popen([program, ENDLESS if is_victim else TASKS], stdout=-3) as running:
        if is_victim:
            time.sleep(random.Random(number).uniform(0, 0.1))
            running.kill()
        code = running.wait()
    return is_victim, code, time.monotonic() - begin


if __name__ == "__main__":
    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(lambda number: start(sys.argv[1], number), range(int(sys.argv[2]))))
    print(json.dumps(ends))
