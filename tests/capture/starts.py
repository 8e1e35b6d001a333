"""Starts a program many times, eight at once, kills some, and prints how each ended and its time.

python starts.py PROGRAM COUNT
"""

from __future__ import annotations

import json
import os
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
CONTROLS = 4
"""For so many programs that record there is one that does not, under the same load."""


def start(program: str, number: int) -> tuple[str, int, float]:
    """Start one; return what became of it, its exit code, and its time in seconds."""
    environment = dict(os.environ)
    kind = "killed" if number % KILLED == 0 else "recorded"
    if number < 0:
        kind = "control"
        environment.pop("LANESCOPE_CAPTURE", None)
    tasks = ENDLESS if kind == "killed" else TASKS
    begin = time.monotonic()
    with subprocess.Popen([program, tasks], stdout=-3, env=environment) as running:
        if kind == "killed":
            time.sleep(random.Random(number).uniform(0, 0.1))
            running.kill()
        code = running.wait()
    return kind, code, time.monotonic() - begin


if __name__ == "__main__":
    numbers = []
    for one in range(int(sys.argv[2])):
        numbers += [one, -1] if one % CONTROLS == 0 else [one]
    with ThreadPoolExecutor(8) as pool:
        print(json.dumps(list(pool.map(lambda number: start(sys.argv[1], number), numbers))))
