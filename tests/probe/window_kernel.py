"""A kernel on files that stand for a window of registers and for memory: REGISTERS MEMORY STEP….

Files do not react when they are written. So a clear of the counters is seen when the next kernel
runs, and every kernel fills its last burst, because nobody notices that the engine is stopped.
"""

from __future__ import annotations

import mmap
import struct
import sys
import time
from pathlib import Path

CORE = 1 << 20
VIRTUAL = 0x7000_0000_0000
PIPES = ("scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixp")
FILLER = 0xDDDDDDDD


def chunks(steps: list[str]) -> list[int]:
    ticks = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    made = [14 << 28 | part << 24 | ticks >> 16 * part & 0xFFFF for part in range(4)]
    for step in steps:
        name, cycles, mark = step.split(":")
        pipe = PIPES.index(name)
        made += [pipe << 28 | 1024 + int(mark) << 16, 15 << 28 | 1 << pipe << 16]
        made += [15 << 28 | int(cycles), pipe << 28 | 3072 + int(mark) << 16]
    return made + [FILLER] * (-len(made) % 8)


def run(registers: mmap.mmap, memory: mmap.mmap, steps: list[str]) -> None:
    def read(offset: int) -> int:
        return int.from_bytes(registers[CORE + offset : CORE + offset + 4], "little")

    def write(offset: int, value: int) -> None:
        registers[CORE + offset : CORE + offset + 4] = value.to_bytes(4, "little")

    if read(0xB024):
        for offset in (0xB024, 0xB020, 0xB01C):
            write(offset, 0)
    if not read(0x00C4) & read(0xB000) & 1:
        return
    made, bursts = chunks(steps), read(0xB01C) // 32
    sent = min(len(made) // 8, read(0xB004) // 32 - bursts)
    start = (read(0xB010) << 32 | read(0xB00C)) - VIRTUAL + 32 * bursts
    memory[start : start + 32 * sent] = struct.pack(f"<{8 * sent}I", *made[: 8 * sent])
    write(0xB020, read(0xB020) + len(made))
    write(0xB028, read(0xB028) + 8 * sent)
    write(0xB01C, 32 * (bursts + sent))


if __name__ == "__main__":
    with Path(sys.argv[1]).open("r+b") as first, Path(sys.argv[2]).open("r+b") as second:
        run(mmap.mmap(first.fileno(), 0), mmap.mmap(second.fileno(), 0), sys.argv[3:])
