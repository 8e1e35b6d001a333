"""A trace engine's registers: what starts and stops it, what it writes where, what it counts."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.chunks import FILLER, SENTINEL
from lanescope.device import perfmon
from lanescope.device.perfmon import Buffer, EngineReader, SubCore, start_engine, stop_engine
from lanescope.errors import LanescopeError
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.engine import (
    ASSUMED,
    Behaviour,
    CachedMemory,
    ClusterWindow,
    TraceEngine,
)
from lanescope.platforms.sim.perfmon import sub_cores

RINGS = [Behaviour(wrap="ring", pointer=pointer) for pointer in perfmon.POINTERS]


class Watched:
    """Remembers what was written where."""

    def __init__(self, engine: TraceEngine) -> None:
        self._engine = engine
        self.writes: list[tuple[int, int]] = []

    def read(self, offset: int) -> int:
        return self._engine.read(offset)

    def write(self, offset: int, value: int) -> None:
        self.writes.append((offset, value))
        self._engine.write(offset, value)


class Bench:
    """One engine with a buffer and somebody who reads it."""

    def __init__(self, behaviour: Behaviour = ASSUMED, size: int = 128) -> None:
        self.memory = CachedMemory(coherent=behaviour.coherent)
        self.memory.allocate(64)
        self.buffer = self.memory.allocate(size)
        self.engine = TraceEngine(self.memory, behaviour)
        self.watched = Watched(self.engine)
        self.reader = EngineReader(self.watched, self.buffer, self.memory, setup=behaviour.setup())

    def make(self, *chunks: int) -> None:
        self.engine.make(np.array(chunks, np.uint32))

    def seen(self) -> list[int]:
        data = self.memory.read(self.buffer, 0, self.buffer.size)
        return np.frombuffer(data, "<u4").tolist()

    def counts(self) -> tuple[int, int, int]:
        at = (perfmon.WPTR, perfmon.SAMP_CRT, perfmon.SAMP_WRT)
        pointer, created, written = (self.engine.read(offset) for offset in at)
        return pointer, created, written


def started(behaviour: Behaviour = ASSUMED, size: int = 128) -> Bench:
    bench = Bench(behaviour, size)
    bench.reader.start()
    return bench


def test_the_global_enable_comes_last_at_the_start_and_first_at_the_stop() -> None:
    bench = Bench()
    buffer = Buffer(0xABCD_1234_5678, 0, 4096)
    start_engine(bench.watched, buffer, Behaviour().setup())
    assert bench.watched.writes == [
        (0xB00C, 0x1234_5678),
        (0xB010, 0xABCD),
        (0xB004, 4096),
        (0xB024, 1),
        (0xB028, 0),
        (0x00C4, 1),
        (0xB000, 1),
    ]
    bench.watched.writes.clear()
    stop_engine(bench.watched)
    assert bench.watched.writes == [(0xB000, 0), (0x00C4, 0)]


@pytest.mark.parametrize("on", [(), (perfmon.PERF_MON_EN,), (perfmon.GLOBAL_EN,)])
def test_nothing_is_made_unless_both_enables_are_on(on: tuple[int, ...]) -> None:
    bench = started()
    for offset in (perfmon.PERF_MON_EN, perfmon.GLOBAL_EN):
        bench.engine.write(offset, int(offset in on))
    bench.make(*range(8))
    assert bench.counts() == (0, 0, 0)


def test_a_burst_stays_inside_until_it_is_full() -> None:
    bench = started()
    bench.make(*range(1, 8))
    assert bench.counts() == (0, 7, 0)
    assert bench.seen() == [0] * 32
    bench.make(8, 9)
    assert bench.counts() == (32, 9, 8)
    assert bench.seen()[:9] == [1, 2, 3, 4, 5, 6, 7, 8, 0]


def test_stopping_ends_the_stream_and_pads_the_burst() -> None:
    bench = started()
    bench.make(1, 2, 3)
    stop_engine(bench.engine)
    assert bench.seen()[:9] == [1, 2, 3, SENTINEL, *[FILLER] * 4, 0]
    assert bench.counts() == (32, 3, 3)


def test_only_the_global_enable_ends_the_stream() -> None:
    bench = started()
    bench.make(1, 2, 3)
    bench.engine.write(perfmon.PERF_MON_EN, 0)
    assert bench.counts() == (0, 3, 0)
    bench.engine.write(perfmon.PERF_MON_EN, 1)
    bench.engine.write(perfmon.GLOBAL_EN, 0)
    assert bench.counts() == (32, 3, 3)


def test_stopping_writes_nothing_where_nothing_is_held_back() -> None:
    bench = started()
    bench.make(*range(8))
    stop_engine(bench.engine)
    assert bench.counts() == (32, 8, 8)


def test_the_two_counters_are_cleared_each_in_its_way() -> None:
    bench = started()
    bench.make(*range(8))
    bench.engine.write(perfmon.SAMP_CRT_CLR, 0)
    bench.engine.write(perfmon.SAMP_WRT, 5)
    assert bench.counts() == (32, 8, 8)
    bench.engine.write(perfmon.SAMP_CRT_CLR, 1)
    assert bench.counts() == (32, 0, 8)
    bench.engine.write(perfmon.SAMP_WRT, 0)
    assert bench.counts() == (32, 0, 0)


def test_a_linear_buffer_that_is_full_drops_what_comes() -> None:
    bench = started(size=80)  # two bursts and a half
    bench.make(*range(24), 24, 25)
    assert bench.counts() == (64, 26, 16)
    assert bench.seen()[:18] == [*range(16), 0, 0]


@pytest.mark.parametrize(
    ("behaviour", "pointer"), list(zip(RINGS, (32, 96, 1), strict=True)), ids=perfmon.POINTERS
)
def test_a_ring_goes_on_at_its_start(behaviour: Behaviour, pointer: int) -> None:
    bench = started(behaviour, size=64)
    bench.make(*range(24))
    assert bench.counts() == (pointer, 24, 24)
    assert bench.seen() == [*range(16, 24), *range(8, 16)]


@pytest.mark.parametrize("behaviour", [Behaviour(), *RINGS], ids=str)
def test_a_drain_takes_each_burst_once(behaviour: Behaviour) -> None:
    bench = started(behaviour, size=96)
    taken: list[int] = []
    for number in range(0, 70, 14):
        bench.make(*range(number, number + 14))
        found = bench.reader.drain()
        assert not found.lost_before and not found.lost_after
        taken += np.frombuffer(found.data, "<u4").tolist()
    taken += np.frombuffer(bench.reader.stop().data, "<u4").tolist()
    assert taken == [*range(70), SENTINEL, FILLER]
    assert (bench.reader.made, bench.reader.taken) == (70, 70)


@pytest.mark.parametrize("behaviour", [Behaviour(), *RINGS], ids=str)
def test_a_drain_clears_the_counters_and_leaves_the_enables_alone(behaviour: Behaviour) -> None:
    bench = started(behaviour)
    bench.make(*range(8))
    bench.watched.writes.clear()
    bench.reader.drain()
    restart = [(perfmon.BASE_L, bench.buffer.virtual & perfmon.WORD)]
    assert bench.watched.writes == [
        (perfmon.SAMP_CRT_CLR, 1),
        (perfmon.SAMP_WRT, 0),
        *(restart if behaviour.wrap == "linear" else []),
    ]
    bench.watched.writes.clear()
    assert bench.reader.drain().data == b""
    assert bench.watched.writes == []


def test_what_a_linear_buffer_drops_shows_after_the_slice() -> None:
    bench = started(size=64)
    bench.make(*range(27))
    first = bench.reader.drain()
    assert (len(first.data), first.lost_before, first.lost_after) == (64, False, True)
    bench.make(*range(27, 32))
    second = bench.reader.drain()  # the burst that held 24, 25, 26 back, and no further loss
    assert np.frombuffer(second.data, "<u4").tolist() == list(range(24, 32))
    assert (second.lost_before, second.lost_after) == (False, False)
    assert bench.reader.stop() == (b"", False, False)
    assert (bench.reader.made, bench.reader.taken) == (32, 24)


@pytest.mark.parametrize("behaviour", RINGS, ids=str)
def test_what_a_ring_overwrites_shows_before_the_slice(behaviour: Behaviour) -> None:
    bench = started(behaviour, size=64)
    bench.make(*range(24))
    found = bench.reader.drain()
    assert np.frombuffer(found.data, "<u4").tolist() == list(range(8, 24))
    assert (found.lost_before, found.lost_after) == (True, False)
    assert (bench.reader.made, bench.reader.taken) == (24, 16)


def test_a_pointer_that_somebody_else_moved_is_noticed() -> None:
    bench = started()
    bench.make(*range(16))
    bench.engine.write(perfmon.BASE_L, 0)
    with pytest.raises(LanescopeError, match="write pointer is 0, but 2 bursts were written"):
        bench.reader.drain()


def test_an_address_has_48_bits() -> None:
    memory = CachedMemory()
    buffer = memory.allocate(64)
    engine = TraceEngine(memory, Behaviour())
    start_engine(engine, buffer, Behaviour().setup())
    engine.write(perfmon.BASE_H, 0xFFFF_0000 | buffer.virtual >> 32)
    engine.make(np.arange(8, dtype=np.uint32))
    assert memory.read(buffer, 0, 32) == np.arange(8, dtype="<u4").tobytes()


@pytest.mark.parametrize("address", ["virtual", "physical"])
def test_the_other_kind_of_address_reaches_nobodys_memory(address: str) -> None:
    bench = Bench(Behaviour(address=address))
    other = Behaviour(address="physical" if address == "virtual" else "virtual")
    start_engine(bench.engine, bench.buffer, other.setup())
    bench.make(*range(8))
    assert bench.seen() == [0] * 32
    assert bench.memory.faults == 1


def test_without_an_invalidate_the_reader_sees_its_cache() -> None:
    bench = started(Behaviour(coherent=False))
    assert bench.seen() == [0] * 32
    bench.make(*range(1, 9))
    assert bench.seen() == [0] * 32
    bench.memory.invalidate(bench.buffer)
    assert bench.seen()[:8] == list(range(1, 9))


def test_forms_of_a_chunk() -> None:
    seen = {}
    for form in ("chip6", "byte_swapped", "eight_byte"):
        bench = started(Behaviour(form=form))
        bench.make(0x01020304, *range(7))
        seen[form] = bench.memory.read(bench.buffer, 0, 8).hex()
        assert bench.counts()[2] == 8
    assert seen == {
        "chip6": "0403020100000000",
        "byte_swapped": "0102030400000000",
        "eight_byte": "0403020100000000",
    }


def test_sub_cores_are_a_megabyte_apart() -> None:
    memory = CachedMemory()
    engines = {number: TraceEngine(memory, Behaviour()) for number in range(3)}
    window = ClusterWindow(engines)
    for number in range(3):
        SubCore(window, number).write(perfmon.BUF_LEN, 100 + number)
    assert [window.read((number << 20) + 0xB004) for number in range(3)] == [100, 101, 102]
    cores = [SubCore(window, number) for number in range(3)]
    assert [core.read(perfmon.BUF_LEN) for core in cores] == [100, 101, 102]
    assert [engine.read(perfmon.BUF_LEN) for engine in engines.values()] == [100, 101, 102]


def test_a_chips_cores_have_their_places() -> None:
    chip = load_chip("a5")
    places = sub_cores(chip)
    assert places[:36] == (0,) * 36
    assert places[36:] == (1, 2) * 36


@pytest.mark.parametrize(
    ("offset", "value"), [(0xB01C, 0), (0xB020, 0), (0xB00D, 0), (0xB000, 1 << 32), (0xB000, -1)]
)
def test_what_no_register_takes(offset: int, value: int) -> None:
    bench = Bench()
    with pytest.raises(ValueError, match="no 32-bit register takes"):
        bench.engine.write(offset, value)
