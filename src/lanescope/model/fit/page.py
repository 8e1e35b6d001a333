"""The report of `lanescope fit` as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lanescope.model.memory.sizes import shown_bytes
from lanescope.render.cells import printable

_UNITS = {
    "capacity_bytes": "B",
    "link_bytes_per_s": "B/s",
    "memory_bytes_per_s": "B/s",
    "flop_per_s": "flop/s",
    "operation_overhead_ns": "ns",
    "flop_efficiency": "",
}


def fit_text(facts: dict[str, Any]) -> str:
    """The whole page as plain text; it ends in a newline."""
    lines = [
        *_head(facts),
        *_rates(facts),
        *_ways_out(facts),
        *_policies(facts),
        *_sensitivity(facts),
        *_plane(facts["plane"]),
        *(f"note: {printable(note)}" for note in facts["notes"]),
    ]
    if "svg" in facts:
        lines.append(f"written: {facts['svg']}")
    return "\n".join(lines) + "\n"


def _head(facts: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{printable(facts['model'])} on {facts['board']}, context {facts['context']:,}, "
        f"batch {facts['batch']:,}"
    )
    sizes = ", ".join(f"{k} {shown_bytes(v)}" for k, v in facts["footprint_bytes"].items())
    yield (f"footprint: {sizes}")
    resident = facts["residency"]
    streamed = resident["streamed_weight_bytes"] + resident["streamed_kv_bytes"]
    share = streamed / facts["footprint_bytes"]["total"]
    yield (
        f"regime: {facts['regime']} with {shown_bytes(facts['capacity_bytes'])} of memory; "
        f"{shown_bytes(streamed)} ({share:.1%}) do not fit and come over the link"
    )


def _rates(facts: dict[str, Any]) -> Iterator[str]:
    rate, first = facts["tokens_per_s"], facts["first_token_s"]
    if rate is None or first is None:
        yield ("tokens per second: none, it does not fit and there is no link to stream over")
        return
    source = facts["interval_from"]
    yield (
        f"tokens per second: {_rate(rate['estimate'])} ({_rate(rate['low'])} to "
        f"{_rate(rate['high'])}); without prefetch {_rate(facts['serial_tokens_per_s'])}; bound by "
        f"{facts['decode']['bound_by']}"
    )
    yield (
        f"time to first token: {_seconds(first['estimate'])} ({_seconds(first['low'])} to "
        f"{_seconds(first['high'])}); without prefetch "
        f"{_seconds(facts['serial_first_token_s'])}; bound by {facts['prefill']['bound_by']}"
    )
    decode = facts["decode"]
    yield (
        f"one step: link {_seconds(decode['link_s'])}, memory {_seconds(decode['memory_s'])}, "
        f"compute {_seconds(decode['compute_s'])}, starting operations "
        f"{_seconds(decode['start_s'])}"
    )
    yield (
        f"intervals: from the errors on {source['points']} published points ({source['pool']}) "
        "and the ranges of the board's values"
    )


def _ways_out(facts: dict[str, Any]) -> Iterator[str]:
    now = facts["tokens_per_s"]["estimate"] if facts["tokens_per_s"] else 0.0
    for way in facts["ways_out"]:
        unit = "/s" if way["unit"] == "bytes/s" else ""
        more = f"{shown_bytes(way['more'])}{unit} more {way['what']}"
        slower = ", slower: the link outruns the memory" if way["tokens_per_s"] < now else ""
        yield (f"{more}: {way['effect']}, {_rate(way['tokens_per_s'])} tokens per second{slower}")


def _policies(facts: dict[str, Any]) -> Iterator[str]:
    if facts["regime"] != "weight-stream":
        return
    sizes = ", ".join(
        f"{name} {shown_bytes(size)}" for name, size in facts["policies_bytes_per_pass"].items()
    )
    yield (f"weights over the link per pass: {sizes}")


def _sensitivity(facts: dict[str, Any]) -> Iterator[str]:
    yield ("\nsensitivity: tokens per second with one value changed")
    for row in facts["sensitivity"]:
        unit = _UNITS[row["name"]]
        kind = f"range, {row['basis']}" if row["has_range"] else f"± 10 %, {row['basis']}"
        span = f"{_amount(row['low_value'], unit)} to {_amount(row['high_value'], unit)}"
        yield (
            f"  {row['name']:<22} {_rate(row['at_low']):>9} to {_rate(row['at_high']):<9} "
            f"{span} ({kind})"
        )


def _plane(plane: dict[str, Any]) -> Iterator[str]:
    yield ("\ncapacity × link bandwidth (both logarithmic; the board is @)")
    mark = plane["mark"]
    for row, letters in enumerate(plane["letters"]):
        line = letters
        if mark is not None and mark[1] == row:
            line = letters[: mark[0]] + "@" + letters[mark[0] + 1 :]
        label = f"{shown_bytes(plane['links'][row])}/s"
        yield (f"  {label:>12} {line}")
    low, high = (shown_bytes(plane["capacities"][end]) for end in (0, -1))
    yield (f"  {'':>12} {low}{'':<{max(1, len(plane['letters'][0]) - len(low) - len(high))}}{high}")
    used = "".join(plane["letters"])
    for letter, meaning in plane["meaning"].items():
        if letter in used:
            yield (f"  {letter} {meaning}")


def _amount(value: float, unit: str) -> str:
    if unit in ("B", "B/s"):
        return shown_bytes(value) + unit.removeprefix("B")
    return f"{value:.4g} {unit}".rstrip()


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _seconds(value: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
