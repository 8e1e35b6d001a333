"""A simulated core's agent that goes wrong at one request: `faulty_agent.py FAULT NUMBER [FILE]`.

It writes its process id into FILE.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import BinaryIO

from lanescope.platforms.sim.switches import switched_core
from lanescope.probe.serve import serve


class Faulty:
    """The standard output, with a fault in the answer to one request."""

    def __init__(self, fault: str, number: int, inner: BinaryIO) -> None:
        self._fault, self._number, self._inner = fault, number, inner

    def write(self, line: bytes) -> None:
        number, _, rest = line.partition(b" ")
        if number != str(self._number).encode():
            self._inner.write(line)
            return
        if self._fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if self._fault == "leave":
            os._exit(3)
        if self._fault == "hang":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(60)
        told = {
            "garbage": b"\x00\xff\x1b[31m<b>\n",
            "number": str(self._number + 1).encode() + b" " + rest,
            "flood": b"x" * 100_000,
            "lines": line * 3,
            "refuse": number + b" error the bus is gone\n",
        }
        self._inner.write(told[self._fault])

    def flush(self) -> None:
        self._inner.flush()


if __name__ == "__main__":
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(str(os.getpid()))
    answers = Faulty(sys.argv[1], int(sys.argv[2]), sys.stdout.buffer)
    serve(switched_core([]), sys.stdin.buffer, answers)  # type: ignore[arg-type]
