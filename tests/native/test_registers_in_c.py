"""Counters and trace engines in C do to the registers what the Python of the simulator does.

Every access is written down, by offset, value and order, and the two lists are compared.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import CFUNCTYPE, Structure, byref, c_int, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.capture.programs import built

from lanescope.capture.bursts import core_streams
from lanescope.capture.gather import gather
from lanescope.capture.leftover import leftover_buffers
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.perfmon import EngineReader
from lanescope.device.region import RegionConfig, create_region
from lanescope.device.registers import CounterBlock, read_sample, start_counting, stop_counting
from lanescope.errors import LanescopeError
from lanescope.platforms.sim.engine import Behaviour, CachedMemory, TraceEngine
from lanescope.platforms.sim.perfmon import END
from lanescope.platforms.sim.pmu_file import counter_unit
from lanescope.trace.flags import Feature

READ = CFUNCTYPE(c_uint32, c_void_p, c_uint32)
WRITE = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32)
INVALIDATE = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32)
POINTERS = ("byte_offset", "byte_count", "burst_index")


class Registers(Structure):
    _fields_ = [("read", READ), ("write", WRITE), ("context", c_void_p)]


class Engine(Structure):
    _fields_ = [
        ("registers", Registers),
        ("base", c_uint64),
        ("buffer", c_void_p),
        ("bytes", c_uint32),
        ("ring", c_uint32),
        ("pointer", c_uint32),
        ("chunks_per_burst", c_uint32),
        ("invalidate", INVALIDATE),
        ("out", c_void_p),
        *((name, c_uint64) for name in ("made", "taken", "written", "lost_bursts")),
    ]


class Logged:
    """Registers that write every access down."""

    def __init__(self, registers: Any) -> None:
        self._registers = registers
        self.log: list[tuple[str, int, int]] = []
        self.hooks = Registers(
            READ(lambda _, offset: self.read(offset)),
            WRITE(lambda _, offset, value: self.write(offset, value)),
            None,
        )

    def read(self, offset: int) -> int:
        value = int(self._registers.read(offset))
        self.log.append(("read", offset, value))
        return value

    def write(self, offset: int, value: int) -> None:
        self.log.append(("write", offset, value))
        self._registers.write(offset, value)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    source = Path(__file__).parent / "registers_library.c"
    target = tmp_path_factory.mktemp("library") / "registers.so"
    return ctypes.CDLL(str(built(source, target, flags=("-shared", "-fPIC"))))


@pytest.mark.parametrize("unit", ["dav_2201", "dav_3510"])
def test_counters_are_started_read_and_stopped_alike(library: ctypes.CDLL, unit: str) -> None:
    registers = counter_unit(unit).registers
    events = counter_unit(unit).groups[1].ids(len(registers.counters))
    here, there = (Logged(CounterBlock(registers)) for _ in range(2))
    which = c_int(unit == "dav_3510")

    start_counting(here, registers, events)  # type: ignore[arg-type]
    library.counting_start(byref(there.hooks), (c_uint32 * 10)(*events), which)
    for block in (here, there):
        block._registers.count({events[0]: 7, events[2]: (1 << 32) + 5}, (3 << 32) + 9)
    found = read_sample(here, registers)  # type: ignore[arg-type]
    sample = np.zeros(1, layout("ls_pmu"))
    library.counting_sample(byref(there.hooks), c_void_p(sample.ctypes.data), which)
    stop_counting(here, registers)  # type: ignore[arg-type]
    library.counting_stop(byref(there.hooks), which)

    assert there.log == here.log
    assert int(sample["total_cycles"][0]) == found[0] == (3 << 32) + 9
    assert sample["counters"][0].tolist()[: len(registers.counters)] == found[1:]
    here._registers.count({events[0]: 7}, 9)
    assert not any(read_sample(here, registers))  # type: ignore[arg-type]


class Pair:
    """One engine that Python drains and one that C drains, given the same chunks."""

    def __init__(self, library: ctypes.CDLL, folder: Path, behaviour: Behaviour, size: int) -> None:
        self._library = library
        memory = CachedMemory()
        self.python = TraceEngine(memory, behaviour)
        self.here = Logged(self.python)
        setup = behaviour.setup()
        self.reader = EngineReader(self.here, memory.allocate(size), memory, setup=setup)

        self._bytes = np.zeros(size + 64, np.uint8)
        at = int(self._bytes.ctypes.data)
        at += -at % 64
        self.c = TraceEngine(Raw(at, size), behaviour)
        self.there = Logged(self.c)
        config = RegionConfig(
            flags=Feature.CORE_SWIMLANE | Feature.CHIP_SWIMLANE_CORE_TIMING,
            cores=(Core("aic"),),
        )
        self.region = create_region(folder / "region", config)
        self._writer = ctypes.create_string_buffer(library.writer_size())
        self.engine = Engine(registers=self.there.hooks, base=at, buffer=at, bytes=size)
        self.engine.ring = behaviour.wrap == "ring"
        self.engine.pointer = POINTERS.index(behaviour.pointer)
        self.base = at
        self.streams = b""
        self.reader.start()
        library.engine_start(byref(self.engine), self._writer, c_void_p(self.region.address))

    def make(self, count: int) -> None:
        chunks = np.arange(count, dtype=np.uint32)
        self.python.make(chunks)
        self.c.make(chunks)

    def drain(self, *, stop: bool = False) -> None:
        piece = self.reader.stop() if stop else self.reader.drain()
        self.streams += END * piece.lost_before + piece.data + END * piece.lost_after
        own = self._library.engine_stop if stop else self._library.engine_drain
        assert own(byref(self.engine)) == 1

    def require_same(self) -> None:
        base = self.reader._buffer.virtual
        words = {base & 0xFFFFFFFF: self.base & 0xFFFFFFFF, base >> 32: self.base >> 32}
        expected = [
            (what, offset, words.get(value, value) if offset in (0xB00C, 0xB010) else value)
            for what, offset, value in self.here.log
        ]
        assert self.there.log == expected
        assert (self.engine.made, self.engine.taken) == (self.reader.made, self.reader.taken)
        lane = self.region.lanes[1]
        assert (int(lane["source_made"]), int(lane["source_taken"])) == (
            self.reader.made,
            self.reader.taken,
        )
        head = self.region.fresh_head()
        payload = leftover_buffers(self.region.memory, head, np.zeros(2, np.uint64)).payload
        [parts] = core_streams(gather([payload], head), head).values()
        assert b"".join(parts) == self.streams


class Raw:
    """Memory at an address of this process, for an engine to write into."""

    def __init__(self, address: int, size: int) -> None:
        self._address, self._size = address, size

    def store(self, address: int, data: bytes, *, space: str) -> None:
        assert self._address <= address <= self._address + self._size - len(data), space
        ctypes.memmove(address, data, len(data))


@pytest.fixture
def pair(library: ctypes.CDLL, tmp_path: Path) -> Callable[..., Pair]:
    def make(size: int = 256, **behaviour: Any) -> Pair:
        return Pair(library, tmp_path, Behaviour(**behaviour), size)

    return make


@pytest.mark.parametrize("counts", [(8, 16, 0, 3, 13), (40, 200, 8, 7), (64, 64, 65)])
def test_a_linear_engine_is_drained_alike(
    pair: Callable[..., Pair], counts: tuple[int, ...]
) -> None:
    both = pair()
    for count in counts:
        both.make(count)
        both.drain()
    both.drain(stop=True)
    both.require_same()


@pytest.mark.parametrize("pointer", POINTERS)
@pytest.mark.parametrize("counts", [(8, 16, 0, 3, 45), (200, 8, 7, 56), (64, 72, 500)])
def test_a_ring_is_drained_alike(
    pair: Callable[..., Pair], counts: tuple[int, ...], pointer: str
) -> None:
    both = pair(wrap="ring", pointer=pointer)
    for count in counts:
        both.make(count)
        both.drain()
    both.drain(stop=True)
    both.require_same()


@pytest.mark.parametrize("wrap", ["linear", "ring"])
def test_a_buffer_of_one_burst_is_drained_alike(pair: Callable[..., Pair], wrap: str) -> None:
    both = pair(size=32, wrap=wrap)
    for count in (8, 8, 3, 5):
        both.make(count)
        both.drain()
    both.drain(stop=True)
    both.require_same()
    assert both.engine.taken == 24


def test_the_buffer_is_invalidated_before_bursts_are_read_and_only_then(
    pair: Callable[..., Pair],
) -> None:
    both = pair()
    seen: list[tuple[int, int, int]] = []

    def invalidate(_: None, address: int, size: int) -> None:
        lane = both.region.lanes[1]
        seen.append((address - both.base, size, int(lane["recorded"])))

    both.engine.invalidate = INVALIDATE(invalidate)
    both.drain()
    both.make(3)  # the engine holds it back
    both.drain()
    assert seen == []
    for count in (13, 0, 8):
        both.make(count)
        both.drain()
    both.require_same()
    assert seen == [(0, 256, 0), (0, 256, 2)]


def test_a_buffer_without_room_for_a_burst_gives_none(pair: Callable[..., Pair]) -> None:
    both = pair(size=32)
    both.engine.bytes = 31
    both.make(8)
    assert both._library.engine_drain(byref(both.engine)) == 1
    assert int(both.region.lanes[1]["recorded"]) == 0


def test_an_engine_of_somebody_else_is_left_alone(pair: Callable[..., Pair]) -> None:
    both = pair()
    both.make(16)
    for engine in (both.python, both.c):
        engine._bursts = 7
    with pytest.raises(LanescopeError, match="may have another owner"):
        both.reader.drain()
    assert both._library.engine_drain(byref(both.engine)) == 0
    assert [entry[1] for entry in both.there.log] == [entry[1] for entry in both.here.log]
    assert (both.engine.made, both.engine.taken) == (16, 0)
    lane = both.region.lanes[1]
    assert int(lane["source_made"]) - int(lane["source_taken"]) == 16


def test_the_offsets_are_those_of_python() -> None:
    from lanescope.device import perfmon

    text = (Path(__file__).parents[2] / "native/include/lanescope/perfmon.h").read_text()
    for name, offset in (
        ("EN", perfmon.PERF_MON_EN),
        ("GLOBAL_EN", perfmon.GLOBAL_EN),
        ("BUF_LEN", perfmon.BUF_LEN),
        ("GLITCH_FILTER", perfmon.GLITCH_FILTER),
        ("BASE_L", perfmon.BASE_L),
        ("BASE_H", perfmon.BASE_H),
        ("WPTR", perfmon.WPTR),
        ("SAMP_CRT", perfmon.SAMP_CRT),
        ("SAMP_CRT_CLR", perfmon.SAMP_CRT_CLR),
        ("SAMP_WRT", perfmon.SAMP_WRT),
    ):
        assert f"LS_PERF_MON_{name} = 0x{offset:04X}" in text
