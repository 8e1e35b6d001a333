"""Checks a board against physics: values that contradict each other, or that no part can reach.

Each check gives findings; a board without the values that a check needs gives none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lanescope.errors import LanescopeError
from lanescope.model.boards.board import Board, Given
from lanescope.render.names import printable

_CLOSE = 0.02
"""Relative difference that rounding explains."""
_BITS = 8
_PCIE_LANE = {1: 250e6, 2: 500e6, 3: 8e9 / 130 * 16, 4: 16e9 / 130 * 16, 5: 32e9 / 130 * 16}
"""Bytes/s per lane and direction: 2.5, 5 GT/s with 8b/10b; 8, 16, 32 GT/s with 128b/130b."""
_USB2 = 60e6
"""480 Mbit/s of signalling."""
_PARTS = {
    "nexys_a7": ("xc7a100t", "xc7a50t"),
    "nexys_video": ("xc7a200t",),
    "v80": ("xcv80",),
    "u55c": ("xcu55c",),
    "u50": ("xcu50",),
    "u280": ("xcu280",),
    "vck190": ("xcvc1902",),
    "vck5000": ("xcvc1902",),
}
"""Board name to the parts it is sold with: Digilent and AMD product documentation."""
_GRADE = re.compile(r"L?P?DDR\d[EX]?-(\d+)", re.IGNORECASE)
_MICRON = re.compile(r"MT\d+[A-Z]+(\d+)(M|G)(\d+)", re.IGNORECASE)
"""Micron DRAM: depth in M or G words, then width in bits."""
_TOO_GOOD = "efficiency > 1"
_LINK = re.compile(r"pcie_gen(\d)_x(\d+)")


class Finding(NamedTuple):
    """One thing in the file that cannot be right."""

    check: str
    """Name of the check."""
    place: str
    """Dotted name of the value."""
    text: str


def lint(board: Board) -> list[Finding]:
    """The findings of all checks, in the order of the file's sections."""
    checks = (
        *(_part, _width_times_rate, _grade, _width_times_grade, _chip_capacity),
        *(_efficiency, _link, _charges),
    )
    return [finding for check in checks for finding in check(board)]


def refuse_impossible(board: Board) -> None:
    """Raise for a rate that is reached above the peak: every figure would be too good."""
    for found in _efficiency(board):
        if found.check != _TOO_GOOD:
            continue
        raise LanescopeError(
            f"the board {printable(board.name)}: {found.place}: {found.text}; no figure is given: "
            "correct its file"
        )


def _part(board: Board) -> Iterator[Finding]:
    parts = _PARTS.get(board.name)
    stated = board.part.value.lower() if board.part else ""
    if not parts or not stated or any(stated in part for part in parts):
        return
    if board.part and not stated.startswith(parts):
        text = f"a {board.name} has {' or '.join(parts)}, the file says {board.part.value}"
        yield Finding("name/part", "part", text)


def _width_times_rate(board: Board) -> Iterator[Finding]:
    memory = board.memory
    if memory.bus_width_bits is None or memory.transfers_per_s is None:
        return
    product = memory.bus_width_bits.value * memory.transfers_per_s.value / _BITS
    stated = memory.peak_bytes_per_s.value
    if not _close(product, stated):
        sum_ = f"{memory.bus_width_bits.value} bits × {memory.transfers_per_s.value:,} transfers/s"
        text = f"{sum_} = {product:,.0f} bytes/s, the file says {stated:,}{_slip(stated, product)}"
        yield Finding("width × rate", "memory.peak_bytes_per_s", text)


def _grade(board: Board) -> Iterator[Finding]:
    memory = board.memory
    match = _GRADE.fullmatch(memory.standard.value) if memory.standard else None
    if match and memory.transfers_per_s:
        most = int(match.group(1)) * 10**6
        if memory.transfers_per_s.value > most * (1 + _CLOSE):
            text = f"{match.group()} allows {most:,} transfers/s, "
            text += f"the file says {memory.transfers_per_s.value:,}"
            yield Finding("speed grade", "memory.transfers_per_s", text)


def _width_times_grade(board: Board) -> Iterator[Finding]:
    """The bandwidth against the grade, where the rate of the pins is not stated.

    A slower rate than the grade's is possible; half of it is what counting one clock edge gives.
    """
    memory = board.memory
    match = _GRADE.fullmatch(memory.standard.value) if memory.standard else None
    if match is None or memory.bus_width_bits is None or memory.transfers_per_s is not None:
        return
    most = memory.bus_width_bits.value * int(match.group(1)) * 10**6 / _BITS
    stated = memory.peak_bytes_per_s.value
    if stated > most * (1 + _CLOSE) or _close(most, 2 * stated):
        text = f"{memory.bus_width_bits.value} bits of {match.group()} are {most:,.0f} bytes/s, "
        text += f"the file says {stated:,}{_slip(stated, most)}"
        yield Finding("width × grade", "memory.peak_bytes_per_s", text)


