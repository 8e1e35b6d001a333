"""Tasks that the graph declares and no core row names: who may be missing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.checks.folders import bad, deps, put, records

from lanescope.checks.check import check
from lanescope.checks.finding import CheckFinding
from lanescope.checks.simpler.folders import apart


def causes(folder: Path, *lost: int) -> list[str]:
    """What is said where these rows of cores, by their place, are not in the file."""
    file = records(2)
    rows = file["aicore_tasks"]
    node = {"kernel_ids": [3, -1, -1], "block_num": 1}
    graph = {
        **deps((rows[0][1], rows[1][1])),
        "tasks": [{"task_id": str(row[1]), **node} for row in rows],
    }
    file["aicore_tasks"] = [row for place, row in enumerate(rows) if place not in lost]
    put(folder, records=file, deps=graph)
    return [one.cause for one in bad(check(folder))]


def test_one_task_of_the_graph_that_no_row_names_is_the_missing_one(tmp_path: Path) -> None:
    [cause] = causes(tmp_path, 4)
    assert "By the task graph it is r1t4, which no core row names." in cause


def test_of_several_tasks_any_may_be_the_missing_one(tmp_path: Path) -> None:
    [cause] = causes(tmp_path, 4, 7)
    assert "they are among those r1t4, r1t7, which no core row names." in cause


def test_records_and_graph_in_two_folders_are_one_missing_graph(tmp_path: Path) -> None:
    found = apart(*(cast(Any, SimpleNamespace(path=tmp_path / name)) for name in ("p0", "p1")))
    assert found == CheckFinding(
        producer="graph",
        kind="missing",
        count=1,
        sentence="p0 has the records and no dependency file, p1 has the dependency file and no "
        "records: 0 arrows would be drawn.",
        cause="A capture in two passes left them apart; import both files together. Here they "
        "were checked together.",
    )
