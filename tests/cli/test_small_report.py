"""A report of a stored trace of cores loads nothing that it does not ask; each takes milliseconds.

`python -m benchmarks.startup` measures what comes of it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lanescope

NOT_NEEDED = {
    *("numpy.ma", "pandas", "pyarrow.compute", "pyarrow.dataset", "pyarrow.acero", "pyarrow.csv"),
    *("importlib.metadata", "email", "rich", "argcomplete", "tomllib", "difflib", "asyncio"),
    *("multiprocessing", "duckdb", "statistics"),
    *("lanescope.formats", "lanescope.capture", "lanescope.platforms", "lanescope.viewer"),
    *("lanescope.analyze.streams.basis", "lanescope.analyze.units.program"),
    *("lanescope.replay.replica", "lanescope.replay.next_steps"),
}
CODE = """
import sys
from lanescope.cli import main
assert main(sys.argv[2:]) == 0
loaded = set(sys.argv[1].split()) & set(sys.modules)
assert not loaded, loaded
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A stored run whose page was printed once."""
    trace = tmp_path_factory.mktemp("small") / "run.lanes"
    lanescope.save(lanescope.run("chain", settings={"tasks": 60}), trace)
    report("report", str(trace), without=set())
    return str(trace)


def report(*words: str, without: set[str]) -> None:
    command = [sys.executable, "-c", CODE, " ".join(without), *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("option", [[], ["--json"], ["--full"]], ids=" ".join)
def test_a_report_loads_only_what_it_needs(stored: str, option: list[str]) -> None:
    report("report", stored, *option, without=NOT_NEEDED)


def test_the_first_page_of_a_trace_loads_replays_and_nothing_else_of_that(tmp_path: Path) -> None:
    trace = tmp_path / "new.lanes"
    lanescope.save(lanescope.run("chain", settings={"tasks": 61}), trace)
    replays = {"lanescope.replay.replica", "lanescope.replay.next_steps"}
    report("report", str(trace), without=NOT_NEEDED - replays)
