"""A region in a file: made for a recording, or opened to read what a recording left there."""

from __future__ import annotations

import errno
import mmap
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.device.head import ON_FULL, PROTOCOLS, Array, Core, Head, read_head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout
from lanescope.device.transport import Transport
from lanescope.errors import InputError, OutputError, UsageError
from lanescope.native import library
from lanescope.trace import locks
from lanescope.trace.flags import Feature

_REFUSED = (
    "",
    "the feature bits are not known or lack one that they imply",
    "there is no such protocol",
    "on-full is neither block nor drop",
    "the clock's rate is 0",
    "there must be 1 to 65536 cores and at most 65536 controllers",
    "a core can hold 0, 1 or 2 tasks in advance",
    "the function's place in the task word is outside its 64 bits",
    "a buffer holds 1 to 1048576 records, and a lane has 1 to 4096 buffers; with after-finish "
    "a core has 2 or more",
    "there is room for 65536 function names at most",
    "cores with pipes have at most 65536 lanes, which they rotate themselves",
)
"""Why a configuration is refused, by enum ls_config_problem."""


@cache
def clock_hz() -> int:
    """Return the rate of this machine's counter in Hz, measured once."""
    return int(library().ls_native_clock_hz())


@dataclass(frozen=True, kw_only=True)
class RegionConfig:
    """What a region is made for: which features, which producers, and how much memory."""

    flags: Feature
    cores: tuple[Core, ...]
    schedulers: int = 1
    """Number of schedulers."""
    orchestrators: int = 1
    """Number of orchestrators."""
    hosts: int = 0
    """Number of threads of the host program that record phases."""
    protocol: str = "producer-rotated"
    """Who rotates the buffers: one of PROTOCOLS."""
    on_full: str = "block"
    """What a producer does without a free buffer: one of ON_FULL."""
    pre_dispatch: int = 1
    """Number of tasks that a core may hold beside the one that it runs."""
    buffer_records: int | Mapping[str, int] = 1024
    """Number of records in a buffer: one number, or a number for each kind of record."""
    buffers: int | Mapping[str, int] = 8
    """Number of buffers of a lane: one number, or a number for each kind of record. One number is
    that of all kinds but edges, host phases and tensors, which have lanes only if they are named
    here."""
    host_lost_s: float = 30.0
    """How long the host may show no sign of life before producers stop waiting, in seconds."""
    clock_hz: int = field(default_factory=clock_hz)
    """Rate of the device's counter, in Hz."""
    own_clock: bool = True
    """Whether the device's counter is this machine's, so that the host's clock is known, too."""
    func_shift: int = 0
    """Bit of a task word at which the function begins; 0 where it holds none."""
    first_token: int = 0
    """The token of each core's first dispatch."""
    pipes: int = 0
    """Number of lanes of slices that each core has. Where it is not 0, there are no other lanes,
    unless `pipes_beside` is set."""
    pipes_beside: bool = False
    """Whether slices stand beside other records; then they are the marks of the core swimlane."""
    functions: Mapping[int, str] = field(default_factory=dict)
    """Number to name, of functions, marks and pipes."""
    name_room: int = 1
    """Number of names that the region has room for, those of `functions` included."""

    def packed(self) -> Array:
        """Return the configuration as one ls_config, checked by the rules of the C header.

        Raises:
            UsageError: no region can be made for it.
        """
        packed = np.zeros(1, layout("ls_config"))
        config = packed[0]
        config["flags"] = int(self.flags)
        config["protocol"] = _choice(self.protocol, PROTOCOLS, "protocol")
        config["on_full"] = _choice(self.on_full, ON_FULL, "on-full")
        config["core_count"] = len(self.cores)
        config["host_lost_cycles"] = min(int(self.host_lost_s * self.clock_hz), 1 << 62)
        for name in ("clock_hz", "func_shift", "first_token", "pre_dispatch"):
            config[name] = getattr(self, name)
        config["scheduler_count"] = self.schedulers
        config["orchestrator_count"] = self.orchestrators
        config["pipe_count"] = self.pipes
        config["pipes_beside"] = self.pipes_beside
        config["host_count"] = self.hosts
        config["name_count"] = max(len(self.functions), self.name_room)
        for code, kind in enumerate(KINDS):
            optional = code >= constant("LS_FIRST_OPTIONAL_KIND")
            config["buffer_records"][code] = _per_kind(self.buffer_records, kind, 1024)
            config["buffer_count"][code] = (
                0
                if optional and isinstance(self.buffers, int)
                else _per_kind(self.buffers, kind, 0 if optional else 1024)
            )
        problem = int(library().ls_native_config_check(packed.ctypes.data))
        if problem:
            raise UsageError(f"nothing can be recorded with this set-up: {_REFUSED[problem]}")
        return packed

    def region_bytes(self) -> int:
        """Return the size of the region in bytes; 0 where nothing is recorded."""
        return int(library().ls_native_region_bytes(self.packed().ctypes.data))


class Region:
    """A region as the host sees it: a mapped file, or the image of a transport.

    `lanes` is the lane table, which keeps changing.
    """

    def __init__(self, path: Path, memory: Array, lock: int | None = None) -> None:
        self.path = path
        """Its file; of a region that a transport reaches, the name of the transport."""
        self.memory = memory
        self.head: Head = read_head(memory, source=path, region_bytes=len(memory))
        start = int(self.head.header["lanes"])
        self.lanes = memory[start : start + self.head.lane_bytes].view(layout("ls_lane"))
        self._lock = lock

    @property
    def address(self) -> int:
        """Address of the region in this process."""
        return int(self.memory.ctypes.data)

    @property
    def state(self) -> int:
        """How far the recorded program is: a value of enum ls_state, such as LS_STOPPED."""
        return int(
            self.memory[: layout("ls_header").itemsize].view(layout("ls_header"))["state"][0]
        )

    def fresh_head(self) -> Head:
        """Return the head, with names and counters as they are now."""
        return read_head(self.memory, source=self.path, region_bytes=len(self.memory))

    def mark_stopped(self) -> None:
        """Say in the region that the device has closed all its handles."""
        library().ls_native_set_state(self.address, constant("LS_STOPPED"))

    def close(self) -> None:
        """Give up the lock. The memory stays mapped until no array of it is used any more."""
        if self._lock is not None:
            locks.unlock(self._lock)
            os.close(self._lock)
            self._lock = None


