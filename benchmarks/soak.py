"""Long recording at a fixed rate: does the collector's memory stay flat, does the account close?

    python -m benchmarks.soak [--minutes 30] [--rate 20000000] [--on-full drop] [--folder DIR]

A C program (stream.c) offers records at the rate through the real header; this process collects
from it with the real drain. 20 M records/s are 640 MB/s, more than a disk takes for long, so the
spool is a file that begins anew whenever it has 256 MB: every frame is made, checksummed and
written, and what is written is not kept. So this shows the way of the records up to the file, and
not the disk behind it.

Of every payload the buffers are counted, and no lane skips one. Of every 500th, and of the spool
that is left, each record is checked. At the end, lane by lane: what arrived is what was recorded,
and recorded + dropped is what the producer says that it made. Every 5 s the memory is looked at.
Exit code 1 where something is wrong. A rate that is not reached is said, and is no failure.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.stream import compile_producer
from lanescope.capture import SessionNote
from lanescope.capture.directory import REGION, SPOOL, make_directory, process_directories
from lanescope.capture.drain import Drain, DrainThread, counters
from lanescope.capture.gather import gather
from lanescope.capture.heart import Heart
from lanescope.capture.spool import FrameKind, SpoolReader, SpoolWriter
from lanescope.device.flags import level_features
from lanescope.device.head import Head
from lanescope.device.region import Region, open_region
from lanescope.device.transport import SharedMapping
from lanescope.errors import LanescopeError
from lanescope.native import library

SPOOL_BYTES = 256 << 20
CHECKED_EVERY = 500
LOOK_S = 5.0
MOST_GROWN_KIB = 1 << 10
"""The collector may grow by so much after the first quarter of the time, in KiB."""


@dataclass(frozen=True)
class Soak:
    """What is run."""

    program: Path
    folder: Path
    seconds: float
    rate: float
    on_full: str = "drop"
    producers: int = 2
    buffer_records: int = 1024
    buffers: int = 256
    look_s: float = LOOK_S

    @property
    def records(self) -> int:
        return int(self.rate * self.seconds)


@dataclass
class SoakResult:
    """What came of it."""

    offered: int
    recorded: int
    dropped: int
    arrived: int
    """Equal to `recorded`, or there is no result."""
    seconds: float
    pieces: int
    """How often the spool began anew."""
    checked: int
    """Records whose content was looked at."""
    memory_kib: list[int] = field(default_factory=list)

    @property
    def grown_kib(self) -> int:
        """By how much it grew after the first quarter of the time, in which it fills its caches."""
        first = self.memory_kib[: len(self.memory_kib) // 4 + 1]
        return max(self.memory_kib) - max(first)

    def problems(self) -> list[str]:
        """What is wrong, one sentence each."""
        if self.grown_kib > MOST_GROWN_KIB:
            return [f"the collector grew by {self.grown_kib:,} KiB: {self.memory_kib}"]
        return []


class RollingSpool(SpoolWriter):
    """A spool that begins anew when it is full; it counts the records of each lane."""

    def __init__(self, path: Path, head: Head) -> None:
        super().__init__(path)
        self._head = head
        self.arrived = np.zeros(len(head.lanes), np.uint64)
        self.pieces = self.checked = self._payloads = 0
        self._next = np.zeros(len(head.lanes), np.uint64)

    def append(self, kind: FrameKind, payload: memoryview | bytes) -> None:
        """Count, look at some, and write."""
        if kind == FrameKind.BUFFERS:
            self._count(np.frombuffer(payload, np.uint8))
        if self.bytes > SPOOL_BYTES:
            os.ftruncate(self._file, 8)
            os.lseek(self._file, 8, os.SEEK_SET)
            self.bytes, self.pieces = 8, self.pieces + 1
        super().append(kind, payload)

    def _count(self, payload: Any) -> None:
        lanes, following = self._head.lanes, self._next.copy()
        before = self.arrived.copy()
        buffers = library().ls_count_buffers(
            payload.ctypes.data, len(payload), lanes.ctypes.data, len(lanes),
            self.arrived.ctypes.data, following.ctypes.data,
        )  # fmt: skip
        if buffers != int((following - self._next).sum()):
            raise LanescopeError(f"a lane skips a buffer after {self._next.tolist()}")
        self._next = following
        if self._payloads % CHECKED_EVERY == 0:
            check_payload(payload, self._head)
            self.checked += int((self.arrived - before).sum())
        self._payloads += 1


def check_payload(payload: Any, head: Head) -> int:
    """Each record has the token that its place says; returns how many there are."""
    found = gather([payload], head)
    tokens = np.concatenate([rows["token"] for rows in found.records])
    counts = found.buffers["count"].astype(np.int64)
    begins = (found.buffers["first"] + found.buffers["dropped"]).astype(np.int64)
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    if not np.array_equal(tokens, (np.repeat(begins, counts) + places).astype(np.uint32)):
        raise LanescopeError("a record is not the one that its buffer's header says")
    return len(tokens)


def private_kib() -> int:
    """Memory of this process alone: mapped regions and files do not count."""
    lines = Path("/proc/self/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("RssAnon:")]
    return int(line.split()[1])


def run_soak(soak: Soak, say: bool = False) -> SoakResult:
    """Collect for the whole time; LanescopeError where a record or a buffer is another one."""
    with tempfile.TemporaryDirectory(prefix="lanescope-soak-", dir=soak.folder) as folder:
        directory = Path(folder) / "soak.capture"
        make_directory(directory, SessionNote("soak"))
        with start(soak, directory) as program:
            try:
                while not process_directories(directory):
                    if program.poll() is not None:
                        raise LanescopeError(f"the producers ended with {program.returncode}")
                    time.sleep(0.001)
                [own] = process_directories(directory)
                return collect(soak, program, own, say)
            finally:
                program.kill()


def collect(soak: Soak, program: subprocess.Popen[bytes], own: Path, say: bool) -> SoakResult:
    region = open_region(own / REGION)
    reach = SharedMapping(region.memory)
    spool = RollingSpool(own / SPOOL, region.head)
    thread = DrainThread(Drain(reach, region.head, spool))
    heart = Heart(reach, [thread])
    thread.start()
    heart.start()
    started, memory = time.monotonic(), []
    while True:
        try:
            program.wait(soak.look_s)
            break
        except subprocess.TimeoutExpired:
            memory.append(private_kib())
            if say:
                print_look(time.monotonic() - started, spool, region, memory)
    seconds = time.monotonic() - started
    heart.stop()
    thread.stop()
    if program.returncode != 0 or thread.error or thread.drain.damage or not memory:
        raise LanescopeError(
            f"producers: {program.returncode}; {thread.error or thread.drain.damage}"
        )
    spool.close()
    assert program.stdout is not None
    made = json.loads(program.stdout.read())["records"]
    lanes = counters(region.memory, region.head)
    if np.any(lanes["recorded"] + lanes["dropped"] != made):
        counts = {name: lanes[name].tolist() for name in ("recorded", "dropped")}
        raise LanescopeError(f"{made} were made, the lanes counted {counts}")
    if np.any(lanes["recorded"] != spool.arrived):
        raise LanescopeError(
            f"recorded {lanes['recorded'].tolist()}, arrived {spool.arrived.tolist()}"
        )
    return SoakResult(
        offered=sum(made), recorded=int(lanes["recorded"].sum()),
        dropped=int(lanes["dropped"].sum()), arrived=int(spool.arrived.sum()), seconds=seconds,
        pieces=spool.pieces, checked=spool.checked + check_rest(own / SPOOL, region.head),
        memory_kib=memory,
    )  # fmt: skip


def check_rest(path: Path, head: Head) -> int:
    """Every record of the spool that is left."""
    reader = SpoolReader(path)
    checked = sum(
        check_payload(frame.payload, head)
        for frame in reader.frames()
        if frame.kind == FrameKind.BUFFERS
    )
    if reader.damage:
        raise LanescopeError(f"the spool is damaged: {reader.damage[0]}")
    return checked


def print_look(seconds: float, spool: RollingSpool, region: Region, memory: list[int]) -> None:
    lanes = counters(region.memory, region.head)
    print(
        f"{seconds:7.0f} s {int(spool.arrived.sum()) / seconds / 1e6:6.1f} M records/s arrived, "
        f"{int(lanes['dropped'].sum()):,} dropped, {memory[-1]:,} KiB",
        flush=True,
    )


def start(soak: Soak, directory: Path) -> subprocess.Popen[bytes]:
    numbers = (soak.records, soak.producers, soak.buffer_records, soak.buffers, soak.rate)
    environment = {
        **os.environ,
        "LANESCOPE_CAPTURE": str(directory),
        "LANESCOPE_FLAGS": str(int(level_features(1))),
        "LANESCOPE_ON_FULL": soak.on_full,
    }
    command = [str(soak.program), *map(str, numbers)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=20e6, help="records per second, offered")
    parser.add_argument("--on-full", choices=("drop", "block"), default="drop")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lanescope-soak-") as build:
        program = compile_producer(Path(build))
        soak = Soak(program, args.folder, 60 * args.minutes, args.rate, args.on_full)
        try:
            result = run_soak(soak, say=True)
        except LanescopeError as error:
            print(f"soak: {error}", file=sys.stderr)
            return 1
    print(
        f"{result.offered:,} records offered in {result.seconds:.0f} s "
        f"({result.offered / result.seconds / 1e6:.1f} M/s), {result.arrived:,} arrived, "
        f"{result.dropped:,} dropped and counted ({result.dropped / result.offered:.2%}); "
        f"{result.checked:,} looked at; memory {result.memory_kib[0]:,} to "
        f"{max(result.memory_kib):,} KiB, of which {result.grown_kib:,} KiB came after the first "
        f"quarter; the spool began anew {result.pieces} times"
    )
    for problem in result.problems():
        print(f"MISSED: {problem}")
    return int(bool(result.problems()))


if __name__ == "__main__":
    sys.exit(main())
