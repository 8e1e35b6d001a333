"""Decoded chunk streams of a capture, and whether they are what happened inside the cores."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from lanescope.capture.bursts import core_streams
from lanescope.capture.directory import REGION, SPOOL
from lanescope.capture.gather import gather
from lanescope.capture.spool import FrameKind, SpoolReader
from lanescope.chunks import Clocks, Decoded, decode
from lanescope.device.head import Array
from lanescope.device.region import open_region
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.truth import TrueInside, Truth

Interval = tuple[Fraction, Fraction]


def raw_streams(directory: Path) -> dict[int, bytes]:
    """What every core's engine wrote, as it came from the capture."""
    return {core: b"".join(map(bytes, parts)) for core, parts in _parts(directory).items()}


def streams_of(directory: Path, chip: Chip) -> dict[int, list[Decoded]]:
    """What every core's engine wrote, decoded."""
    kinds, counter_hz = chip.core_kinds(), chip.clock.counter_hz
    return {
        core: [decode(part, Clocks(chip.kind_hz(kinds[core]), counter_hz)) for part in parts]
        for core, parts in _parts(directory).items()
    }


def _parts(directory: Path) -> dict[int, list[Array]]:
    head = open_region(directory / REGION).head
    frames = SpoolReader(directory / SPOOL).frames()
    return core_streams(
        gather([f.payload for f in frames if f.kind == FrameKind.BUFFERS], head), head
    )


def require_same_insides(streams: dict[int, list[Decoded]], truth: Truth, chip: Chip) -> None:
    """Of every core: the same busy intervals and marks, to one core cycle, and the same blocks."""
    by_core: dict[int, list[TrueInside]] = {}
    for true in truth.insides:
        by_core.setdefault(true.core, []).append(true)
    assert streams.keys() == by_core.keys()
    for core, own in by_core.items():
        (stream,) = streams[core]
        assert stream.account.closes and stream.account.damaged == 0
        assert len(stream.unpaired.pipe) == 0
        assert stream.stamps.block.tolist() == [true.block for true in own]
        cycle_ps = Fraction(PS_PER_S, chip.kind_hz(chip.core_kinds()[core]))
        seen = busy_of(stream)
        for pipe in range(7):
            true_spans = [span for true in own for span in spans_of(true, pipe)]
            require_same(seen.get(pipe, []), true_spans, cycle_ps)
        require_same_marks(stream, own, cycle_ps)


def absolute_ps(stream: Decoded, time: int) -> Fraction:
    clocks = stream.clocks
    units = stream.base_ticks * clocks.units_per_tick + time
    return Fraction(units * PS_PER_S, clocks.units_per_s)


def busy_of(stream: Decoded) -> dict[int, list[Interval]]:
    found: dict[int, list[Interval]] = {}
    columns = (stream.busy.pipe.tolist(), stream.busy.start.tolist(), stream.busy.end.tolist())
    for pipe, start, end in zip(*columns, strict=True):
        interval = absolute_ps(stream, start), absolute_ps(stream, end)
        found.setdefault(pipe, []).append(interval)
    return found


def spans_of(true: TrueInside, pipe: int) -> list[Interval]:
    """A pipe's spans without gaps between them; a task without a kernel keeps scalar busy."""
    line = true.inside.timeline
    if true.inside.kernel is None:
        return [(Fraction(line.begin_ps), Fraction(line.end_ps))] if pipe == 0 else []
    found: list[Interval] = []
    for code, start, end, _ in sorted(line.absolute(), key=lambda span: span[1:3]):
        if code == pipe and found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], Fraction(end))
        elif code == pipe:
            found.append((Fraction(start), Fraction(end)))
    return found


def require_same(seen: list[Interval], true: list[Interval], cycle_ps: Fraction) -> None:
    """Both ends to less than a cycle; a gap or a span shorter than that may not be seen."""
    place = 0
    for start, end in seen:
        while true[place][1] - true[place][0] < cycle_ps <= abs(true[place][0] - start):
            place += 1
        assert abs(true[place][0] - start) < cycle_ps
        while abs(true[place][1] - end) >= cycle_ps:
            assert true[place + 1][0] - true[place][1] < cycle_ps
            place += 1
        place += 1
    assert all(end - start < cycle_ps for start, end in true[place:])


def require_same_marks(stream: Decoded, own: list[TrueInside], cycle_ps: Fraction) -> None:
    """A mark at both ends of every op that has a number: on its pipe, and its issue on scalar."""
    wanted: list[tuple[int, int, Fraction]] = []
    for true in own:
        for pipe, start, end, op in true.inside.timeline.absolute():
            kernel = true.inside.kernel
            number = None if kernel is None else kernel.ops[op].mark
            if number is None:
                continue
            for time, mark in ((start, 1 << 10 | number), (end, 3 << 10 | number)):
                wanted += [(place, mark, Fraction(time)) for place in {0, pipe}]
    columns = stream.marks.pipe.tolist(), stream.marks.mark.tolist(), stream.marks.time.tolist()
    seen = [
        (pipe, mark, absolute_ps(stream, time)) for pipe, mark, time in zip(*columns, strict=True)
    ]
    assert len(seen) == len(wanted)
    for one, other in zip(sorted(seen), sorted(wanted), strict=True):
        assert one[:2] == other[:2] and 0 <= other[2] - one[2] < cycle_ps
