"""A memory with a latency and a rate."""

from __future__ import annotations

from lanescope.model.memory import Piece
from lanescope.model.memory.timing import Service


def test_a_memory_is_named_by_its_rate_and_latency() -> None:
    assert Service(1_500_000_000, latency_ps=2500).name == "1.5 GB/s + 2.5 ns"
    assert Service(10**9).name == "1 GB/s + 0 ns"


def test_a_part_of_a_picosecond_counts_as_one() -> None:
    """3 bytes per ns: one takes 333.3 ps."""
    memory = Service(3 * 10**9, latency_ps=50)
    assert [memory.stream_ps(size) for size in (0, 1, 3)] == [0, 334, 1000]
    pieces = [Piece(0, 1), Piece(9, 2)]
    assert (memory.read_ps(pieces, None), memory.write_ps(pieces, 7)) == (1050, 1050)
    assert memory.fresh() is memory
