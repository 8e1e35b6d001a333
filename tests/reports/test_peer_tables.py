"""Our figures against those the peer's own tools printed for the same captures.

A printed figure agrees when our exact value rounds to it at the printed digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from lanescope.analyze.tasks.functions import FunctionCost
from lanescope.analyze.tasks.spread import Mean
from lanescope.formats import import_paths
from lanescope.reports import Report, build_report

DATA = Path(__file__).parents[2] / "../shared/data/chip-swimlane"
CONVERTED = sorted(DATA.glob("*/*/*/report_swimlane_converter.txt"))
SCHEDULED = sorted(DATA.glob("*/*/*/report_sched_overhead.txt"))

pytestmark = pytest.mark.skipif(not CONVERTED, reason="the peer's captures are not here")


@dataclass(frozen=True)
class PeerRow:
    """One line of the peer's function table, figures as printed, '-' for none."""

    func: int
    count: str
    figures: tuple[str, ...]
    """exec, latency, exec %, head, tail, propagation, setup."""


@cache
def report_of(folder: Path) -> Report:
    (trace,) = import_paths([folder])
    return build_report(trace)


def named(path: Path) -> str:
    return "/".join(path.parts[-4:-1])


def printed(text: str, pattern: str) -> str | None:
    found = re.search(pattern, text)
    return found[1] if found else None


def agrees(value: float | None, figure: str | None) -> bool:
    """Whether `value` rounds to the printed figure; ties may have been rounded either way."""
    if value is None or figure is None:
        return value is None and figure in (None, "-")
    if figure == "-":
        return False
    digits = len(figure.partition(".")[2].rstrip("%"))
    return abs(value - float(figure.rstrip("%"))) <= 0.5 * 10**-digits * (1 + 1e-9) + 1e-12


def peer_rows(text: str) -> list[PeerRow]:
    number = r"\s+(-|[\d.]+%?)"
    line = re.compile(r"^(-?\d+)\s+\S+\s+(\d+)" + number * 7 + "$", re.MULTILINE)
    return [PeerRow(int(m[1]), m[2], m.groups()[2:]) for m in line.finditer(text)]


def micros(mean: Mean | None) -> float | None:
    return None if mean is None else mean.mean_ns / 1000


def our_figures(cost: FunctionCost) -> tuple[float | None, ...]:
    share = None if cost.exec_share is None else 100 * cost.exec_share
    parts = (cost.head, cost.tail, cost.propagation, cost.setup)
    return (micros(cost.exec), micros(cost.latency), share, *map(micros, parts))


@pytest.mark.parametrize("path", CONVERTED, ids=named)
def test_function_table_agrees(path: Path) -> None:
    text = path.read_text()
    theirs = {row.func: row for row in peer_rows(text)}
    ours = {cost.func: cost for cost in report_of(path.parent).functions.rows}
    assert ours.keys() == theirs.keys()
    for func, row in theirs.items():
        assert str(ours[func].count) == row.count
        pairs = list(zip(our_figures(ours[func]), row.figures, strict=True))
        assert all(agrees(value, figure) for value, figure in pairs), pairs


@pytest.mark.parametrize("path", CONVERTED, ids=named)
def test_totals_and_spans_agree(path: Path) -> None:
    text = path.read_text()
    report = report_of(path.parent)
    total, makespan, observed = (
        report.functions.total,
        report.makespan.makespan,
        report.makespan.observed,
    )
    line = re.search(r"^TOTAL\s+(\d+)\s+([\d.]+)\s+(\S+)$", text, re.MULTILINE)
    assert line and total and observed
    assert line[1] == str(total.count)
    assert agrees(total.exec.total_ns / 1000, line[2])
    assert agrees(total.latency and total.latency.total_ns / 1000, line[3])
    assert agrees(
        total.exec_share and 100 * total.exec_share, printed(text, r"Exec/Latency = ([\d.]+%)")
    )
    length = None if makespan is None else makespan.length_ns / 1000
    assert agrees(length, printed(text, r"Total Test Time: ([\d.]+)"))
    figure = printed(text, r"AICore Observed Span: ([\d.]+)")
    assert (figure is None) == (makespan is not None)
    assert figure is None or agrees(observed.length_ns / 1000, figure)


@pytest.mark.parametrize("path", CONVERTED, ids=named)
def test_counts_agree(path: Path) -> None:
    text = path.read_text()
    capture = report_of(path.parent).capture
    phases = {tally.kind: tally.count for tally in capture.phases}
    assert str(capture.level) == printed(text, r"perf level: (\d+)")
    assert str(capture.runs) == printed(text, r"Task Count: (\d+)")
    assert str(capture.used_core_count) == printed(text, r"Unique cores: (\d+)")
    assert str(capture.edge_pairs) == (printed(text, r"deps.json edges \((\d+) total") or "0")
    assert str(phases.get("scheduler", 0)) == (printed(text, r"Total phase records: (\d+)") or "0")
    assert str(phases.get("orchestrator", 0)) == (
        printed(text, r"Total orchestrator phase records: (\d+)") or "0"
    )


@pytest.mark.parametrize("path", CONVERTED, ids=named)
def test_time_range_agrees(path: Path) -> None:
    text = path.read_text()
    ours = report_of(path.parent).makespan.time_range
    theirs = re.search(r"Time Range: ([\d.]+) us - ([\d.]+) us \(span: ([\d.]+) us", text)
    assert ours and theirs
    moments = (ours.start_ns, ours.end_ns, ours.length_ns)
    pairs = [(ns / 1000, figure) for ns, figure in zip(moments, theirs.groups(), strict=True)]
    assert all(agrees(value, figure) for value, figure in pairs), pairs


@pytest.mark.parametrize("path", SCHEDULED, ids=named)
def test_scheduler_threads_agree(path: Path) -> None:
    """Not compared: loops, which the peer numbers from 1, and tasks, which it bills otherwise."""
    text = path.read_text()
    report = report_of(path.parent)
    threads = {t.controller: t for t in report.controllers if t.lane == "scheduler"}
    for number, total in re.findall(r"^  T(\d+)\s+\d+\s+\d+\s+\d+\s+([\d.]+)$", text, re.M):
        assert agrees(threads[int(number)].span_ns / 1000, total)
    completed = str(sum(thread.completed or 0 for thread in threads.values()))
    assert completed == (printed(text, r"FINs observed.*: (\d+)") or completed)
    for kind in ("complete", "async_poll", "dispatch"):
        ns = sum(b.total_ns for t in threads.values() for b in t.kinds if b.kind == kind)
        name = kind.title().replace("_", "")
        figure = printed(text, rf"{name} \(.*\)\s+([\d.]+)\s+[\d.]+%")
        assert figure is None or agrees(ns / 1000, figure)
    pops = re.search(r"Pop: hit=(\d+), miss=(\d+), hit_rate=([\d.]+%)", text)
    if pops:
        hits = sum(thread.pop_hits or 0 for thread in threads.values())
        misses = sum(thread.pop_misses or 0 for thread in threads.values())
        assert (str(hits), str(misses)) == (pops[1], pops[2])
        assert agrees(100 * hits / (hits + misses), pops[3])
