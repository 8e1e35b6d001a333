"""A flight as text: how many lanes are in each state, then the lanes in unusual states."""

from __future__ import annotations

from collections import Counter

from lanescope.capture.flight import Flight
from lanescope.capture.flight_lanes import Finished, LaneEnd
from lanescope.capture.flight_open import Doing
from lanescope.render.cells import seconds_text
from lanescope.render.names import printable

FEW = 8
"""A state is unusual where at most this many lanes are in it. These lanes are named."""


def flight_text(flight: Flight, *, every_lane: bool = False) -> str:
    """Return a flight as text; `every_lane` names also the lanes in usual states."""
    states = {lane.name: state(lane) for lane in flight.lanes}
    counts = Counter(states.values())
    lines = [_title(flight)]
    for text, count in counts.most_common():
        since = _since([lane for lane in flight.lanes if states[lane.name] == text], flight)
        lines.append(f"{count:>6,} of {len(flight.lanes):,}: {text}{since}")
    for lane in flight.lanes:
        if every_lane or (counts[states[lane.name]] <= FEW and _speaks(lane)):
            lines += _lane_lines(lane, flight)
    return "\n".join(map(printable, lines))


def state(lane: LaneEnd) -> str:
    """Return what a lane was doing, in the same words for all lanes that did the same."""
    if lane.waits_ns is not None:
        return "waits for a free buffer"
    if lane.task and lane.mark and lane.mark.begun_ns >= lane.task.begun_ns:
        return f"in `{lane.task.name}`, at `{lane.mark.name}`"
    if lane.task:
        return f"in `{lane.task.name}`"
    if lane.mark:
        return f"at `{lane.mark.name}`, in no task"
    if not lane.last:
        return "in a kernel, nothing recorded yet" if lane.held_ns else "nothing recorded"
    after = f"after {_named(lane.last[0])}"
    if not lane.held_ns:
        return after
    return f"between tasks, {after}"


def _title(flight: Flight) -> str:
    lost = sum(lane.dropped for lane in flight.lanes)
    held = sum(lane.held_ns is not None for lane in flight.lanes)
    when = "now" if flight.running else "when it stopped"
    words = f"{len(flight.lanes):,} lanes, {held:,} of them in a kernel {when}"
    words += f"; {lost:,} records were dropped" if lost else ""
    return words + ("" if flight.running else "; times are before the last one found")


def _begun(lane: LaneEnd) -> int | None:
    """Return since when a lane is in its state, in ns; None where that is not known."""
    if lane.waits_ns is not None:
        return lane.waits_ns
    if lane.task:
        return lane.task.begun_ns
    if lane.mark:
        return lane.mark.begun_ns
    return lane.last[0].end_ns if lane.last else lane.held_ns


def _since(lanes: list[LaneEnd], flight: Flight) -> str:
    times = [flight.ago_s(at) for lane in lanes if (at := _begun(lane)) is not None]
    if not times:
        return ""
    low, high = _seconds(min(times)), _seconds(max(times))
    return f", since {low}" + ("" if low == high else f" to {high}")


def _lane_lines(lane: LaneEnd, flight: Flight) -> list[str]:
    where = f" (SM {lane.unit})" if lane.unit is not None else ""
    parts = []
    if lane.waits_ns is not None:
        parts.append(f"waits for a free buffer since {_seconds(flight.ago_s(lane.waits_ns))}")
    parts += [_doing("in", lane.task, flight)] if lane.task else []
    parts += [_doing("at", lane.mark, flight)] if lane.mark else []
    if not parts and lane.held_ns and not lane.last:
        parts.append(f"entered its kernel {_seconds(flight.ago_s(lane.held_ns))} ago")
    parts += [f"last {_finished(lane.last[0], flight)}"] if lane.last else []
    lines = [f"{lane.name}{where}: " + "; ".join(parts or ["nothing"])]
    return lines + [f"    {_finished(each, flight)}" for each in lane.last[1:]]


def _speaks(lane: LaneEnd) -> bool:
    """Say whether there is anything to tell of a lane."""
    return bool(lane.last or lane.held_ns)


def _doing(how: str, doing: Doing, flight: Flight) -> str:
    task = f" (task {doing.task})" if doing.task is not None else ""
    return f"{how} `{doing.name}`{task} since {_seconds(flight.ago_s(doing.begun_ns))}"


def _finished(each: Finished, flight: Flight) -> str:
    task = f" (task {each.task})" if each.task is not None else ""
    length = _seconds((each.end_ns - each.start_ns) / 1e9)
    return f"{_named(each)}{task}, {length}, ended {_seconds(flight.ago_s(each.end_ns))} ago"


def _named(each: Finished) -> str:
    return f"{each.what} `{each.name}`" if each.name else each.what


def _seconds(value: float) -> str:
    """Return a time in seconds with the unit that suits it.

    A program may hang for more than 1,000 s. A damaged record may end before it starts.
    """
    if 0 <= value < 1000:
        return seconds_text(value)
    return f"{value:.0f} s" if value > 0 else f"{value * 1e9:.0f} ns"
