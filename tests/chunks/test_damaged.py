"""Ten thousand damaged streams: no crash, no time that falls, every byte accounted for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lanescope.chunks import (
    FILLER,
    SENTINEL,
    Clocks,
    Decoded,
    StartStamp,
    busy_events,
    decode,
    encode_task,
    mark_events,
    merge,
)
from lanescope.trace.table import Array

CLOCKS = (
    Clocks(core_hz=10**9, counter_hz=10**9),
    Clocks(core_hz=1_650_000_000, counter_hz=50_000_000),
    Clocks(core_hz=1_000, counter_hz=1_000),
)
Damage = Callable[[np.random.Generator, Array], Array]


def good_stream(rng: np.random.Generator) -> Array:
    """A few tasks, then perhaps the end of the stream, as bytes."""
    counter = int(rng.integers(1, 1 << 50))
    parts = []
    for block in range(int(rng.integers(1, 5))):
        edges = np.sort(rng.choice(3000, (4, 2), replace=False))
        issue = np.sort(rng.integers(0, 3000, 3))
        events = merge(
            busy_events(rng.integers(0, 7, 4), edges[:, 0], edges[:, 1]),
            mark_events(
                rng.integers(0, 7, 3), rng.integers(0, 4096, 3), issue=issue, execute=issue
            ),
        )
        parts.append(encode_task(StartStamp(counter, block), events))
        counter += int(rng.integers(3000, 100_000))
    if rng.integers(2):
        parts.append(np.array([SENTINEL, FILLER, FILLER], np.uint32))
    return np.concatenate(parts).astype("<u4").view(np.uint8)


def truncated(rng: np.random.Generator, data: Array) -> Array:
    first, last = np.sort(rng.integers(0, len(data) + 1, 2))
    return data[first:last]


def flipped(rng: np.random.Generator, data: Array) -> Array:
    bits = np.unpackbits(data)
    bits[rng.integers(0, len(bits), int(rng.integers(1, 12)))] ^= 1
    return np.packbits(bits)


def shuffled(rng: np.random.Generator, data: Array) -> Array:
    words = data.reshape(-1, 4).copy()
    rng.shuffle(words)
    return words.ravel()


def spliced(rng: np.random.Generator, data: Array) -> Array:
    parts = np.array_split(data, np.sort(rng.integers(0, len(data), 3)))
    return np.concatenate([parts[k] for k in rng.integers(0, len(parts), 5)])


def noise(rng: np.random.Generator, data: Array) -> Array:
    return rng.integers(0, 256, len(data), dtype=np.uint8)


def check(data: Array, clocks: Clocks) -> Decoded:
    decoded = decode(data.tobytes(), clocks)
    account = decoded.account
    assert account.closes and account.total == len(data)
    assert sum(found.bytes for found in decoded.damaged.ranges()) == account.damaged
    assert (decoded.damaged.offset[1:] >= decoded.damaged.offset[:-1] + 1).all()
    assert (np.diff(decoded.marks.time) >= 0).all()
    assert (np.diff(decoded.stamps.time) >= 0).all()
    busy = decoded.busy
    assert (busy.start <= busy.end).all()
    same_pipe = busy.pipe[1:] == busy.pipe[:-1]
    assert (busy.start[1:] >= busy.end[:-1])[same_pipe].all()
    for times in (decoded.marks.time, busy.start, busy.end, decoded.unpaired.time):
        assert (times >= 0).all()
        assert (decoded.ns(times, decoded.base_ticks) >= 0).all()
    assert (np.diff(decoded.ns(decoded.marks.time, decoded.base_ticks)) >= 0).all()
    return decoded


@pytest.mark.parametrize("damage", [truncated, flipped, shuffled, spliced, noise])
def test_damage_is_counted_and_time_never_falls(damage: Damage) -> None:
    rng = np.random.default_rng(20240)
    streams = [good_stream(rng) for _ in range(50)]
    hurt = 0
    for number in range(2000):
        decoded = check(damage(rng, streams[number % 50]), CLOCKS[number % 3])
        hurt += decoded.account.damaged > 0
    assert hurt > 500


def test_the_streams_are_good_before_they_are_damaged() -> None:
    rng = np.random.default_rng(20240)
    for _ in range(50):
        assert check(good_stream(rng), CLOCKS[0]).account.damaged == 0


def test_slices_of_any_size_joined_are_the_stream() -> None:
    data = good_stream(np.random.default_rng(1)).tobytes()
    whole = decode(data, CLOCKS[0])
    for size in (1, 3, 7, 32):
        slices = [data[at : at + size] for at in range(0, len(data), size)]
        joined = decode(b"".join(slices), CLOCKS[0])
        assert np.array_equal(joined.busy.start, whole.busy.start)
        assert joined.account == whole.account
