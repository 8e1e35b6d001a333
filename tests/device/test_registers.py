"""A core's counter registers: what starts them, what they count, what reading does."""

from __future__ import annotations

import pytest

from lanescope.device.registers import (
    WORD,
    CounterBlock,
    Enable,
    RegisterMap,
    read_sample,
    start_counting,
    stop_counting,
)

MAP = RegisterMap(
    enable=(Enable(0x00, 0x7), Enable(0x80, 0x1)),
    counters=(0x10, 0x18, 0x20),
    total=(0x30, 0x34),
    start=(0x40, 0x44),
    stop=(0x48, 0x4C),
    select=(0x50, 0x54, 0x58),
)
EVENTS = [0xA, 0xB, 0]


class Watched(CounterBlock):
    """Remembers what was written where."""

    __slots__ = ("writes",)

    def __init__(self) -> None:
        super().__init__(MAP)
        self.writes: list[tuple[int, int]] = []

    def write(self, offset: int, value: int) -> None:
        self.writes.append((offset, value))
        super().write(offset, value)


def started() -> CounterBlock:
    block = CounterBlock(MAP)
    start_counting(block, MAP, EVENTS)
    return block


def test_events_and_range_come_first_and_the_enables_last() -> None:
    block = Watched()
    start_counting(block, MAP, EVENTS)
    assert block.writes == [
        *((0x50, 0xA), (0x54, 0xB), (0x58, 0)),
        *((0x40, 0), (0x44, 0), (0x48, WORD), (0x4C, WORD)),
        *((0x00, 0x7), (0x80, 0x1)),
    ]


def test_each_counter_counts_the_event_it_was_given() -> None:
    block = started()
    block.count({0xA: 5, 0xB: 7, 0xC: 9}, 100)
    block.count({0xA: 1}, 10)
    assert read_sample(block, MAP) == [110, 6, 7, 0]


def test_reading_clears() -> None:
    block = started()
    block.count({0xA: 5}, 100)
    assert read_sample(block, MAP) == [100, 5, 0, 0]
    assert read_sample(block, MAP) == [0, 0, 0, 0]


def test_what_was_left_in_the_counters_is_cleared_at_the_start() -> None:
    block = started()
    block.count({0xA: 5}, 100)
    start_counting(block, MAP, EVENTS)
    assert read_sample(block, MAP) == [0, 0, 0, 0]


@pytest.mark.parametrize(("offset", "value"), [(0x00, 0), (0x00, 0x3), (0x80, 0), (0x48, 1000)])
def test_without_every_enable_and_the_whole_range_nothing_counts(offset: int, value: int) -> None:
    block = started()
    block.write(offset, value)
    block.count({0xA: 5}, 100)
    assert read_sample(block, MAP) == [0, 0, 0, 0]


def test_a_fresh_block_counts_nothing() -> None:
    block = CounterBlock(MAP)
    block.count({0: 5, 0xA: 5}, 100)
    assert read_sample(block, MAP) == [0, 0, 0, 0]


def test_counters_wrap_at_32_bits_and_the_total_at_64() -> None:
    block = started()
    block.count({0xA: WORD, 0xB: (1 << 32) + 3}, (1 << 32) + 5)
    block.count({0xA: 2}, 0)
    assert (block.read(0x30), block.read(0x34)) == (5, 1)
    assert (block.read(0x10), block.read(0x18)) == (1, 3)
    block.count({}, (1 << 64) - 1)
    block.count({}, 3)
    assert read_sample(block, MAP) == [2, 0, 0, 0]


def test_a_counter_without_an_event_stays_0() -> None:
    block = started()
    block.count({0: 9, 0xA: 1}, 1)
    assert read_sample(block, MAP) == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("offset", "value"), [(0x60, 0), (0x10, 1), (0x30, 1), (0x50, 1 << 32), (0x50, -1)]
)
def test_only_32_bits_into_registers_that_can_be_written(offset: int, value: int) -> None:
    with pytest.raises(ValueError, match="no 32-bit register"):
        started().write(offset, value)


def test_what_was_enabled_last_is_disabled_first() -> None:
    block = Watched()
    stop_counting(block, MAP)
    assert block.writes == [(0x80, 0), (0x00, 0)]


def test_after_the_stop_nothing_more_is_counted() -> None:
    block = started()
    block.count({0xA: 5}, 100)
    stop_counting(block, MAP)
    block.count({0xA: 7}, 10)
    assert read_sample(block, MAP) == [100, 5, 0, 0]


def test_a_core_has_all_its_registers_and_reads_some_per_task() -> None:
    assert MAP.reads_per_task == 5
    assert sorted(MAP.offsets()) == [
        *(0x00, 0x10, 0x18, 0x20, 0x30, 0x34, 0x40, 0x44, 0x48, 0x4C, 0x50, 0x54, 0x58, 0x80)
    ]


def test_a_fresh_block_is_all_zeros() -> None:
    block = CounterBlock(MAP)
    assert [block.read(offset) for offset in MAP.offsets()] == [0] * 14
    assert block._counting is False


def test_a_register_that_was_set_is_read_as_often_as_asked() -> None:
    block = started()
    block.write(0x50, 0)
    block.write(0x54, WORD)
    assert [block.read(offset) for offset in (0x50, 0x54, 0x54, 0x48, 0x80)] == [
        *(0, WORD, WORD, WORD, 1)
    ]


def test_a_selector_that_is_set_anew_counts_the_new_event_once() -> None:
    block = started()
    block.write(0x50, 0xB)
    block.write(0x58, 0xA)
    block.write(0x58, 0xC)
    block.count({0xA: 1, 0xB: 2, 0xC: 4}, 8)
    assert read_sample(block, MAP) == [8, 2, 2, 4]


@pytest.mark.parametrize(
    ("offset", "value"),
    [(0x40, 1), (0x44, 1), (0x40, WORD), (0x48, 0), (0x4C, 0), (0x4C, WORD - 1), (0x80, 2)],
)
def test_with_a_part_of_the_range_nothing_counts(offset: int, value: int) -> None:
    block = started()
    block.write(offset, value)
    block.count({0xA: 5}, 100)
    assert read_sample(block, MAP) == [0, 0, 0, 0]


def test_a_sample_has_64_bits_of_cycles_and_clears_both_halves() -> None:
    block = started()
    block.count({0xA: 1}, (3 << 32) + 5)
    block.count({0xA: WORD}, (1 << 32) - 6)
    assert read_sample(block, MAP) == [(4 << 32) - 1, 0, 0, 0]
    assert read_sample(block, MAP) == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("offset", "value", "sentence"),
    [
        (0x60, 0, "no 32-bit register takes 0x0 at 0x60"),
        (0x18, 0, "no 32-bit register takes 0x0 at 0x18"),
        (0x34, 0, "no 32-bit register takes 0x0 at 0x34"),
        (0x50, 1 << 32, "no 32-bit register takes 0x100000000 at 0x50"),
        (0x50, -1, "no 32-bit register takes -0x1 at 0x50"),
    ],
)
def test_a_refused_value_changes_nothing(offset: int, value: int, sentence: str) -> None:
    block = started()
    with pytest.raises(ValueError, match="register") as found:
        block.write(offset, value)
    assert str(found.value) == sentence
    block.count({0xA: 5}, 100)
    assert read_sample(block, MAP) == [100, 5, 0, 0]
