"""A trace engine as its controller sees it: registers in their order, bursts from a buffer."""

from __future__ import annotations

import pytest

from lanescope.device import perfmon
from lanescope.device.perfmon import (
    Buffer,
    DrainedBursts,
    EngineReader,
    EngineSetup,
    SubCore,
    position,
    start_engine,
    stop_engine,
)
from lanescope.errors import LanescopeError

BURST = 32


class Noted(dict[int, int]):
    """Registers that note what was written where."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[tuple[int, int]] = []

    def read(self, offset: int) -> int:
        return self.get(offset, 0)

    def write(self, offset: int, value: int) -> None:
        self.writes.append((offset, value))


class Memory:
    """Bytes of a buffer; every burst is full of its own number."""

    def __init__(self, size: int) -> None:
        self.data = b"".join(bytes([number]) * BURST for number in range(size // BURST))
        self.invalidated = 0

    def read(self, buffer: Buffer, start: int, size: int) -> bytes:
        assert 0 <= start < start + size <= buffer.size, "nothing is not read"
        return self.data[start : start + size]

    def invalidate(self, buffer: Buffer) -> None:
        self.invalidated += 1


def reader(size: int = 4 * BURST, **setup: object) -> tuple[EngineReader, Noted, Memory]:
    registers, memory = Noted(), Memory(size)
    buffer = Buffer(0x1_0000_4000, None, size)
    own = EngineReader(registers, buffer, memory, setup=EngineSetup(**setup))  # type: ignore[arg-type]
    return own, registers, memory


def visit(
    own: EngineReader, registers: Noted, pointer: int, made: int, written: int
) -> tuple[list[int], bool, bool]:
    """What is drained, as the numbers of its bursts."""
    registers.update({perfmon.WPTR: pointer, perfmon.SAMP_CRT: made, perfmon.SAMP_WRT: written})
    found: DrainedBursts = own.drain()
    return list(found.data[::BURST]), found.lost_before, found.lost_after


def test_the_registers_are_those_of_the_source() -> None:
    """hw-native-sys/simpler issue #905 lists them."""
    offsets = [0xC4, *range(0xB000, 0xB014, 4), *range(0xB01C, 0xB02C, 4)]
    assert list(perfmon.REGISTERS.values()) == offsets
    assert (perfmon.SUB_CORE_BYTES, perfmon.WORD) == (0x100000, 0xFFFFFFFF)


def test_the_global_enable_is_last_at_the_start_and_first_at_the_end() -> None:
    own, registers, _ = reader()
    own.start()
    assert registers.writes == [
        (perfmon.BASE_L, 0x4000),
        (perfmon.BASE_H, 1),
        (perfmon.BUF_LEN, 128),
        (perfmon.SAMP_CRT_CLR, 1),
        (perfmon.SAMP_WRT, 0),
        (perfmon.PERF_MON_EN, 1),
        (perfmon.GLOBAL_EN, 1),
    ]
    registers.writes.clear()
    stop_engine(registers)
    assert registers.writes == [(perfmon.GLOBAL_EN, 0), (perfmon.PERF_MON_EN, 0)]


def test_a_core_has_its_registers_inside_the_window_of_its_cluster() -> None:
    window = Noted()
    core = SubCore(window, 2)
    window[0x200000 + perfmon.WPTR] = 7
    assert core.read(perfmon.WPTR) == 7
    core.write(perfmon.BUF_LEN, 64)
    assert window.writes == [(0x200000 + perfmon.BUF_LEN, 64)]


def test_a_linear_buffer_is_read_from_its_start_and_begins_anew() -> None:
    own, registers, memory = reader()
    assert visit(own, registers, 0, 0, 0) == ([], False, False)
    assert registers.writes == []
    assert visit(own, registers, 2 * BURST, 16, 16) == ([0, 1], False, False)
    assert registers.writes == [
        (perfmon.SAMP_CRT_CLR, 1),
        (perfmon.SAMP_WRT, 0),
        (perfmon.BASE_L, 0x4000),
    ]
    assert visit(own, registers, BURST, 3, 3) == ([0], False, False)
    assert (own.made, own.taken, memory.invalidated) == (19, 19, 0)
    with pytest.raises(LanescopeError, match="write pointer is 64, but 1 bursts were written"):
        visit(own, registers, 64, 8, 8)


def test_chunks_that_were_made_and_not_written_are_lost_from_a_burst_on() -> None:
    """The engine holds back up to seven chunks; those come with the next burst."""
    own, registers, _ = reader()
    assert visit(own, registers, BURST, 15, 8) == ([0], False, False)
    assert visit(own, registers, 0, 1, 0) == ([], False, True)
    assert visit(own, registers, 0, 7, 0) == ([], False, False)
    assert visit(own, registers, 0, 1, 0) == ([], False, True)
    assert (own.made, own.taken) == (24, 8)


@pytest.mark.parametrize(
    ("pointer", "bursts", "seen", "lost"),
    [
        (3 * BURST, 2, [1, 2], False),
        (BURST, 3, [2, 3, 0], False),
        (2 * BURST, 4, [2, 3, 0, 1], False),
        (2 * BURST, 5, [2, 3, 0, 1], True),
    ],
)
def test_a_ring_is_read_back_from_its_write_pointer(
    pointer: int, bursts: int, seen: list[int], lost: bool
) -> None:
    own, registers, memory = reader(wrap="ring", invalidate=True)
    assert visit(own, registers, pointer, 8 * bursts, 8 * bursts) == (seen, lost, False)
    assert memory.invalidated == 1
    assert (own.made, own.taken) == (8 * bursts, 8 * min(bursts, 4))


