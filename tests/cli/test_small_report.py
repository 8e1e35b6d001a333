"""A report of cores loads nothing that it does not ask; each module takes milliseconds.

`python -m benchmarks.startup` measures what comes of it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lanescope
from lanescope.replay.next_steps import MOST_RUNS

REPLAYS = ("lanescope.replay.replica", "lanescope.replay.paying", "lanescope.native.replay")
NEXT_STEPS = "lanescope.replay.next_steps"
NOT_NEEDED = {
    *("numpy.ma", "pandas", "pyarrow.compute", "pyarrow.dataset", "pyarrow.acero", "pyarrow.csv"),
    *("importlib.metadata", "email", "rich", "argcomplete", "tomllib", "difflib", "asyncio"),
    *("multiprocessing", "duckdb", "statistics"),
    *("lanescope.formats", "lanescope.capture", "lanescope.platforms", "lanescope.viewer"),
    *("lanescope.analyze.streams.basis", "lanescope.analyze.units.program"),
    *REPLAYS,
    NEXT_STEPS,
}
NOT_NEEDED_OF_JSON = {
    *NOT_NEEDED - {"lanescope.formats"},
    *("pyarrow", "ssl", "sqlite3", "tarfile", "zipfile", "lanescope.chunks"),
    *(
        "lanescope.formats.nsys.importer",
        "lanescope.formats.streams",
        "lanescope.formats.chip6.read",
    ),
}
"""The same of the files that a runtime left."""
RUN = Path(__file__).parents[2] / "examples" / "small_run"
CODE = """
import sys
from lanescope.cli import main
assert main(sys.argv[2:]) == 0
loaded = set(sys.argv[1].split()) & set(sys.modules)
assert not loaded, loaded
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A stored run."""
    trace = tmp_path_factory.mktemp("small") / "run.lanes"
    lanescope.save(lanescope.run("chain", settings={"tasks": 60}), trace)
    return str(trace)


def report(*words: str, without: set[str]) -> None:
    command = [sys.executable, "-c", CODE, " ".join(without), *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("option", ["--json", "--full"])
def test_a_report_loads_only_what_it_needs(stored: str, option: str) -> None:
    report("report", stored, option, without=NOT_NEEDED)


def test_a_page_with_suggestions_loads_replays_and_nothing_else_of_that(stored: str) -> None:
    report("report", stored, without=NOT_NEEDED - {*REPLAYS, NEXT_STEPS})


def test_a_page_of_a_long_run_loads_no_replays(tmp_path: Path) -> None:
    trace = tmp_path / "long.lanes"
    lanescope.save(lanescope.run("chain", settings={"tasks": MOST_RUNS + 1}), trace)
    report("report", str(trace), without=NOT_NEEDED - {NEXT_STEPS})


@pytest.mark.parametrize("option", ["--json", "--full"])
def test_a_report_of_json_files_loads_no_arrow_and_no_other_format(option: str) -> None:
    report("report", str(RUN), option, without=NOT_NEEDED_OF_JSON)
