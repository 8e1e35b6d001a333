"""A region in memory that a thread empties while a run records into it."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any

import numpy as np

from lanescope.device.layouts import constant, layout
from lanescope.native import Array, library

ROOM = 1 << 22


class DrainedRegion:
    """`with DrainedRegion(protocol=…) as region:` run something; then ask for its records."""

    def __init__(self, *, buffer_records: int = 1024, buffer_count: int = 8, **fields: int) -> None:
        config = np.zeros(1, layout("ls_config"))
        library().ls_native_default_config(config.ctypes.data)
        config["clock_hz"] = 10**9
        config["host_lost_cycles"] = 1 << 62
        config["buffer_records"] = buffer_records
        config["buffer_count"][:, : constant("LS_FIRST_OPTIONAL_KIND")] = buffer_count
        for name, value in fields.items():
            config[name] = value
        assert library().ls_native_config_check(config.ctypes.data) == 0
        size = int(library().ls_native_region_bytes(config.ctypes.data))
        whole = np.zeros(size + 64, np.uint8)
        start = -whole.ctypes.data % 64
        self.memory = whole[start : start + size]
        library().ls_native_region_init(self.address, config.ctypes.data)
        self.header = self.memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0]
        first, count = int(self.header["lanes"]), int(self.header["lane_count"])
        end = first + count * layout("ls_lane").itemsize
        self.lanes = self.memory[first:end].view(layout("ls_lane"))
        self._constants = self.lanes.copy()
        self._taken = np.zeros(count, np.uint64)
        self._parts: list[Array] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._drain)

    @property
    def address(self) -> int:
        return int(self.memory.ctypes.data)

    def __enter__(self) -> DrainedRegion:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def records(self, kind: str, owner: int) -> np.ndarray[Any, Any]:
        """All records of one lane, for example of LS_CORE_TASK and core 2."""
        lane = self.lane(kind, owner)
        types = {"LS_CORE_TASK": "ls_core_task", "LS_CONTROLLER_TASK": "ls_controller_task"}
        types |= {"LS_SCHEDULER_PHASE": "ls_scheduler_phase"}
        types |= {"LS_ORCHESTRATOR_PHASE": "ls_orchestrator_phase"}
        record = layout(types[kind])
        found = [part for number, part in self._buffers() if number == lane]
        return np.concatenate([np.zeros(0, np.uint8), *found]).view(record)

    def lane(self, kind: str, owner: int) -> int:
        match = (self.lanes["kind"] == constant(kind)) & (self.lanes["owner"] == owner)
        return int(np.flatnonzero(match)[0])

    def _buffers(self) -> list[tuple[int, Array]]:
        header = layout("ls_buffer")
        found = []
        for part in self._parts:
            at = 0
            while at < len(part):
                head = part[at : at + header.itemsize].view(header)[0]
                lane = int(head["lane"])
                size = int(head["count"]) * int(self._constants["record_bytes"][lane])
                at += header.itemsize + size
                found.append((lane, part[at - size : at]))
        return found

    def _drain(self) -> None:
        out = np.zeros(ROOM, np.uint8)
        result = np.zeros(1, layout("ls_drained"))
        count = len(self.lanes)
        while True:
            last = self._done.is_set()
            library().ls_drain(
                self.address,
                self.lanes.ctypes.data,
                self._constants.ctypes.data,
                count,
                self._taken.ctypes.data,
                out.ctypes.data,
                ROOM,
                result.ctypes.data,
            )
            assert result["problem"][0] == 0
            self._parts.append(out[: int(result["bytes"][0])].copy())
            library().ls_release(self.lanes.ctypes.data, count, self._taken.ctypes.data)
            if last and result["buffers"][0] == 0:
                return
            time.sleep(0)
