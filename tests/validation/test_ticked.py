"""The emulator's link and memory, as its recorded times show them."""

from __future__ import annotations

from validation.ticked import TickedLink, Untimed

from lanescope.model.memory import Piece


def test_each_chunk_is_rounded_down_to_whole_nanoseconds() -> None:
    # 64 bytes at 1.5 GB/s take 42 and two thirds ns; the emulator charges 42 (−1.6 %).
    link = TickedLink(1_500_000_000)
    assert link.charge_ps(64) == 42_000
    # Two whole chunks, then 1 byte in less than a nanosecond.
    assert link.charge_ps(129) == 84_000


def test_a_link_above_64_gb_per_s_is_free() -> None:
    assert TickedLink(128_000_000_000).charge_ps(64) == 0


def test_an_untimed_memory_costs_nothing() -> None:
    memory = Untimed().fresh()
    pieces = [Piece(0, 64)]
    assert (memory.read_ps(pieces, 0), memory.write_ps(pieces, 5), memory.stream_ps(9)) == (0, 0, 0)
