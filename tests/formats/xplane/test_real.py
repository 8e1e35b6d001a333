"""A real XSpace of eight GPUs: every line's figures equal those of an independent computation."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.cli import main
from lanescope.formats import import_trace
from lanescope.trace import MISSING, Trace

DATA = Path(__file__).parents[3] / "../shared/data/traces"
FILE = "mi300_jax_conv_tw003.xplane.pb"
DAMAGED = DATA / "xplane/tpu_inference_2.xplane.pb"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return import_trace(DATA / "xplane" / FILE)


@pytest.fixture(scope="module")
def planes() -> list[dict[str, Any]]:
    expected = json.loads((DATA / "expected/xplane.json").read_text())
    found: list[dict[str, Any]] = expected["plain"][FILE]["planes"]
    return found


def union(start: np.ndarray, end: np.ndarray) -> int:
    order = np.argsort(start)
    total, reached = 0, -(1 << 62)
    for one, other in zip(start[order].tolist(), end[order].tolist(), strict=True):
        total += max(other - max(one, reached), 0)
        reached = max(reached, other)
    return total


def figures(names: list[str], start: np.ndarray, end: np.ndarray, base: int) -> dict[str, Any]:
    """The figures of one line, as the expected file has them; the file's times are whole ns."""
    length: Counter[str] = Counter()
    for name, one in zip(names, (end - start).tolist(), strict=True):
        length[name[:120]] += one
    return {
        "events": len(start),
        "sum_ps": int((end - start).sum()) * 1000,
        "busy_union_ps": union(start, end) * 1000,
        "first_start_ps": (int(start.min()) + base) * 1000,
        "last_end_ps": (int(end.max()) + base) * 1000,
        "span_ps": int(end.max() - start.min()) * 1000,
        "idle_in_span_ps": (int(end.max() - start.min()) - union(start, end)) * 1000,
        "top_names": {
            name: (Counter(text[:120] for text in names)[name], ns * 1000)
            for name, ns in length.items()
        },
    }


def agrees(found: dict[str, Any], line: dict[str, Any]) -> None:
    top = found.pop("top_names")
    for name, count, total in line["top_names"]:
        assert top[name] == (count, total)
    assert found == {key: line[key] for key in found}


def base_of(trace: Trace, planes: list[dict[str, Any]]) -> int:
    """The file's time at 0 ns of the trace, by the first event of all lines."""
    first = min(line["first_start_ps"] for plane in planes for line in plane["line_detail"])
    return int(first) // 1000


def test_every_stream_has_its_figures(trace: Trace, planes: list[dict[str, Any]]) -> None:
    tasks, functions = trace.tasks, trace.text("functions", "name")
    base = base_of(trace, planes)
    lanes = dict(zip(trace.text("cores", "name"), trace.cores["core"].tolist(), strict=True))
    seen = 0
    for plane in planes:
        if not plane["name"].startswith("/device:"):
            continue
        for line in plane["line_detail"]:
            core = lanes[f"{plane['name'].removeprefix('/device:')} {line['name']}"]
            rows = np.flatnonzero(tasks["core"] == core)
            names = [functions[func] for func in tasks["func"][rows].tolist()]
            found = figures(names, tasks["start_ns"][rows], tasks["end_ns"][rows], base)
            agrees(found, line)
            seen += len(rows)
    assert seen == len(tasks) == 235


def test_every_host_thread_has_its_figures(trace: Trace, planes: list[dict[str, Any]]) -> None:
    phases = trace.phases
    base = base_of(trace, planes)
    [host] = [plane for plane in planes if plane["name"] == "/host:CPU"]
    names = trace.text("controllers", "name")
    assert (len(names), len(phases)) == (host["lines"], host["events"])
    for line in host["line_detail"]:
        rows = np.flatnonzero(phases["controller"] == names.index(line["name"]))
        kinds = [trace.word(code) for code in phases["kind"][rows].tolist()]
        found = figures(kinds, phases["start_ns"][rows], phases["end_ns"][rows], base)
        agrees(found, line)


def test_kernels_are_joined_with_the_calls_that_launched_them(trace: Trace) -> None:
    launch = trace.tasks["launch"]
    assert (launch != MISSING).all()
    calls = trace.phases["launch"][trace.phases["launch"] != MISSING]
    assert np.isin(launch, calls).all()


def test_no_core_is_a_host_thread(trace: Trace) -> None:
    assert set(trace.text("cores", "lane")) == {"stream"}
    assert trace.cores["device"].tolist() == [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]


def test_the_damaged_file_is_refused_with_its_cause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(DAMAGED), "-o", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "it went through a text decoder, which replaced bytes in 258,174 places" in error
    assert not (tmp_path / "out").exists()
