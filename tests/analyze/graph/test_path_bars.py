"""The critical path as bars in order of time, of cores and of streams."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase, task
from tests.analyze.streams.made import did, of_streams, ran

from lanescope.analyze.analysis import Basis
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.path_bars import PathBars, path_bars
from lanescope.trace import Trace

CORES = [{"core": core, "kind": "aiv"} for core in range(2)]


def bars_of(trace: Trace) -> PathBars | None:
    return path_bars(Basis(trace, nodes(trace), makespan(trace)))


def told(bars: PathBars) -> list[tuple[str, str | None, int, int, int]]:
    """What every bar is, the reason whose colour it has, from when to when, and its task row."""
    words = [bars.words[place] for place in bars.what.tolist()]
    times = zip(bars.start_ns.tolist(), bars.end_ns.tolist(), bars.row.tolist(), strict=True)
    return [(word.what, word.reason, *one) for word, one in zip(words, times, strict=True)]


TASKS = [
    task(0, 4, 5, 6, 20, 21, task=1),
    task(1, 25, 28, 30, 40, 44, task=2),
    task(1, 35, 42, 43, 50, 55, task=3),
]
EDGES = [{"pred": 1, "succ": 2, "kind": "explicit"}]
SUBMITS = [phase("submit", 0, 4, lane="orchestrator", task=1)]


def test_bars_of_cores_tile_the_window_with_what_each_waited_for() -> None:
    """Task 2 waits for the data of task 1, task 3 for the core that task 2 ran on."""
    bars = bars_of(make_trace({"level": 4}, cores=CORES, tasks=TASKS, edges=EDGES, phases=SUBMITS))
    assert bars is not None and len(bars) == 8
    assert told(bars) == [
        ("switch", "switch", 4, 6, 0),
        ("run", None, 6, 20, 0),
        ("scheduler", "scheduler", 20, 25, 1),
        ("switch", "switch", 25, 30, 1),
        ("run", None, 30, 40, 1),
        ("switch", "switch", 40, 43, 2),
        ("run", None, 43, 50, 2),
        ("finish", "scheduler", 50, 55, 2),
    ]
    submit, data, core = (
        bars.causes[code] for code in (bars.cause[0], bars.cause[2], bars.cause[5])
    )
    assert (submit, data, core) == ("its submit", "data", "the run before it on its core")
    assert bars.rows.tolist() == [0, 1, 2]
    assert bars.runs.tolist() == [False, True, False, False, True, False, True, False]


def test_of_several_runs_it_is_the_path_of_the_longest_with_rows_of_the_trace() -> None:
    later = [{**row, "run": 1} for row in TASKS]
    first = task(0, 0, 0, 0, 3, 3, task=9, run=0)
    runs = [{"run": 0, "start_ns": 0, "end_ns": 3}, {"run": 1, "start_ns": 4, "end_ns": 55}]
    bars = bars_of(
        make_trace({"level": 2}, cores=CORES, tasks=[first, *later], edges=EDGES, runs=runs)
    )
    assert bars is not None
    assert bars.rows.tolist() == [1, 2, 3]
    assert (bars.start_ns[0], bars.end_ns[-1]) == (4, 55)


def test_bars_of_streams_are_the_device_the_host_and_what_lies_between() -> None:
    """The second row is launched late: the path leaves the stream for the host's call."""
    tasks = [ran(0, "gemm", 10, 100, 0), ran(0, "reduce", 300, 400, 1)]
    phases = [did("launch", 0, 5, 0), did("launch", 240, 290, 1)]
    bars = bars_of(of_streams(tasks, phases))
    assert bars is not None
    assert told(bars) == [
        ("host", "host_busy", 0, 5, -1),
        ("host_unseen", "host_unseen", 5, 240, -1),
        ("host", "host_busy", 240, 290, -1),
        ("launch", "launch", 290, 300, 1),
        ("communication", None, 300, 400, 1),
    ]
    assert bars.cause.tolist() == [-1] * 5 and bars.causes == ()
    assert bars.rows.tolist() == [1]


def test_where_nothing_ran_there_is_no_path() -> None:
    assert bars_of(make_trace(cores=CORES)) is None
    assert bars_of(of_streams([ran(0, "stand", 0, 5)])) is None
    tracks = make_trace(
        cores=[{"core": 0, "lane": "track"}], tasks=[task(0, None, None, 1, 2, None)]
    )
    assert bars_of(tracks) is None
