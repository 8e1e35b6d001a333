"""Our overhead and critical-path figures against those the peer's own tools printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.reports.test_peer_tables import DATA, SCHEDULED, agrees, named, report_of

from lanescope.analyze.controllers.peer import PERCENTS, PeerOverhead

PATHS = sorted(DATA.glob("*/*/*/report_critical_path.txt"))
KINDS = {"C (AIC)": "aic", "V (AIV)": "aiv"}

pytestmark = pytest.mark.skipif(not SCHEDULED, reason="the peer's captures are not here")


def overhead(path: Path) -> PeerOverhead:
    found = report_of(path.parent).peer
    assert found is not None
    return found


def of_window(ns: int, found: PeerOverhead) -> float:
    return 100 * ns / found.window_ns


@pytest.mark.parametrize("path", SCHEDULED, ids=named)
def test_overhead_agrees(path: Path) -> None:
    text, found = path.read_text(), overhead(path)
    window = re.search(r"Total tasks: (\d+)   window: ([\d.]+) us", text)
    assert window and int(window[1]) == found.head.count
    assert agrees(found.window_ns / 1000, window[2])
    line = re.search(r"Per-engine overhead: (.*)", text)
    assert line
    printed = re.findall(r"([CV] \(AI[CV]\)) ([\d.]+%)", line[1])
    assert [KINDS[name] for name, _ in printed] == [kind.kind for kind in found.kinds]
    for kind, (_, figure) in zip(found.kinds, printed, strict=True):
        assert agrees(of_window(kind.overhead_ns, found), figure)
    system = re.search(r"all_overhead ([\d.]+%).*has_overhead ([\d.]+%)", text)
    assert system
    assert agrees(of_window(found.all_overhead_ns, found), system[1])
    assert agrees(of_window(found.has_overhead_ns, found), system[2])


@pytest.mark.parametrize("path", SCHEDULED, ids=named)
def test_switches_agree(path: Path) -> None:
    text, found = path.read_text(), overhead(path)
    row = r"^  ([CV] \(AI[CV]\)) +(\d+) +([\d.]+)us +([\d.]+)us +([\d.]+)us +(\d+) +([\d.]+)us$"
    rows = {KINDS[name]: rest for name, *rest in re.findall(row, text, re.M)}
    splits = dict(re.findall(r"([CV] \(AI[CV]\)) switch split: (\d+)% during", text))
    assert list(rows) == [kind.kind for kind in found.kinds]
    for kind in found.kinds:
        cores, least, mean, most, events, each = rows[kind.kind]
        assert (kind.cores, kind.switches) == (int(cores), int(events))
        assert agrees(kind.least_switch_ns / 1000, least)
        assert agrees(kind.switch_ns / kind.cores / 1000, mean)
        assert agrees(kind.most_switch_ns / 1000, most)
        assert agrees(kind.switch_ns / max(kind.switches, 1) / 1000, each)
        label = next(name for name, ours in KINDS.items() if ours == kind.kind)
        assert (label in splits) == (kind.switch_ns > 0)
        if label in splits:
            assert agrees(100 * kind.switch_in_overhead_ns / kind.switch_ns, splits[label])
    bounds = re.search(r"switch bound: \[([\d.]+), ([\d.]+)\] us", text)
    assert bounds
    assert all(
        agrees(ns / 1000, figure)
        for ns, figure in zip(found.switch_bounds_ns, bounds.groups(), strict=True)
    )


@pytest.mark.parametrize("path", SCHEDULED, ids=named)
def test_head_and_tail_agree(path: Path) -> None:
    text, found = path.read_text(), overhead(path)
    for name, ours in (("Head", found.head), ("Tail", found.tail)):
        part = text.split(f"{name} OH distribution (N=", 1)[1].split("====", 1)[0]
        assert part.startswith(f"{ours.count})")
        for percent, value in zip(PERCENTS, ours.at, strict=True):
            figure = re.search(rf"P{percent} +([\d.]+) us", part)
            assert figure and agrees(value / 1000, figure[1])
        rest = re.search(r"Max: +([\d.]+) us\s+Mean: +([\d.]+) us +Total: +([\d.]+) us", part)
        assert rest
        figures = (ours.max_ns, ours.total_ns / ours.count, ours.total_ns)
        assert all(
            agrees(ns / 1000, figure) for ns, figure in zip(figures, rest.groups(), strict=True)
        )


def milliseconds(text: str, label: str) -> str | None:
    found = re.search(rf"{label}\**: ([\d.]+) ms", text)
    return found[1] if found else None


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_critical_paths_agree_where_the_peer_sees_the_whole_graph(path: Path) -> None:
    """Its static path is given as it prints it. It leaves out edges through tasks that no core ran,
    and takes a task of several blocks as one bar; there our path is another."""
    text, report = path.read_text(), report_of(path.parent)
    if "static CPM path" not in text:
        pytest.skip("the peer's tool refuses a capture without names")
    ours, peer = report.critical, report.peer
    static = milliseconds(text, "static CPM path")
    tasks = re.search(r"of makespan\) over (\d+) tasks", text)
    assert static and tasks and peer
    assert agrees(peer.static_cpm_ns / 1e6, static)
    assert peer.static_cpm_tasks == int(tasks[1])
    if any(node.count for node in report.capture.nodes if node.kind != "alloc"):
        assert ours.static_ns >= peer.static_cpm_ns
        return
    if report.capture.spmd_tasks or report.capture.mix_tasks:
        assert ours.static_ns < peer.static_cpm_ns
    else:
        assert (ours.static_ns, ours.static_tasks) == (peer.static_cpm_ns, peer.static_cpm_tasks)
    if report.capture.spmd_tasks:
        return
    observed = re.search(r"observed critical path\*\*: (\d+) tasks", text)
    assert observed and ours.path_runs == int(observed[1])
    assert agrees(ours.segments["run"] / 1e6, milliseconds(text, "compute"))
    for cause, label in (("data", "data-wait"), ("core", "core-wait")):
        waited = sum(row.wait_ns for row in ours.causes if row.cause == cause)
        printed = milliseconds(text, label)
        assert agrees(waited / 1e6, printed) if printed else waited == 0
