"""The report of `lanescope fit` as text."""

from __future__ import annotations

from collections.abc import Iterator

from lanescope.model.fit.plane import Plane
from lanescope.model.fit.result import Fit
from lanescope.render.cells import bytes_text, printable, rate_text, seconds_text

_UNITS = {
    "capacity_bytes": "B",
    "link_bytes_per_s": "B/s",
    "memory_bytes_per_s": "B/s",
    "flop_per_s": "flop/s",
    "operation_overhead_ns": "ns",
    "flop_efficiency": "",
}


def fit_text(fit: Fit) -> str:
    """The whole report as plain text; it ends in a newline."""
    lines = [
        *_head(fit),
        *_rates(fit),
        *_ways_out(fit),
        *_policies(fit),
        *_sensitivity(fit),
        *_plane(fit.plane),
        *(f"note: {printable(note)}" for note in fit.notes),
    ]
    return "\n".join(lines) + "\n"


def _head(fit: Fit) -> Iterator[str]:
    yield f"{printable(fit.model)} on {fit.board}, context {fit.context:,}, batch {fit.batch:,}"
    yield f"footprint: {fit.footprint_bytes.text()}"
    streamed = fit.residency.streamed_bytes
    share = streamed / fit.footprint_bytes.total
    yield (
        f"regime: {fit.regime} with {bytes_text(fit.capacity_bytes)} of memory; "
        f"{bytes_text(streamed)} ({share:.1%}) do not fit and come over the link"
    )


def _rates(fit: Fit) -> Iterator[str]:
    rate, first = fit.tokens_per_s, fit.first_token_s
    serial_rate, serial_first = fit.serial_tokens_per_s, fit.serial_first_token_s
    if rate is None or first is None or serial_rate is None or serial_first is None:
        yield "tokens per second: none, it does not fit and there is no link to stream over"
        return
    yield (
        f"tokens per second: {rate_text(rate.estimate)} ({rate_text(rate.low)} to "
        f"{rate_text(rate.high)}); without prefetch {rate_text(serial_rate)}; bound by "
        f"{fit.decode.bound_by}"
    )
    yield (
        f"time to first token: {seconds_text(first.estimate)} ({seconds_text(first.low)} to "
        f"{seconds_text(first.high)}); without prefetch "
        f"{seconds_text(serial_first)}; bound by {fit.prefill.bound_by}"
    )
    decode = fit.decode
    yield (
        f"one step: link {seconds_text(decode.link_s)}, memory {seconds_text(decode.memory_s)}, "
        f"compute {seconds_text(decode.compute_s)}, starting operations "
        f"{seconds_text(decode.start_s)}"
    )
    yield (
        f"intervals: from the errors on {fit.interval_from.points} published points "
        f"({fit.interval_from.pool}) and the ranges of the board's values"
    )


def _ways_out(fit: Fit) -> Iterator[str]:
    now = fit.tokens_per_s.estimate if fit.tokens_per_s else 0.0
    for way in fit.ways_out:
        unit = "/s" if way.unit == "bytes/s" else ""
        more = f"{bytes_text(way.more)}{unit} more {way.what}"
        slower = ", slower: the link outruns the memory" if way.tokens_per_s < now else ""
        yield f"{more}: {way.effect}, {rate_text(way.tokens_per_s)} tokens per second{slower}"


def _policies(fit: Fit) -> Iterator[str]:
    if fit.regime != "weight-stream":
        return
    sizes = ", ".join(
        f"{name} {bytes_text(size)}" for name, size in fit.policies_bytes_per_pass.items()
    )
    yield f"weights over the link per pass: {sizes}"


def _sensitivity(fit: Fit) -> Iterator[str]:
    yield "\nsensitivity: tokens per second with one value changed"
    for one in fit.sensitivity:
        unit = _UNITS[one.name]
        kind = f"range, {one.basis}" if one.has_range else f"± 10 %, {one.basis}"
        span = f"{_amount(one.low_value, unit)} to {_amount(one.high_value, unit)}"
        yield (
            f"  {one.name:<22} {rate_text(one.at_low):>9} to {rate_text(one.at_high):<9} "
            f"{span} ({kind})"
        )


def _plane(plane: Plane) -> Iterator[str]:
    yield "\ncapacity × link bandwidth (both logarithmic; the board is @)"
    for row, letters in enumerate(plane.letters):
        line = letters
        if plane.mark is not None and plane.mark[1] == row:
            column = plane.mark[0]
            line = letters[:column] + "@" + letters[column + 1 :]
        label = f"{bytes_text(plane.links[row])}/s"
        yield f"  {label:>12} {line}"
    low, high = (bytes_text(plane.capacities[end]) for end in (0, -1))
    yield f"  {'':>12} {low}{'':<{max(1, len(plane.letters[0]) - len(low) - len(high))}}{high}"
    for letter, meaning in plane.used.items():
        yield f"  {letter} {meaning}"


def _amount(value: float, unit: str) -> str:
    """A value of the board with its unit."""
    if unit in ("B", "B/s"):
        return bytes_text(value) + unit.removeprefix("B")
    return f"{value:.4g} {unit}".rstrip()
