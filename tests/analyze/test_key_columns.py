"""What names the rows of each table: key columns, which stand first and again where a page ends."""

from __future__ import annotations

from pathlib import Path

from tests.analyze import test_reprs
from tests.analyze.cores.test_launched import step
from tests.analyze.hand import make_trace, task
from tests.analyze.inside.test_busy import busy
from tests.analyze.streams.made import full
from tests.analyze.tracks.test_slices import nested
from tests.analyze.units.made import program

from lanescope.formats import import_trace
from lanescope.reports import build_report
from lanescope.trace import Trace

SMALL = Path(__file__).parents[2] / "examples" / "small_run"


def inside() -> Trace:
    """Two tasks of one function whose pipes are recorded."""
    return make_trace(
        tasks=[task(0, None, None, 9 * n, 9 * n + n + 1, None, token=n, func=1) for n in (0, 1)],
        marks=[busy("cube", 0, 1), busy("cube", 9, 10, token=1)],
    )


KEYS = {
    ("By stage", "stage"),
    ("Collectives", "operation", "group"),
    ("Copies and fills", "name"),
    ("Counted for the whole run", "name"),
    ("Counters per function", "function", "counter"),
    ("Critical path", "on the path"),
    ("Critical path over host and devices", "the path was at"),
    ("Critical path: functions", "function"),
    ("Critical path: what runs waited for", "waited for", "edge"),
    ("From launch to start", "from"),
    ("Functions: from dispatch to finish", "id", "function"),
    ("Functions: time on the core", "id", "function"),
    ("Head and tail by the same tools", ""),
    ("Host", "row"),
    ("Host ranges", "range"),
    ("Inside the cores", "function", "cores"),
    ("Inside the cores: slowest task against the median one", "function", "cores"),
    ("Kernels", "kernel"),
    ("Launched and not started", "stream"),
    ("Launches", "launch"),
    ("Losses", "lane", "records"),
    ("On the critical path longest", "where", "what"),
    ("Opcodes: cycles on their unit", "opcode"),
    ("Orchestrator phases", "phase"),
    ("Orchestrator threads", "thread"),
    ("Overhead as the simpler runtime's tools define it", "cores"),
    ("Ready queues", "queue"),
    ("Scheduler phases", "phase"),
    ("Scheduler threads", "thread"),
    ("Slices", "name"),
    ("Steps", "step"),
    ("Streams", "stream"),
    ("Task graph: deepest", "task"),
    ("Task graph: largest fan-in", "task"),
    ("Task graph: largest fan-out", "task"),
    ("Time", "cores"),
    ("Time", "tracks"),
    ("Time", "units"),
    ("Verdict", "core time"),
    ("Verdict", "device time"),
    ("Why streams were idle", "idle"),
}


def test_rows_are_named_by_these_columns() -> None:
    made = (import_trace(SMALL), test_reprs.full(), full(), step(), nested(), program(), inside())
    found = {
        (section.title, *(column.title for column in section.columns if column.key))
        for trace in made
        for section in build_report(trace, also=["graph"]).sections()
        if section.columns
    }
    assert found == KEYS
