"""Reports of traces that do not fit into memory: the same figures, and the rest by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.capture.test_pieces import capture_of

from lanescope.analyze.cores import core_sums
from lanescope.analyze.cores.makespan import makespan
from lanescope.capture.assemble import assemble
from lanescope.cli import main
from lanescope.formats import import_trace
from lanescope.reports.build import build_report
from lanescope.reports.memory import report_bytes
from lanescope.reports.streamed import LeftOut, StreamedReport, _has_some, streamed_report
from lanescope.trace import filling, load, row_groups, save, select
from lanescope.trace.part import part_of
from lanescope.trace.row_groups import StoredRows

RUN = Path(__file__).parents[2] / "examples" / "small_run"
ANSWERED = ("capture", "losses", "makespan", "functions")


@pytest.fixture(params=["a real run", "a damaged capture"])
def stored(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(filling, "_ROWS_PER_GROUP", 64)
    monkeypatch.setattr(row_groups, "_ROWS", 17)
    trace = import_trace(RUN) if request.param == "a real run" else assemble(capture_of(5, 0))
    save(trace, tmp_path / "a.lanes")
    return tmp_path / "a.lanes"


def streamed(path: Path, **limits: Any) -> StreamedReport:
    found = streamed_report(path, 1, part_of(**limits))
    assert found is not None
    return found


def figures(report: Any) -> dict[str, Any]:
    """The answers as JSON: without what only the full report counts, and tallies by name."""
    found = {name: report.to_dict()[name] for name in ANSWERED}
    del found["capture"]["edge_pairs"]
    for name in ("nodes", "phases"):
        found["capture"][name].sort(key=lambda tally: tally["kind"])
    return found


def percentiles(functions: dict[str, Any]) -> list[int]:
    """Take the percentiles out of the costs of functions."""
    taken = []
    for cost in (*functions["rows"], functions["total"]):
        for spread in (cost["exec"], cost["latency"]):
            taken += [spread.pop("p50_ns"), spread.pop("p99_ns")] if spread else []
    return taken


@pytest.mark.parametrize("limits", [{}, {"since": 3000, "until": 12_000}, {"core": "1-2"}])
def test_the_figures_are_those_of_the_full_report(stored: Path, limits: dict[str, Any]) -> None:
    report, trace = streamed(stored, **limits), select(load(stored), **limits)
    found, whole = figures(report), figures(build_report(trace))
    if limits:  # what follows the tasks of a part is counted at most
        for name in ("edges", "marks", "counters"):
            assert found["capture"].pop(name) >= whole["capture"].pop(name)
    for low, exact in zip(*map(percentiles, (found["functions"], whole["functions"])), strict=True):
        assert exact * (1 - 0.0005) <= low <= exact
        assert low == exact or exact >= 4096
    assert found == whole
    assert len(report.left_out.notes) == 1


def test_rows_that_go_far_back_in_time_make_busy_times_least_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_sums, "_KEPT", 2)
    monkeypatch.setattr(row_groups, "_ROWS", 10)
    trace = assemble(capture_of(5, 0))
    save(trace, tmp_path / "a.lanes")
    report = streamed(tmp_path / "a.lanes")
    [_, note] = report.left_out.notes
    assert "go far back in time on their core, so it may have been busy for longer." in note
    for kind, whole in zip(report.makespan.kinds, makespan(trace).kinds, strict=True):
        assert kind.tasks == whole.tasks
        assert 0 < kind.busy_ns < whole.busy_ns


def test_what_is_left_out_is_named_with_how_to_get_it(stored: Path) -> None:
    report = streamed(stored)
    names = report.left_out.names
    assert {"verdict", "critical", "suspects"} <= set(names)
    assert not set(names) & set(ANSWERED)
    text = report.text()
    assert f"Left out: {names[0]}, {names[1]}, " in text
    assert "--since, --until or --core" in text.replace("\n  ", " ")
    assert report.to_dict()["left_out"]["names"] == list(names)


def test_a_trace_that_fits_is_reported_in_full(stored: Path) -> None:
    needed = report_bytes(StoredRows(stored).rows())
    assert streamed_report(stored, needed) is None
    assert streamed_report(stored, needed - 1) is not None
    assert streamed_report(stored, needed - 1, part_of(core="0")) is None


def test_the_command_says_it_and_refuses_pictures(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = ["report", str(stored), "--memory", "1kB"]
    assert main(limit) == 0
    assert capsys.readouterr().out.startswith("! Too large for a full report\n")
    assert main([*limit, "--json"]) == 0
    assert "verdict" not in json.loads(capsys.readouterr().out)
    assert main([*limit, "--plots", str(tmp_path / "pictures")]) == 2
    assert "too large for --plots; choose a part" in capsys.readouterr().err
    assert main(["report", str(stored), "--memory", "1GB"]) == 0
    assert "Too large" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("needed", "window_ns", "advice"),
    [
        (8 * 10**9, 1000, ", about 250 ns or less of the run"),
        (10**9, 1000, ", about 1.00 µs or less of the run"),
        (8 * 10**9, None, ""),
    ],
)
def test_the_time_that_would_fit_is_the_windows_share(
    needed: int, window_ns: int | None, advice: str
) -> None:
    left = LeftOut(
        tasks=12_345_678,
        needed_bytes=needed,
        limit_bytes=2 * 10**9,
        names=("critical", "over_time"),
        notes=("A note.",),
        window_ns=window_ns,
    )
    section = left.section()
    assert (section.title, section.is_warning) == ("Too large for a full report", True)
    assert section.lines == (
        f"It has 12,345,678 task rows and needs about {needed / 1e9:.1f} GB of memory; the limit "
        "is 2.0 GB (--memory). What follows was added up row by row.",
        "Left out: critical, over time. They are given for a part of the trace: choose it with "
        f"--since, --until or --core{advice}.",
        "A note.",
    )


@pytest.mark.parametrize(
    ("there", "limits", "some"),
    [
        ("tasks", {}, True),
        ("phases", {}, True),
        ("marks", {}, True),
        ("edges", {}, False),
        ("phases", {"since": 5}, True),
        ("phases", {"core": "1"}, False),
        ("tasks", {"core": "1"}, True),
        ("marks", {"function": "a"}, False),
    ],
)
def test_what_cores_and_functions_limit_are_tasks(
    there: str, limits: dict[str, Any], some: bool
) -> None:
    rows = {"tasks": 0, "phases": 0, "marks": 0, "edges": 0, there: 3}
    assert _has_some(rows, part_of(**limits)) is some
