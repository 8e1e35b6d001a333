"""Which ranks of a job are exported, from which zero, and what is said of their clocks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.errors import UsageError
from lanescope.facade import job_export
from lanescope.facade.job_export import export_job

FIRST_NS = (-10, -1030, -2020, -500)
"""When each of four ranks begins; their clocks are 1000 ns apart."""


def rank(place: int) -> Any:
    tasks = [task(0, None, None, FIRST_NS[place], 900, None, task=1)]
    return SimpleNamespace(number=10 + place, trace=lambda: make_trace(tasks=tasks))


def clock_of(place: int, error_ns: float | None) -> Any:
    return SimpleNamespace(
        axis=f"axis {place}", basis="anchors", offset_ns=2.6, drift_ppb=-1.6, error_ns=error_ns
    )


class Job(SimpleNamespace):
    """A job of which four ranks are there."""

    def __len__(self) -> int:
        return 1234


JOB: Any = Job(
    name="a/job",
    place="a.job",
    present="4 of 5 ranks",
    numbers=(10, 11, 12, 13),
    ranks=[rank(place) for place in range(4)],
    clock=SimpleNamespace(
        axes=np.array([0, 0, 0, 1]),
        common=lambda place, times: times + 1000 * place,
        ranks=[clock_of(0, 7.7), clock_of(1, None), clock_of(2, 0.0), clock_of(3, 1.0)],
    ),
)


class Exporter:
    """A format that holds ranks, or one that does not."""

    ranks_ending = ".tar"

    def __init__(self, name: str, *, able: bool) -> None:
        self.name = name
        self.write_ranks = self._write if able else None
        self.written: tuple[Any, ...] = ()

    def _write(self, parts: Any, target: Path, facts: dict[str, str]) -> str:
        self.written = (parts, target, facts)
        return "written"


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch) -> Exporter:
    known = {
        "one": Exporter("one", able=False),
        "all": Exporter("all", able=True),
        "also": Exporter("also", able=True),
    }
    monkeypatch.setattr(job_export, "exporter", known.__getitem__)
    monkeypatch.setattr(job_export, "exporters", lambda: tuple(known.values()))
    monkeypatch.setattr(
        job_export, "on_common_axis", lambda job, place, zero: (job.name, place, zero)
    )
    return known["all"]


def test_every_rank_begins_at_the_first_moment_of_its_axis(able: Exporter) -> None:
    written: Any = export_job(JOB, "x.tar", to="all")
    assert written == "written"
    parts, target, facts = able.written
    assert (target, facts) == (
        Path("x.tar"),
        {"job": "a/job", "ranks": "4 of 5 ranks", "times": "on the common clock of the job"},
    )
    assert [(part.rank, part.trace()) for part in parts] == [
        (10, ("a/job", 0, -30)),
        (11, ("a/job", 1, -30)),
        (12, ("a/job", 2, -30)),
        (13, ("a/job", 3, 2500)),
    ]
    export_job(JOB, "x.tar", to="all", ranks=[12, 11])
    assert [(part.rank, part.trace()) for part in able.written[0]] == [
        (11, ("a/job", 1, -30)),
        (12, ("a/job", 2, -30)),
    ]
    export_job(JOB, "x.tar", to="all", ranks=[12, 99])
    assert [part.rank for part in able.written[0]] == [12], "a range may name ranks that miss"


def test_what_is_known_of_each_clock_is_told_in_whole_numbers(able: Exporter) -> None:
    export_job(JOB, "x.tar", to="all", ranks=[10, 11, 12])
    known = {"basis": "anchors", "offset_ns": 3, "drift_ppb": -2}
    assert [part.facts for part in able.written[0]] == [
        {"axis": "axis 0", **known, "error_ns": 8},
        {"axis": "axis 1", **known},
        {"axis": "axis 2", **known, "error_ns": 0},
    ]


def test_without_a_path_the_archive_is_called_as_the_job(able: Exporter) -> None:
    export_job(JOB, None, to="all")
    assert able.written[1] == Path("a_job.tar")


def test_a_format_of_one_trace_and_ranks_that_are_not_there_are_refused(able: Exporter) -> None:
    with pytest.raises(UsageError) as found:
        export_job(JOB, "x", to="one")
    assert str(found.value) == (
        "one holds one trace, and a.job is a job of 1,234 ranks; export one of its traces, or the "
        "whole job to: all, also"
    )
    none = "a.job has none of the ranks that were asked for; it has "
    large = Job(**{**vars(JOB), "numbers": tuple(range(10, 19))})
    for job, ranks, there in (
        (JOB, [], "10, 11, 12, 13"),
        (JOB, [9, 14], "10, 11, 12, 13"),
        (large, [9], "10, 11, 12, 13, 14, 15, 16, 17, …"),
    ):
        with pytest.raises(UsageError) as found:
            export_job(job, "x", to="all", ranks=ranks)
        assert str(found.value) == none + there
    assert able.written == ()
