"""The report of `lanescope fit` as text."""

from __future__ import annotations

from collections.abc import Iterator

from lanescope.model.fit.plane import Plane
from lanescope.model.fit.result import Fit
from lanescope.model.fit.step import StepTime
from lanescope.render.cells import bytes_text, rate_text, seconds_text
from lanescope.render.names import printable

_UNITS = {
    "capacity_bytes": "B",
    "link_bytes_per_s": "B/s",
    "memory_bytes_per_s": "B/s",
    "flop_per_s": "flop/s",
    "decode_flop_per_s": "flop/s",
    "storage_bytes_per_s": "B/s",
    "operation_overhead_ns": "ns",
    "operation_start_ns": "ns",
    "memory_efficiency": "",
    "flop_efficiency": "",
}


def fit_text(fit: Fit) -> str:
    """The whole report as plain text; it ends in a newline."""
    lines = [
        *_answer(fit),
        *_policies(fit),
        *_sensitivity(fit),
        *_plane(fit.plane),
        *(f"note: {printable(note)}" for note in fit.notes),
    ]
    return "\n".join(lines) + "\n"


def short_text(fit: Fit) -> str:
    """What fits one screen: the answer, what would help, and the value worth measuring next."""
    notes = [f"note: {printable(note)}" for note in fit.notes]
    return "\n".join([*_answer(fit), *_worth_measuring(fit), *notes]) + "\n"


def _answer(fit: Fit) -> Iterator[str]:
    yield from _head(fit)
    yield from _decode(fit)
    yield from _prefill(fit)
    yield from _arithmetic(fit)
    yield from _intervals(fit)
    yield from _ways_out(fit)


def _worth_measuring(fit: Fit) -> Iterator[str]:
    """The value of the board whose stated range changes the rate most."""
    ranged = [one for one in fit.sensitivity if one.has_range and one.at_low != one.at_high]
    if ranged:
        most = max(ranged, key=lambda one: abs(one.at_high - one.at_low))
        yield (
            f"worth measuring: {most.name}; its range gives {rate_text(most.at_low)} to "
            f"{rate_text(most.at_high)} tokens per second"
        )


def _head(fit: Fit) -> Iterator[str]:
    yield f"{printable(fit.model)} on {fit.board}, context {fit.context:,}, batch {fit.batch:,}"
    yield f"footprint: {fit.footprint_bytes.text()}"
    streamed = fit.residency.streamed_bytes
    share = streamed / fit.footprint_bytes.total
    yield (
        f"regime: {fit.regime} with {bytes_text(fit.capacity_bytes)} of memory; "
        f"{bytes_text(streamed)} ({share:.1%}) do not fit and come over the link"
    )


def _decode(fit: Fit) -> Iterator[str]:
    decode = fit.decode
    rate, serial, most = decode.tokens_per_s, decode.serial_tokens_per_s, decode.most_tokens_per_s
    if rate is not None and serial is not None:
        yield (
            f"decode: {rate_text(rate.estimate)} tokens per second ({rate_text(rate.low)} to "
            f"{rate_text(rate.high)}); without prefetch {rate_text(serial)}; bound by "
            f"{decode.step.bound_by}"
        )
    elif most is not None:
        yield f"decode: at most {rate_text(most)} tokens per second; {decode.reason}"
    else:
        yield f"decode: no tokens per second; {decode.reason}"
        return
    yield f"  one step: {_parts(decode.step)}"


def _prefill(fit: Fit) -> Iterator[str]:
    first, serial, step = (
        fit.prefill.first_token_s,
        fit.prefill.serial_first_token_s,
        fit.prefill.step,
    )
    if first is None or serial is None or step is None:
        yield f"prefill: no time to first token; {fit.prefill.reason}"
        return
    yield (
        f"prefill: first token after {seconds_text(first.estimate)} ({seconds_text(first.low)} to "
        f"{seconds_text(first.high)}); without prefetch {seconds_text(serial)}; bound by "
        f"{step.bound_by}"
    )
    yield f"  all prompts: {_parts(step)}"


def _parts(step: StepTime) -> str:
    """The seconds of every resource that is busy at all."""
    parts = {
        "storage": step.storage_s + step.asked_storage_s,
        "link": step.link_s,
        "experts over the link": step.asked_s,
        "memory": step.memory_s,
        "compute": step.compute_s,
        "activations": step.activation_s,
        "starting operations": max(step.operation_s, step.start_s),
    }
    return ", ".join(f"{name} {seconds_text(part)}" for name, part in parts.items() if part > 0)


def _arithmetic(fit: Fit) -> Iterator[str]:
    if fit.compute_source:
        yield f"arithmetic: {fit.compute_source}"


def _intervals(fit: Fit) -> Iterator[str]:
    if fit.decode.tokens_per_s is None:
        return
    source = fit.interval_from
    borrowed = f", and {source.borrowed} of other groups" if source.borrowed else ""
    yield (
        f"intervals: meant to hold 9 of 10 measurements; from the errors on {source.points} "
        f"published runs ({source.group}){borrowed}, and the ranges of the board's values"
    )


def _ways_out(fit: Fit) -> Iterator[str]:
    rate = fit.decode.tokens_per_s
    now = rate.estimate if rate is not None else fit.decode.most_tokens_per_s or 0.0
    for way in fit.ways_out:
        unit = "/s" if way.unit == "bytes/s" else ""
        more = f"{bytes_text(way.more)}{unit} more {way.what}"
        slower = ", slower: the link outruns the memory" if way.tokens_per_s < now else ""
        most = "" if fit.compute_source else "at most "
        yield f"{more}: {way.effect}, {most}{rate_text(way.tokens_per_s)} tokens per second{slower}"


def _policies(fit: Fit) -> Iterator[str]:
    if fit.regime != "weight-stream":
        return
    sizes = ", ".join(
        f"{name} {bytes_text(size)}" for name, size in fit.policies_bytes_per_pass.items()
    )
    yield f"weights over the link per pass: {sizes}"


def _sensitivity(fit: Fit) -> Iterator[str]:
    if all(one.at_low == one.at_high == 0 for one in fit.sensitivity):
        return
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
