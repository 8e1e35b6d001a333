"""The bank model against theory: unloaded latency, peak, refresh loss, row states."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.model.dram import BankTiming, Device, load_preset, preset_names
from lanescope.model.dram.timing import _bursts
from lanescope.model.memory import Piece

PRESETS = preset_names()
LEGAL_PIECES = st.lists(
    st.builds(Piece, st.integers(0, 1 << 24), st.integers(1, 1 << 12)), min_size=1, max_size=20
)


def without_refresh(device: Device) -> BankTiming:
    """The device with its first refresh so late that no test reaches it."""
    return BankTiming(replace(device, refi=10**15))


@pytest.mark.parametrize(
    ("preset", "picoseconds"),
    # (RCD + CL + burst) × clock: 26 × 1250, 16 × 2500, 36 × 833, 30 × 1000.
    [("ddr3-1600", 32_500), ("ddr3-800", 40_000), ("ddr4-2400", 29_988), ("hbm2", 30_000)],
)
def test_an_unloaded_read_takes_the_formula(preset: str, picoseconds: int) -> None:
    device = load_preset(preset)
    assert BankTiming(device).read_ps([Piece(0, device.burst_bytes)], 0) == picoseconds


@pytest.mark.parametrize("preset", PRESETS)
def test_a_row_hit_saves_the_activate_and_a_conflict_adds_a_precharge(preset: str) -> None:
    device = load_preset(preset)
    timing = without_refresh(device)
    one = device.burst_bytes
    next_row = device.row_bytes * device.bank_groups * device.banks_per_group * device.channels
    later_ps = 1000 * device.clock_ps
    miss = timing.read_ps([Piece(0, one)], 0)
    hit = timing.read_ps([Piece(0, one)], later_ps)
    conflict = timing.read_ps([Piece(next_row, one)], 2 * later_ps)
    assert miss - hit == device.rcd * device.clock_ps
    assert conflict - miss == device.rp * device.clock_ps
    counts = timing.counts()
    assert (counts.hits, counts.misses, counts.conflicts) == (1, 1, 1)


@pytest.mark.parametrize("preset", PRESETS)
def test_streaming_without_refresh_reaches_the_peak_but_never_passes_it(preset: str) -> None:
    device = load_preset(preset)
    size = 1 << 18
    picoseconds = without_refresh(device).read_ps([Piece(0, size)], 0)
    rate = size * 10**12 / picoseconds
    assert 0.9 * device.peak_bytes_per_s < rate <= device.peak_bytes_per_s


@pytest.mark.parametrize("preset", PRESETS)
def test_refresh_takes_its_share(preset: str) -> None:
    device = load_preset(preset)
    size = device.refi * device.clock_ps * device.peak_bytes_per_s // 10**12 * 6
    with_refresh = BankTiming(device).read_ps([Piece(0, size)], 0)
    without = without_refresh(device).read_ps([Piece(0, size)], 0)
    loss = 1 - without / with_refresh
    # Each refresh also closes rows, which then open again: a little more than tRFC / tREFI.
    share = device.rfc / device.refi
    assert share * 0.8 < loss < share * 1.35


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PRESETS), st.lists(LEGAL_PIECES, min_size=1, max_size=4), st.booleans())
def test_no_access_is_faster_than_the_bus_or_than_one_burst(
    preset: str, accesses: list[list[Piece]], writes: bool
) -> None:
    device = load_preset(preset)
    timing = BankTiming(device)
    for pieces in accesses:
        serve = timing.write_ps if writes else timing.read_ps
        picoseconds = serve(pieces, None)
        bursts = sum(
            (address + size - 1) // device.burst_bytes - address // device.burst_bytes + 1
            for address, size in pieces
        )
        least = -(-bursts // device.channels) * device.burst_clocks * device.clock_ps
        latency = (device.cwl if writes else device.cl) * device.clock_ps
        assert picoseconds >= max(least, latency)


def test_alternating_reads_and_writes_pay_the_turnaround() -> None:
    device = load_preset("ddr3-1600")
    same, mixed = (without_refresh(device) for _ in range(2))
    piece = [Piece(0, device.burst_bytes)]
    for timing, kinds in ((same, "rrrr"), (mixed, "rwrw")):
        for kind in kinds:
            (timing.read_ps if kind == "r" else timing.write_ps)(piece, None)
    assert mixed.read_ps(piece, None) > same.read_ps(piece, None)


def test_a_long_idle_time_is_skipped_not_walked() -> None:
    device = load_preset("hbm2")
    timing = BankTiming(device)
    hour_ps = 3600 * 10**12
    assert timing.read_ps([Piece(0, 32)], hour_ps) <= 2 * device.rfc * device.clock_ps
    # One refresh per 3.9 µs and channel; only the channel that was read keeps count.
    assert timing.counts().refreshes == hour_ps // (device.refi * device.clock_ps)


@pytest.mark.parametrize(
    ("preset", "burst", "place"),
    # DDR3: 8 banks of one group, 128 bursts of 16 bytes in a row. DDR4: 4 groups of 4 banks, 128
    # bursts of 64 bytes. HBM2: 8 channels, 4 groups of 4 banks, 16 bursts of 64 bytes.
    [
        ("ddr3-1600", 0, (0, 0, 0)),
        ("ddr3-1600", 127, (0, 0, 0)),
        ("ddr3-1600", 128, (0, 1, 0)),
        ("ddr3-1600", 7 * 128, (0, 7, 0)),
        ("ddr3-1600", 8 * 128, (0, 0, 1)),
        ("ddr4-2400", 1, (0, 4, 0)),
        ("ddr4-2400", 3, (0, 12, 0)),
        ("ddr4-2400", 4, (0, 0, 0)),
        ("ddr4-2400", 4 * 128, (0, 1, 0)),
        ("ddr4-2400", 4 * 128 * 3 + 2, (0, 2 * 4 + 3, 0)),
        ("ddr4-2400", 4 * 128 * 4 + 1, (0, 4, 1)),
        ("hbm2", 7, (7, 0, 0)),
        ("hbm2", 8, (0, 4, 0)),
        ("hbm2", 8 * 4 * 16 + 9, (1, 4 + 1, 0)),
    ],
)
def test_bursts_go_to_channels_then_groups_then_through_a_row_then_to_banks(
    preset: str, burst: int, place: tuple[int, int, int]
) -> None:
    assert BankTiming(load_preset(preset))._place(burst) == place


def test_pieces_are_the_bursts_that_they_touch() -> None:
    assert _bursts([Piece(0, 16), Piece(15, 2), Piece(31, 1)], 16) == [0, 0, 1, 1]


def test_a_stream_runs_at_the_peak_less_what_refresh_takes() -> None:
    """DDR3-1600 x16: 3.2 GB/s, and 208 of 6240 clocks are refresh."""
    device = load_preset("ddr3-1600")
    assert (device.rfc, device.refi) == (208, 6240)
    timing = BankTiming(device)
    assert timing.stream_ps(6032) == 1_950_000
    assert [timing.stream_ps(size) for size in (0, 1)] == [0, 324]


def test_an_access_waits_for_the_one_before_it() -> None:
    """A read at 0 ends after 32,500 ps; one that asks earlier than that waits as long."""
    device = load_preset("ddr3-1600")
    piece = [Piece(0, 16)]
    late, early = (without_refresh(device) for _ in range(2))
    assert late.read_ps(piece, 0) == early.read_ps(piece, 0) == 32_500
    hit = late.read_ps(piece, 32_500)
    assert hit == (device.cl + device.burst_clocks) * 1250
    assert early.read_ps(piece, 2_500) == 30_000 + hit
    assert early.fresh().counts().misses == 0


def test_an_access_between_two_clocks_begins_at_the_next() -> None:
    timing = without_refresh(load_preset("ddr3-1600"))
    assert timing.read_ps([Piece(0, 16)], 1) == 32_500 + 1249
    assert timing.read_ps([], None) == 0


def test_an_access_is_as_long_as_its_last_burst() -> None:
    """Two bursts in one row: the second one's data follows the first one's."""
    device = load_preset("ddr3-1600")
    both = without_refresh(device).read_ps([Piece(0, 32)], 0)
    assert both == 32_500 + device.burst_clocks * 1250
