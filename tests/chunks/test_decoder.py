"""Streams built by hand: every kind of chunk, and every way in which a stream may be damaged."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.chunks import (
    FILLER,
    SENTINEL,
    ByteAccount,
    Clocks,
    Decoded,
    Reason,
    StartStamp,
    decode,
)
from lanescope.chunks.encoder import stamp_chunks
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace.pipes import PIPES

SAME = Clocks(core_hz=1_000_000_000, counter_hz=1_000_000_000)
GOLDEN = bytes.fromhex("269900e0f48e00e1cd0300e2000000e30c1701f0400600f0300010f06f0800f0")
STUB = [0x0D880001 + 0x110000 * step for step in range(8)]


def state(mask: int, delta: int) -> int:
    return 0xF << 28 | mask << 16 | delta


def mark(ctrl: int, number: int, delta: int) -> int:
    return ctrl << 28 | number << 16 | delta


def stamp(counter: int, block: int = 0) -> list[int]:
    return [int(chunk) for chunk in stamp_chunks(StartStamp(counter, block))]


def stream(*words: int) -> bytes:
    return np.array(words, "<u4").tobytes()


def busy(decoded: Decoded) -> list[tuple[str, int, int]]:
    """Pipe, start and end; times in ticks."""
    rows = zip(
        decoded.busy.pipe.tolist(),
        decoded.ticks(decoded.busy.start).tolist(),
        decoded.ticks(decoded.busy.end).tolist(),
        strict=True,
    )
    return [(PIPES[pipe], start, end) for pipe, start, end in rows]


def damage(decoded: Decoded) -> list[tuple[int, int, Reason]]:
    return [tuple(found) for found in decoded.damaged.ranges()]  # type: ignore[misc]


def test_the_published_vector_gives_the_published_numbers() -> None:
    decoded = decode(GOLDEN, SAME)
    assert decoded.base_ticks == 4181401573670
    assert decoded.stamps.block.tolist() == [0]
    assert busy(decoded) == [
        ("scalar", 4181401579570, 4181401579570 + 1600),
        ("mte2", 4181401581218, 4181401581218 + 2159),
    ]
    assert decoded.account == ByteAccount(32, decoded=32, filler=0, sentinel=0, stub=0, damaged=0)


def test_an_empty_stream_is_empty() -> None:
    decoded = decode(b"", SAME)
    assert busy(decoded) == [] and decoded.account.closes


def test_a_stamp_carries_64_bits_and_a_16_bit_block() -> None:
    decoded = decode(stream(*stamp(0x0123_4567_89AB_CDEF, 0xBEEF)), SAME)
    assert decoded.base_ticks == 0x0123_4567_89AB_CDEF
    assert decoded.stamps.block.tolist() == [0xBEEF]


def test_marks_keep_their_raw_code_and_both_codes_of_fixp_are_fixp() -> None:
    words = [mark(ctrl, ctrl + 1, 1) for ctrl in (0, 1, 2, 3, 4, 5, 6, 10)]
    marks = decode(stream(*stamp(100), *words), SAME).marks
    assert [PIPES[p] for p in marks.pipe.tolist()] == [*PIPES, "fixp"]
    assert marks.ctrl.tolist() == [0, 1, 2, 3, 4, 5, 6, 10]
    assert marks.mark.tolist() == [1, 2, 3, 4, 5, 6, 7, 11]
    assert marks.time.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_the_sentinel_ends_the_stream_and_filler_follows() -> None:
    decoded = decode(stream(*stamp(5), state(1, 1), state(0, 1), SENTINEL, FILLER, FILLER), SAME)
    assert busy(decoded) == [("scalar", 6, 7)]
    assert decoded.account == ByteAccount(36, decoded=24, filler=8, sentinel=4, stub=0, damaged=0)


def test_data_after_the_end_is_damage() -> None:
    decoded = decode(stream(*stamp(5), SENTINEL, FILLER, state(1, 1)), SAME)
    assert damage(decoded) == [(24, 4, Reason.AFTER_THE_END)]
    assert decoded.account.closes


def test_filler_inside_a_stream_takes_no_time() -> None:
    decoded = decode(stream(*stamp(5), state(1, 1), FILLER, state(0, 1)), SAME)
    assert busy(decoded) == [("scalar", 6, 7)]


def test_everything_from_the_first_complete_stub_on_is_cut() -> None:
    words = [*stamp(5), mark(0, 0xD88, 1), *STUB, mark(0, 7, 1), FILLER, SENTINEL]
    decoded = decode(stream(*words), SAME)
    assert decoded.marks.mark.tolist() == [0xD88]
    assert decoded.account == ByteAccount(64, decoded=20, filler=4, sentinel=4, stub=36, damaged=0)


def test_a_stub_that_is_not_complete_is_marks() -> None:
    decoded = decode(stream(*stamp(5), *STUB[:7]), SAME)
    assert len(decoded.marks.mark) == 7


def test_chunks_without_a_stamp_have_no_time() -> None:
    decoded = decode(stream(state(1, 1), state(0, 1), *stamp(50), state(1, 1), state(0, 1)), SAME)
    assert busy(decoded) == [("scalar", 51, 52)]
    assert damage(decoded) == [(0, 8, Reason.NO_TIME)]


@pytest.mark.parametrize("lost", range(4))
def test_a_lost_part_of_a_stamp_hides_time_until_the_next_good_one(lost: int) -> None:
    torn = stamp(60)
    del torn[lost]
    words = [*stamp(50), state(1, 1), *torn, state(0, 1), *stamp(70), mark(1, 9, 3)]
    decoded = decode(stream(*words), SAME)
    assert busy(decoded) == []
    assert decoded.unpaired.time.tolist() == [1] and decoded.unpaired.starts.tolist() == [True]
    assert decoded.marks.time.tolist() == [23]
    assert damage(decoded) == [(20, 12, Reason.BROKEN_STAMP), (32, 4, Reason.NO_TIME)]
    assert decoded.account.closes


def test_a_stamp_that_runs_backwards_is_set_aside_with_what_follows() -> None:
    words = []
    for counter in (100, 200, 7, 300):
        words += [*stamp(counter), mark(0, 1, 1)]
    decoded = decode(stream(*words), SAME)
    assert decoded.ticks(decoded.marks.time).tolist() == [101, 201, 301]
    assert damage(decoded) == [(40, 16, Reason.STAMP_OUT_OF_ORDER), (56, 4, Reason.NO_TIME)]


def test_one_stamp_far_ahead_does_not_cost_all_the_others() -> None:
    words = []
    for counter in (100, 1 << 50, 200, 300, 1 << 63):
        words += [*stamp(counter), mark(0, 1, 1)]
    decoded = decode(stream(*words), SAME)
    assert decoded.ticks(decoded.marks.time).tolist() == [101, 201, 301]


def test_what_lies_past_the_next_stamp_is_damage() -> None:
    words = [*stamp(100), mark(0, 1, 5), mark(0, 2, 60), *stamp(150), mark(0, 3, 1)]
    decoded = decode(stream(*words), SAME)
    assert decoded.ticks(decoded.marks.time).tolist() == [105, 151]
    assert damage(decoded) == [(20, 4, Reason.PAST_NEXT_STAMP)]


def test_what_lies_within_a_tick_past_the_next_stamp_is_moved_to_it() -> None:
    clocks = Clocks(core_hz=2_000_000_000, counter_hz=50_000_000)
    words = [*stamp(10), mark(0, 1, 50), *stamp(11), mark(0, 2, 1)]
    decoded = decode(stream(*words), clocks)
    assert decoded.marks.time.tolist() == [40, 41]
    assert decoded.account.damaged == 0


def test_an_unknown_code_is_damage_but_its_time_counts() -> None:
    decoded = decode(stream(*stamp(0), mark(9, 1, 5), mark(0, 1, 5)), SAME)
    assert decoded.marks.time.tolist() == [10]
    assert damage(decoded) == [(16, 4, Reason.UNKNOWN_CODE)]


def test_a_bit_that_never_ends_is_unpaired() -> None:
    decoded = decode(stream(*stamp(0), state(0b10, 5), state(0b10, 65535)), SAME)
    assert busy(decoded) == []
    assert decoded.unpaired.pipe.tolist() == [1] and decoded.unpaired.time.tolist() == [5]


def test_bytes_that_are_no_whole_chunk_are_damage() -> None:
    decoded = decode(GOLDEN + b"\x01\x02\x03", SAME)
    assert damage(decoded) == [(32, 3, Reason.CUT_OFF)]
    assert decoded.account.closes


def test_cycles_become_ticks_and_nanoseconds_without_loss() -> None:
    clocks = Clocks(core_hz=1_650_000_000, counter_hz=50_000_000)
    decoded = decode(stream(*stamp(1000), mark(0, 1, 32), mark(0, 2, 1), mark(0, 3, 1)), clocks)
    assert decoded.ticks(decoded.marks.time).tolist() == [1000, 1001, 1001]
    assert decoded.ns(decoded.marks.time, 999).tolist() == [39, 40, 40]


def test_a_time_that_64_bits_of_nanoseconds_do_not_hold_is_not_believed() -> None:
    clocks = Clocks(core_hz=1_000, counter_hz=1_000)
    words = []
    for counter in (5, 9, 1 << 50, 20):
        words += [*stamp(counter), mark(0, 1, 1)]
    assert decode(stream(*words), clocks).marks.time.tolist() == [1, 5, 16]
    alone = decode(stream(*stamp(5), *stamp(6), *stamp(1 << 50)), clocks)
    assert len(alone.stamps.time) == 2


@pytest.mark.parametrize(
    ("core_hz", "counter_hz", "said"),
    [(0, 1, "must be positive"), (1_234_567_891, 987_654_321, "round both to whole kHz")],
)
def test_clocks_that_cannot_be_counted_are_refused(
    core_hz: int, counter_hz: int, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        Clocks(core_hz=core_hz, counter_hz=counter_hz)


@pytest.mark.parametrize("units", [1, 2])
def test_more_cycles_than_64_bits_of_nanoseconds_are_refused_with_their_number(units: int) -> None:
    """A cycle of one second is so many units, and chunks have 65,535 cycles each."""
    slow = Clocks(core_hz=1, counter_hz=units)
    most = slow.limit // (units * 0xFFFF)
    longest = np.full(most + 1, mark(0, 1, 0xFFFF), "<u4")
    assert decode(longest[:-1].tobytes(), slow).account.closes
    with pytest.raises(UsageError, match=f"{(most + 1) * 0xFFFF} core cycles do not fit in 64"):
        decode(longest.tobytes(), slow)


def test_a_part_of_another_run_is_refused() -> None:
    decoded = decode(stream(*stamp(5), mark(0, 1, 1)), SAME)
    limit = SAME.limit // SAME.units_per_tick
    assert decoded.ns(np.zeros(1, np.int64), 5 - limit).tolist() == [limit]
    with pytest.raises(LanescopeError, match="too far from the trace's base"):
        decoded.ns(np.zeros(1, np.int64), 5 - limit - 1)
