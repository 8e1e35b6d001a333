"""Questions that only cores answer, what is exported and asked of jobs, and pages and servers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace, task

from lanescope.errors import UsageError
from lanescope.facade import answers, files, jobs
from lanescope.facade.answers import critical_path, report, verdict
from lanescope.facade.files import export
from lanescope.facade.jobs import ranks
from lanescope.jobs.job import Job

CORES = make_trace(
    cores=[{"core": 0, "name": "aic 0", "kind": "aic"}],
    functions=[{"func": 0, "name": "A"}],
    tasks=[task(0, 0, None, 10, 40, 50, task=1, func=0)],
)


@pytest.mark.parametrize(
    ("family", "lane", "of_verdict", "of_path"),
    [
        ("streams", "stream", "breakdown", "critical_path"),
        ("units", "unit", "units", "units"),
        ("tracks", "track", "slices", "slices"),
    ],
)
def test_other_lanes_than_cores_have_another_answer(
    family: str, lane: str, of_verdict: str, of_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = SimpleNamespace(family=family, lane=lane)
    monkeypatch.setattr(answers, "vocabulary", lambda trace: words)
    said = []
    for question in (verdict, critical_path):
        with pytest.raises(UsageError) as found:
            question(CORES)
        said.append(str(found.value))
    assert said == [
        f"the lanes of hand are {lane}s, not cores; lanescope.report(trace).{answer} is about them"
        for answer in (of_verdict, of_path)
    ]


def test_cores_have_a_verdict_and_a_path() -> None:
    assert verdict(CORES).chip.total_ns == 50
    assert critical_path(CORES).window.length_ns == 50


def test_the_graph_is_listed_only_if_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "build_report", lambda trace, *, also: (trace, also))
    found: list[Any] = [report(CORES), report(CORES, graph=True)]
    assert found == [(CORES, ()), (CORES, ("graph",))]


class NoJob(Job):
    """A job of which nothing is read."""

    def __init__(self) -> None:
        """Without ranks."""


def test_a_job_is_exported_as_one_and_a_trace_with_its_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Any] = []

    def noted(*words: Any, **more: Any) -> Any:
        asked.append((*words, more))

    job = NoJob()
    monkeypatch.setattr(files, "export_job", noted)
    monkeypatch.setattr(files.formats, "export", noted)
    monkeypatch.setattr(files, "is_job", lambda path: path == "a.job")
    monkeypatch.setattr(files, "open_job", lambda path: f"opened {path}")
    monkeypatch.setattr(files, "opened_in_part", lambda trace: f"part of {trace}")
    export(job, tmp_path, to="perfetto")
    export("a.job", tmp_path, to="perfetto")
    export("a.lanes", tmp_path, to="csv", table="tasks", options={"a": 1})
    more: Row = {"highlight": files.critical_lanes, "table": "tasks", "options": {"a": 1}}
    assert asked == [
        (job, tmp_path, {"to": "perfetto"}),
        ("opened a.job", tmp_path, {"to": "perfetto"}),
        ("part of a.lanes", tmp_path, {"to": "csv", **more}),
    ]


def test_a_trace_in_memory_is_not_looked_at_as_a_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(files, "is_job", lambda path: pytest.fail("asked"))
    assert export(CORES, tmp_path / "a.json", to="chrome").output == str(tmp_path / "a.json")


def test_an_open_job_is_not_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "open_job", lambda *words, **more: (*words, more))
    monkeypatch.setattr(jobs, "job_report", lambda job, *, replay: (job, replay))
    job = NoJob()
    found: list[Any] = [ranks(job, replay="job"), ranks("a.job", cluster="local", workers=3)]
    assert found == [
        (job, "job"),
        (("a.job", {"cluster": "local", "workers": 3}), None),
    ]
