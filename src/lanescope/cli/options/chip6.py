"""`lanescope import --format chip6`: what a raw chunk stream does not say, and its account."""

from __future__ import annotations

import argparse
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.chunks import Decoded

_SHOWN = 5
_LISTED = 1000
"""Damaged places that --json lists; `damaged_places` counts them all."""
_OPTIONS = ("core_mhz", "counter_mhz", "core", "kind")


def configure(parser: argparse.ArgumentParser) -> None:
    raw = parser.add_argument_group("a core's raw chunk stream (--format chip6)")
    raw.add_argument("--core-mhz", type=hertz, metavar="MHZ", help="clock of the core")
    raw.add_argument("--counter-mhz", type=hertz, metavar="MHZ", help="clock of the stamps")
    raw.add_argument("--core", type=int, metavar="N", help="number of the core (default: 0)")
    raw.add_argument("--kind", choices=("aic", "aiv"), help="kind of the core (default: aic)")


def hertz(text: str) -> int:
    """Hz from MHz, which may have decimals."""
    try:
        hz = Decimal(text) * 1_000_000
    except InvalidOperation:
        hz = Decimal(0)
    if not hz.is_finite() or hz <= 0 or hz != hz.to_integral_value() or hz > 10**12:
        raise argparse.ArgumentTypeError(f"expected a clock like 1650 or 1850.5, found {text!r}")
    return int(hz)


def refuse_options(args: argparse.Namespace) -> None:
    """Files that say what they are do not take these."""
    given = [name for name in _OPTIONS if getattr(args, name) is not None]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise UsageError(f"{option} is for raw chunk streams only; add --format chip6")


def run(args: argparse.Namespace) -> int:
    """Import one raw file; damaged bytes are reported, not refused."""
    from lanescope.chunks import Clocks
    from lanescope.formats.chip6 import RawStream, read_chip6
    from lanescope.reports.summary import sentence, summary, trace_path
    from lanescope.trace import save

    path, clocks = (
        _one(args.paths),
        Clocks(core_hz=_given(args, "core_mhz"), counter_hz=_given(args, "counter_mhz")),
    )
    raw = RawStream(path, clocks, core=args.core or 0, kind=args.kind or "aic")
    trace, stream = read_chip6(raw)
    target = trace_path(trace.meta.name, args.output)
    save(trace, target)
    result = {**summary(trace, target), "format": "chip6", **account(stream)}
    if args.json:
        import msgspec

        print(msgspec.json.encode([result]).decode())
    else:
        print(sentence(result))
        print("\n".join(lines(result)))
    return 0


def account(stream: Decoded) -> dict[str, Any]:
    """Every byte, for machines."""
    from dataclasses import asdict

    damaged = [
        {"offset": one.offset, "bytes": one.bytes, "reason": one.reason.text}
        for one in stream.damaged.ranges(most=_LISTED)
    ]
    return {
        "bytes": asdict(stream.account),
        "stamps": len(stream.stamps.time),
        "busy_intervals": len(stream.busy.pipe),
        "pipe_marks": len(stream.marks.pipe),
        "one_ended": len(stream.unpaired.pipe),
        "damaged_places": stream.damaged.places(),
        "damaged": damaged,
    }


def lines(result: dict[str, Any]) -> list[str]:
    """The same for people."""
    found = result["bytes"]
    parts = [
        f"{found[key]:,} {key}" for key in ("decoded", "filler", "sentinel", "stub") if found[key]
    ]
    parts.append(f"{found['damaged']:,} damaged")
    said = [f"{found['total']:,} bytes: {', '.join(parts)}"]
    said.append(
        f"{result['stamps']:,} start stamps, {result['busy_intervals']:,} busy intervals, "
        f"{result['pipe_marks']:,} marks, {result['one_ended']:,} intervals with one end only"
    )
    for one in result["damaged"][:_SHOWN]:
        said.append(f"damaged at offset {one['offset']:,}: {one['bytes']:,} bytes, {one['reason']}")
    if result["damaged_places"] > _SHOWN:
        said.append(f"and {result['damaged_places'] - _SHOWN:,} more damaged places")
    return said


def _one(paths: list[Path]) -> Path:
    if len(paths) != 1:
        raise UsageError(f"--format chip6 takes one file per trace, found {len(paths)}")
    return paths[0]


def _given(args: argparse.Namespace, name: str) -> int:
    hz: int | None = getattr(args, name)
    if hz is None:
        option = "--" + name.replace("_", "-")
        raise UsageError(f"a raw chunk stream does not say its clocks: add {option}, in MHz")
    return hz
