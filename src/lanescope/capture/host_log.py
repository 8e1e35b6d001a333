"""What a recording's host side noted: ranges, uses of the handle, moments on both clocks.

A line of JSON per event in `host.jsonl`, each written by one call of the system, so that several
threads may write and a killed process leaves what it had written. Times are ns since 1970 on the
host's clock.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec

LOG = "host.jsonl"
LAUNCH_NUMBERS = 32_767
"""Handles carry numbers from 1 up to this one, then from 1 again.

There are 16 bits for it. A handle that uses the uppermost would be negative where arguments are
signed, and Triton would compile its kernel anew for it.
"""

_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line; its `type` says which event it is."""


class ThreadSeen(_Event, frozen=True, tag="thread"):
    """A thread of the host, before its first event."""

    thread: _Count
    """Its number, from 0 in the order in which threads were seen."""
    name: str


class HandleUsed(_Event, frozen=True, tag="call"):
    """The program took a handle for a launch."""

    call: _Count
    """Number of the use, from 1."""
    thread: _Count
    ns: _Count
    name: str = ""


class RangeBegun(_Event, frozen=True, tag="begin"):
    """A range was opened."""

    range: _Count
    """Number of the range, from 1."""
    thread: _Count
    ns: _Count
    name: str


class RangeEnded(_Event, frozen=True, tag="end"):
    """A range was closed."""

    range: _Count
    ns: _Count


class BothClocks(_Event, frozen=True, tag="moment"):
    """A moment that is known on both clocks, beside the one in the region."""

    device_ns: _Count
    unix_ns: _Count
    error_ns: _Count


HostEvent = ThreadSeen | HandleUsed | RangeBegun | RangeEnded | BothClocks


class HostLogWriter:
    """Writes the events of one recording; any thread may call it.

    Where the log cannot be written it ends there: the program that is watched goes on.
    """

    def __init__(self, directory: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._file: int | None = os.open(directory / LOG, flags, 0o600)
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._own = threading.local()
        self._threads = self._calls = self._ranges = 0
        self.problem = ""
        """Why the log ends early; empty where it does not."""

    def call(self, name: str = "") -> int:
        """Note that a handle is taken; return the number of the use."""
        with self._lock:
            self._calls += 1
            self._write(HandleUsed(self._calls, self._thread(), time.time_ns(), name))
            return self._calls

    def begin(self, name: str) -> int:
        """Note that a range begins; return its number."""
        with self._lock:
            self._ranges += 1
            thread = self._thread()
            self._write(RangeBegun(self._ranges, thread, time.time_ns(), name))
            return self._ranges

    def end(self, number: int) -> None:
        """Note that a range ends."""
        ns = time.time_ns()
        with self._lock:
            self._write(RangeEnded(number, ns))

    def both_clocks(self, device_ns: int, unix_ns: int, error_ns: int) -> None:
        """Note a moment that is known on both clocks."""
        with self._lock:
            self._write(BothClocks(device_ns, unix_ns, error_ns))

    def close(self) -> None:
        """Write nothing any more; what comes later is left out."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
            self._file = None

    def _thread(self) -> int:
        """Return the number of the calling thread; a new one is noted first."""
        number: int | None = getattr(self._own, "number", None)
        if number is None:
            number = self._own.number = self._threads
            self._threads += 1
            self._write(ThreadSeen(number, threading.current_thread().name))
        return number

    def _write(self, event: HostEvent) -> None:
        if self._file is None or os.getpid() != self._process:  # a forked child
            return
        line = msgspec.json.encode(event) + b"\n"
        try:
            written = os.write(self._file, line)
            error = "no space left" if written < len(line) else ""
        except OSError as refused:
            error = refused.strerror or str(refused)
        if error:
            os.close(self._file)
            self._file = None
            self.problem = (
                f"What the host did is known in part only: {LOG} could not be written ({error})."
            )


@dataclass(slots=True)
class HostEvents:
    """The events of a log in the order in which they were written."""

    threads: dict[int, str] = field(default_factory=dict)
    calls: list[HandleUsed] = field(default_factory=list)
    ranges: list[RangeBegun] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)
    """Number of a range to its end."""
    moments: list[BothClocks] = field(default_factory=list)

    def add(self, event: HostEvent) -> None:
        """Add the next event."""
        match event:
            case ThreadSeen():
                self.threads[event.thread] = event.name
            case HandleUsed():
                self.calls.append(event)
            case RangeBegun():
                self.ranges.append(event)
            case RangeEnded():
                self.ends[event.range] = event.ns
            case BothClocks():
                self.moments.append(event)


def read_host_log(directory: Path, problems: list[str]) -> HostEvents | None:
    """Return the events of a capture; None where it has no log.

    Lines that are no events are left out; `problems` gets a sentence about them.
    """
    path = directory / LOG
    if not path.is_file():
        return None
    decoder = msgspec.json.Decoder(HostEvent)
    events, wrong = HostEvents(), 0
    try:
        with path.open("rb") as lines:
            for line in lines:
                try:
                    events.add(decoder.decode(line))
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                    wrong += 1
    except OSError as error:
        problems.append(f"{path}: {error}")
    if wrong:
        few = "1 line is no event and was" if wrong == 1 else ""
        problems.append(f"{path}: {few or f'{wrong} lines are no events and were'} left out")
    return events
