"""Launches in exports: above the cores, with the CTAs around their tasks."""

from __future__ import annotations

from pathlib import Path

from tests.analyze.cores.test_launched import step
from tests.analyze.hand import make_trace, task

from lanescope.formats import export, import_trace
from lanescope.formats.views import View, views
from lanescope.trace import Trace


def bars(view: View, category: str) -> list[tuple[str, str, int, int]]:
    """Lane, name, start and end of the bars of a category."""
    found = []
    for bar, (part, row) in enumerate(zip(view.part.tolist(), view.row.tolist(), strict=True)):
        own = view.parts[part]
        if own.category == category:
            name = own.names[int(own.name[row])]
            times = int(view.start_ns[bar]), int(view.end_ns[bar])
            found.append((view.lanes[int(view.lane[bar])], name, *times))
    return found


def by_name(trace: Trace) -> dict[str, View]:
    return {view.name: view for view in views(trace)}


def test_host_threads_and_launches_stand_above_the_cores() -> None:
    assert list(by_name(step())) == ["controllers", "launches", "cores"]


def test_a_launch_is_a_bar_with_its_name() -> None:
    assert bars(by_name(step())["launches"], "launch") == [
        ("launches", "forward", 100, 200),
        ("launches", "forward", 300, 350),
        ("launches (2)", "tile", 340, 450),
    ]


def test_a_cta_is_a_bar_around_its_tasks() -> None:
    view = by_name(step())["cores"]
    assert bars(view, "block") == [
        ("core 0", "forward", 100, 200),
        ("core 0", "forward", 300, 350),
        ("core 0 (2)", "tile", 340, 450),
        ("core 1", "forward", 110, 150),
    ]
    assert ("core 0", "tile", 110, 150) in bars(view, "task")


def test_launches_before_the_base_are_moved_with_everything_else() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 5, None, task=1)],
        launches=[{"launch": 1, "start_ns": -20, "end_ns": 9}],
        blocks=[{"launch": 1, "core": 0, "start_ns": -20, "end_ns": 9}],
    )
    found = by_name(trace)
    assert bars(found["launches"], "launch") == [("launches", "launch", 0, 29)]
    assert bars(found["cores"], "task") == [("core 0", "task", 20, 25)]


def test_launches_and_ctas_come_back_from_a_timeline(tmp_path: Path) -> None:
    for to, ending in (("chrome", "json"), ("perfetto", "pftrace")):
        export(step(), tmp_path / f"run.{ending}", to=to)
        back = import_trace(tmp_path / f"run.{ending}")
        assert back.text("launches", "name") == ["forward", "forward", ""]
        assert back.blocks["start_ns"].tolist() == [100, 110, 300, 340]
        assert len(back.phases) == len(step().phases)
        assert sorted(back.tasks["launch"].tolist()) == sorted(step().tasks["launch"].tolist())


def test_a_trace_without_launches_has_no_view_of_them() -> None:
    trace = make_trace(tasks=[task(0, None, None, 0, 5, None, task=1)])
    assert list(by_name(trace)) == ["cores"]