def require_recording() -> None:
    """Refuse a system on which nothing can be recorded.

    Raises:
        UsageError: it is Windows.
    """
    if sys.platform == "win32":
        raise UsageError(
            "recording needs Linux or macOS, also on a simulated chip; on Windows lanescope opens, "
            "reports, shows and converts traces"
        )


def create_region(path: Path, config: RegionConfig) -> Region:
    """Make a file, reserve its space on the disk, and lay out a region in it.

    Raises:
        UsageError: there is nothing to record, or no region can be made for the configuration.
        OutputError: the disk has too little space.
    """
    packed, size = _sized(config)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        _require_room(file, size)
        _reserve(file, size)
        memory = np.frombuffer(mmap.mmap(file, size), np.uint8)
    except OSError as error:
        os.close(file)
        path.unlink(missing_ok=True)
        raise OutputError(
            f"{path}: the recording buffers take {size:,} bytes, which could not be had "
            f"({error.strerror}); free some space, or use fewer or smaller buffers"
        ) from error
    locks.lock_shared(file)
    _describe(memory, packed, config)
    return Region(path, memory, file)


def _sized(config: RegionConfig) -> tuple[Array, int]:
    """Return the packed configuration, and the size of its region in bytes."""
    packed = config.packed()
    size = int(library().ls_native_region_bytes(packed.ctypes.data))
    if size == 0:
        raise UsageError("with no feature on there is nothing to make a region for")
    return packed, size


def _require_room(file: int, size: int) -> None:
    """Refuse a size that the disk does not have.

    A reservation that fails would fill the disk for all others until it has failed.
    """
    disk = os.fstatvfs(file)
    if size // disk.f_frsize >= disk.f_bavail:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _reserve(file: int, size: int) -> None:
    """Make the file so large; on Linux its space on the disk is taken at once."""
    if sys.platform == "linux":
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)


def open_region(path: Path) -> Region:
    """Map a region that another process made.

    Raises:
        InputError: the file is no region.
    """
    with path.open("r+b") as file:
        size = os.fstat(file.fileno()).st_size
        if size < layout("ls_header").itemsize:
            raise InputError(path, f"expected a region, found {size} bytes, too few for one")
        memory = np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)
    return Region(path, memory)


def place_region(transport: Transport, config: RegionConfig) -> Region:
    """Make a region in the memory that a transport reaches.

    Raises:
        UsageError: there is nothing to record, no region can be made for the configuration, or the
            memory is too small.
        TransportError: the memory cannot be reached.
    """
    packed, size = _sized(config)
    with mmap.mmap(-1, size) as untouched:  # only its first pages ever become memory
        memory = np.frombuffer(untouched, np.uint8)
        _describe(memory, packed, config)
        head = read_head(memory, source=transport.name, region_bytes=size)
        first_bytes = memory[: int(head.lanes["buffers"].min())].copy()
        del memory
    transport.place(first_bytes, size)
    return reached_region(transport)


def reached_region(transport: Transport) -> Region:
    """Return the region that a transport has placed or opened.

    Raises:
        InputError: what it reaches is no region.
    """
    return Region(Path(transport.name), transport.image)


def is_in_use(path: Path) -> bool:
    """Say whether a process records into the region of a file: it holds a lock on the file.

    Raises:
        InputError: the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            locks.lock_now(file.fileno())
    except BlockingIOError:
        return True
    except OSError as error:
        raise InputError(path, f"cannot be looked at ({error.strerror})") from error
    return False


def _describe(memory: Array, packed: Array, config: RegionConfig) -> None:
    """Write the header, the core table and the names into the memory of a new region."""
    address = int(memory.ctypes.data)
    library().ls_native_region_init(address, packed.ctypes.data)
    if config.own_clock:
        library().ls_native_anchor_clock(address)
    header = memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0]
    header["region_id"] = secrets.randbits(64) or 1
    header["process"] = os.getpid()
    entry = layout("ls_core_entry")
    at = int(header["cores"])
    cores = memory[at : at + len(config.cores) * entry.itemsize].view(entry)
    for index, core in enumerate(config.cores):
        cores[index] = (core.kind.encode()[:15], core.cluster, core.controller, core.clock_hz)
    name = layout("ls_name_entry")
    at = int(header["names"])
    names = memory[at : at + len(config.functions) * name.itemsize].view(name)
    for index, (func, text) in enumerate(config.functions.items()):
        names[index] = (func, _cut(text, 59))


def _cut(text: str, room: int) -> bytes:
    """Return a text as UTF-8 of at most `room` bytes, without half a character at the end."""
    return text.encode()[:room].decode(errors="ignore").encode()


def _choice(value: str, known: tuple[str, ...], what: str) -> int:
    if value not in known:
        raise UsageError(f"expected {what} {' or '.join(known)}, found {value!r}")
    return known.index(value)


def _per_kind(value: int | Mapping[str, int], kind: str, default: int) -> Any:
    number = value if isinstance(value, int) else value.get(kind, default)
    if not 0 <= number < 1 << 32:
        raise UsageError(f"expected a positive number of records or buffers, found {number}")
    return number