def test_a_ring_ends_at_its_last_whole_burst() -> None:
    own, registers, _ = reader(4 * BURST + 20, wrap="ring")
    assert visit(own, registers, BURST, 16, 16) == ([3, 0], False, False)


@pytest.mark.parametrize(
    ("pointer", "kind", "wrap", "at"),
    [
        (300, "byte_count", "ring", 44),
        (256, "byte_offset", "ring", 0),
        (9, "burst_index", "ring", 32),
        (300, "burst_index", "linear", 300),
    ],
)
def test_a_write_pointer_counts_bytes_or_bursts(
    pointer: int, kind: str, wrap: str, at: int
) -> None:
    assert position(pointer, 256, EngineSetup(pointer=kind, wrap=wrap)) == at


def test_a_buffer_has_the_addresses_that_the_platform_tells() -> None:
    whole = Buffer(0x1000, None, 512, engine=0x9000)
    inner = whole.inner(64, 128)
    assert inner == Buffer(0x1040, None, 128, engine=0x9040)
    assert (inner.address("virtual"), inner.address("engine")) == (0x1040, 0x9040)
    with pytest.raises(LanescopeError, match="address of kind physical, found none"):
        start_engine(Noted(), whole, EngineSetup(address="physical"))


def test_stopping_disables_the_engine_and_takes_the_rest() -> None:
    own, registers, _ = reader()
    own.start()
    registers.writes.clear()
    registers.update({perfmon.WPTR: BURST, perfmon.SAMP_CRT: 10, perfmon.SAMP_WRT: 8})
    assert own.stop() == DrainedBursts(bytes(BURST), False, False)
    assert registers.writes[:2] == [(perfmon.GLOBAL_EN, 0), (perfmon.PERF_MON_EN, 0)]
    assert (own.made - own.taken, own.made, own.taken) == (2, 10, 8)


def test_a_part_keeps_the_addresses_there_are() -> None:
    whole = Buffer(0x1000, 0x5000, 512)
    assert whole.inner(64, 128) == Buffer(0x1040, 0x5040, 128, engine=None)
    assert Buffer(1, 0, 512, engine=0).inner(8, 8) == Buffer(9, 8, 8, engine=8)
    assert (whole.address("virtual"), whole.address("physical")) == (0x1000, 0x5000)
    with pytest.raises(LanescopeError) as found:
        whole.address("engine")
    assert str(found.value) == "expected a buffer with an address of kind engine, found none"


def test_an_engine_takes_the_address_that_it_is_set_up_for() -> None:
    buffer = Buffer(0x1000, 0x2_0000_5000, 64, engine=0xFFFF_FFFF)
    found = []
    for space in perfmon.SPACES:
        registers = Noted()
        start_engine(registers, buffer, EngineSetup(address=space))
        found.append([value for _, value in registers.writes[:3]])
    assert found == [[0x1000, 0, 64], [0xFFFF_FFFF, 0, 64], [0x5000, 2, 64]]


def test_the_usual_engine_is_linear_and_needs_nothing_invalidated() -> None:
    assert EngineSetup() == EngineSetup(
        address="virtual",
        wrap="linear",
        pointer="byte_offset",
        invalidate=False,
        chunks_per_burst=8,
    )


@pytest.mark.parametrize(("written", "bursts"), [(1, 1), (4, 1), (5, 2), (8, 2)])
def test_a_burst_that_is_not_full_is_one(written: int, bursts: int) -> None:
    own, registers, _ = reader(chunks_per_burst=4)
    found = visit(own, registers, bursts * BURST, written, written)
    assert found == (list(range(bursts)), False, False)
    assert (own.made, own.taken) == (written, written)


def test_chunks_may_be_written_that_were_made_before() -> None:
    """The write pointer moves by itself, without a chunk that is new."""
    own, registers, _ = reader()
    assert visit(own, registers, 0, 7, 0) == ([], False, False)
    assert visit(own, registers, BURST, 0, 7) == ([0], False, False)
    assert registers.writes.count((perfmon.SAMP_CRT_CLR, 1)) == 2
    assert registers.writes.count((perfmon.SAMP_WRT, 0)) == 2
    assert (own.made, own.taken) == (7, 7)


def test_a_pointer_that_fits_no_burst_is_told_in_full() -> None:
    own, registers, memory = reader(invalidate=True)
    with pytest.raises(LanescopeError) as found:
        visit(own, registers, 33, 8, 8)
    assert str(found.value) == (
        "the trace engine's write pointer is 33, but 1 bursts were written; it may have another "
        "owner, see 'lanescope probe'"
    )
    assert memory.invalidated == 1


def test_of_a_ring_what_was_overwritten_is_made_and_not_taken() -> None:
    own, registers, memory = reader(wrap="ring", pointer="burst_index")
    assert visit(own, registers, 6, 56, 48) == ([2, 3, 0, 1], True, True)
    assert (own.made, own.taken, memory.invalidated) == (56, 32, 0)
    assert visit(own, registers, 7, 8, 8) == ([2], False, False)
    assert (own.made, own.taken) == (64, 40)
    assert (perfmon.BASE_L, 0x4000) not in registers.writes, "only a linear buffer begins anew"