def _chip_capacity(board: Board) -> Iterator[Finding]:
    memory = board.memory
    match = _MICRON.match(memory.chip.value) if memory.chip else None
    if match and (chips := _chips(board, int(match.group(3)))):
        words = int(match.group(1)) << (20 if match.group(2).upper() == "M" else 30)
        total = words * int(match.group(3)) // _BITS * chips
        if total != memory.capacity_bytes.value:
            text = f"{chips} × {match.group()} hold {total:,} bytes, "
            text += f"the file says {memory.capacity_bytes.value:,}"
            text += _slip(memory.capacity_bytes.value, total)
            yield Finding("capacity/part", "memory.capacity_bytes", text)


def _chips(board: Board, width: int) -> int | None:
    """How many chips of a width there are: as stated, else as many as the bus is wide."""
    memory = board.memory
    if memory.chips is not None:
        return memory.chips.value
    lanes = memory.bus_width_bits.value if memory.bus_width_bits else 0
    return lanes // width if width and lanes % width == 0 else None


def _efficiency(board: Board) -> Iterator[Finding]:
    memory, link = board.memory, board.host_link
    yield from _above("memory", memory.effective_bytes_per_s, memory.peak_bytes_per_s.value)
    if link is not None:
        stated = link.theoretical_bytes_per_s
        most = stated.value if stated else _carries(link.kind.value)
        yield from _above("host_link", link.effective_bytes_per_s, most)


def _above(section: str, effective: Given[int] | None, peak: float | None) -> Iterator[Finding]:
    if effective is None or peak is None:
        return
    ratio = effective.value / peak
    place = f"{section}.effective_bytes_per_s"
    most = max(effective.value, effective.high or effective.value)
    if most > peak:
        text = f"{most:,} bytes/s of {peak:,.0f} is an efficiency of {most / peak:.2f}"
        yield Finding(_TOO_GOOD, place, text + _slip(most, peak))
    elif ratio <= 1 / _BITS:
        text = f"{effective.value:,} bytes/s is 1/{1 / ratio:.1f} of {peak:,.0f}: "
        yield Finding(
            "Mb/MB", place, text + "a figure in Mbit/s taken for Mbytes/s looks like this"
        )


def _carries(kind: str) -> float | None:
    """Bytes/s of a link by its kind, in one direction; None for a kind that is not known."""
    match = _LINK.fullmatch(kind)
    if match and int(match.group(1)) in _PCIE_LANE:
        return _PCIE_LANE[int(match.group(1))] * int(match.group(2))
    return _USB2 if kind == "usb2" else None


def _link(board: Board) -> Iterator[Finding]:
    link = board.host_link
    if link is None or link.theoretical_bytes_per_s is None:
        return
    most, stated = _carries(link.kind.value), link.theoretical_bytes_per_s.value
    if most is not None and not _close(most, stated):
        text = f"{link.kind.value} carries {most:,.0f} bytes/s, the file says {stated:,}"
        yield Finding("link rate", "host_link.theoretical_bytes_per_s", text + _slip(stated, most))


def _charges(board: Board) -> Iterator[Finding]:
    """The charge for a matrix prefetch, which moves at least 64 × 64 elements of one byte."""
    charge, memory = board.memory.prefetch_m_cycles, board.memory
    if charge is None or board.clock is None or charge.value == 0:
        return
    rate = 64 * 64 * board.clock.core_hz.value / charge.value
    if rate > memory.peak_bytes_per_s.value * (1 + _CLOSE):
        text = f"4096 bytes in {charge.value} cycles at {board.clock.core_hz.value:,} Hz are "
        text += f"{rate:,.0f} bytes/s, above the peak of {memory.peak_bytes_per_s.value:,}"
        yield Finding("contradiction", "memory.prefetch_m_cycles", text)


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= _CLOSE * max(a, b)


def _slip(stated: float, expected: float) -> str:
    """The mistake with units that would explain the ratio, in words; else nothing."""
    ratio = stated / expected
    for factor, words in ((8, "bits taken for bytes"), (1 / 8, "bytes taken for bits")):
        if _close(ratio, factor):
            return f" (a factor of 8: {words})"
    return " (a factor of 2: one of them counts both clock edges)" if _is_two(ratio) else ""


def _is_two(ratio: float) -> bool:
    return _close(ratio, 2) or _close(ratio, 0.5)
