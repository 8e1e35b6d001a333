"""One run of benchmarks.stream: start the producers, collect, check every record, floor."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.capture import CaptureSession, SessionNote
from lanescope.capture.directory import REGION, SPOOL, make_directory, process_directories
from lanescope.capture.drain import ROOM, counters
from lanescope.capture.gather import gather
from lanescope.capture.spool import FrameKind, SpoolReader
from lanescope.device.flags import level_features
from lanescope.device.head import Head
from lanescope.device.region import open_region
from lanescope.errors import LanescopeError


@dataclass(frozen=True)
class Stream:
    """What is run."""

    program: Path
    folder: Path
    records: int
    producers: int
    buffer_records: int
    buffers: int
    pin: bool


@dataclass(frozen=True)
class StreamResult:
    """What one run took."""

    folder: str
    producers: int
    records: int
    records_per_s: float
    """From the first record's start to all records in the spool."""
    producer_ns: float
    """One producer's time per record, waiting included."""
    blocked_part: float
    """Of the producers' time, without a free buffer."""
    bytes_per_s: float
    collector_cpu_s: float
    others_part: float
    """Of the processors' time during the run, taken by other programs: how noisy it was."""
    floor_bytes_per_s: float
    """The same bytes copied and written, right after the run."""
    floor_ratio: float


def run_stream(stream: Stream) -> StreamResult:
    """Collect once; LanescopeError where a record is missing or was dropped."""
    with tempfile.TemporaryDirectory(prefix="lanescope-stream-", dir=stream.folder) as folder:
        directory = Path(folder) / "stream.capture"
        session, times, used = _collect(stream, directory)
        seconds = (time.monotonic_ns() - times["start_ns"]) / 1e9
        blocked_ns = check_records(session.directory, stream.records)
        session.discard()
        floor_s = floor_seconds(Path(folder) / "floor", session.spool_bytes)
    busy_ns = sum(times["busy_ns"])
    return StreamResult(
        folder=str(stream.folder),
        producers=stream.producers,
        records=stream.records,
        records_per_s=stream.records / seconds,
        producer_ns=busy_ns / stream.records,
        blocked_part=blocked_ns / busy_ns,
        bytes_per_s=session.spool_bytes / seconds,
        collector_cpu_s=used.collector_s,
        others_part=used.others_part,
        floor_bytes_per_s=session.spool_bytes / floor_s,
        floor_ratio=floor_s / seconds,
    )


@dataclass(frozen=True)
class Used:
    """CPU time of the collector, and the part of the machine's that other programs took."""

    collector_s: float
    others_part: float


def _collect(stream: Stream, directory: Path) -> tuple[CaptureSession, dict[str, Any], Used]:
    """The session after its end, what the program printed, and the CPU time of it."""
    make_directory(directory, SessionNote("stream"))
    before = _cpu_seconds()
    program = _start(stream, directory)
    while not process_directories(directory):
        if program.poll() is not None:
            raise LanescopeError(f"the producers ended with {program.returncode}, without a region")
        time.sleep(0.0005)
    [own] = process_directories(directory)
    session = CaptureSession(own, open_region(own / REGION))
    with session:
        printed, _ = program.communicate()
    collector, producers, machine, available = (
        after - early for after, early in zip(_cpu_seconds(), before, strict=True)
    )
    if session.error is not None:
        raise session.error
    if program.returncode != 0:
        raise LanescopeError(f"the producers ended with {program.returncode}")
    others = max(machine - collector - producers, 0) / available
    return session, json.loads(printed), Used(collector, others)


def _cpu_seconds() -> tuple[float, float, float, float]:
    """Of this process, of its ended children, of the whole machine, and how much there was."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, nice, system = map(int, Path("/proc/stat").read_text().split()[1:4])
    machine = (user + nice + system) / os.sysconf("SC_CLK_TCK")
    available = time.monotonic() * (os.cpu_count() or 1)
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime, machine, available


def _start(stream: Stream, directory: Path) -> subprocess.Popen[str]:
    """With `pin` the program inherits all processors but the last, which this process keeps."""
    numbers = (stream.records, stream.producers, stream.buffer_records, stream.buffers)
    environment = {
        **os.environ,
        "LANESCOPE_CAPTURE": str(directory),
        "LANESCOPE_FLAGS": str(int(level_features(1))),
        "LANESCOPE_ON_FULL": "block",
    }
    allowed = sorted(os.sched_getaffinity(0))
    pinned = stream.pin and len(allowed) > 1
    if pinned:
        os.sched_setaffinity(0, allowed[:-1])
    command = [str(stream.program), *map(str, numbers)]
    program = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    if pinned:
        os.sched_setaffinity(0, allowed[-1:])
    return program


def check_records(directory: Path, records: int) -> float:
    """Every token of every producer is in the spool, once and in order; returns ns blocked."""
    region = open_region(directory / REGION)
    head, reader = region.head, SpoolReader(directory / SPOOL)
    seen, blocked = np.zeros(len(head.lanes), np.int64), 0
    for frame in reader.frames():
        if frame.kind == FrameKind.BUFFERS:
            blocked += _check_frame(frame.payload, head, seen)
    lanes = counters(region.memory, head)
    if reader.damage or seen.sum() != records or np.any(seen != lanes["recorded"]):
        raise LanescopeError(
            f"{records:,} records were made, the lanes counted {lanes['recorded'].tolist()}, "
            f"the spool holds {seen.tolist()}"
        )
    if lanes["dropped"].any():
        raise LanescopeError(f"the lanes dropped {lanes['dropped'].tolist()}")
    return blocked / int(head.header["clock_hz"]) * 1e9


def _check_frame(payload: Any, head: Head, seen: Any) -> int:
    found = gather([payload], head)
    for lane, rows in enumerate(found.records):
        wanted = np.arange(seen[lane], seen[lane] + len(rows))
        if not np.array_equal(rows["token"], wanted.astype(np.uint32)):
            raise LanescopeError(f"{head.lane_name(lane)}: records are missing after {seen[lane]}")
        seen[lane] += len(rows)
    return int((found.buffers["wait_end"] - found.buffers["wait_start"]).sum())


def floor_seconds(path: Path, size: int) -> float:
    """What copying and writing this many bytes takes, in the collector's portions."""
    source = np.arange(ROOM // 8, dtype=np.uint64).view(np.uint8)
    target = np.zeros_like(source)
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    started = time.perf_counter()
    for at in range(0, size, ROOM):
        part = min(ROOM, size - at)
        target[:part] = source[:part]
        os.write(file, target[:part].data)
    seconds = time.perf_counter() - started
    os.close(file)
    path.unlink()
    return seconds
