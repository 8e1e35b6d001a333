"""Several processes in one trace: whose a core is, and how well their times are joined."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace, task
from tests.capture.programs import EXAMPLE, built, collected

import lanescope
from lanescope.capture.one_trace import one_trace
from lanescope.errors import UsageError
from lanescope.trace import HostClock, Trace, load

GHZ = 1_000_000_000


def process(number: int, host_ns: int | None, *, error_ns: int = 50, **meta: Any) -> Trace:
    """A process with one task on core 0, from 10 to 20 ns after `base_cycles` of its counter."""
    clock = None if host_ns is None else HostClock(host_ns, 0, error_ns, "calibrated")
    facts = {"clock_hz": GHZ, "base_cycles": 0, "host_clock": clock, "process": number, "level": 2}
    return make_trace(
        facts | {"ledger": (entry("core 0", 1, 1),)} | meta,
        tasks=[task(0, 5, 6, 10, 20, 25, task=0)],
        cores=[{"core": 0, "name": "aiv 0", "kind": "aiv"}],
    )


def starts(trace: Trace) -> list[int]:
    found: list[int] = trace.tasks["start_ns"].tolist()
    return found


def test_a_counter_that_agrees_with_the_machines_clock_is_one_counter() -> None:
    """The second began 3000 cycles later, and by the machine's clock 3100 ns later, ± 2 × 50."""
    first = process(700, 10**18, base_cycles=9_000)
    second = process(701, 10**18 + 3_100, base_cycles=12_000)
    found = one_trace("both", (second, first))
    assert (found.meta.name, found.meta.process) == ("both", None)
    assert starts(found) == [3_010, 10]
    assert found.cores["process"].tolist() == [701, 700]
    assert found.cores["rank"].tolist() == [0, 1]
    assert [found.word(code) for code in found.runs["clock"]] == ["device", "device"]
    assert found.runs["slack_ns"].tolist() == [0, 0]
    assert found.meta.host_clock == HostClock(10**18, 0, 50, "calibrated")
    assert found.meta.notes == (
        "Ranks are processes of one run: rank 0 is process 701, rank 1 is process 700.",
    )
    assert [(e.lane, e.total, e.closes) for e in found.meta.ledger] == [
        ("core 0", 1, True),
        ("core 1", 1, True),
    ]


@pytest.mark.parametrize(
    ("other", "apart"),
    [
        ({"base_cycles": 2_899}, 100),  # 101 cycles too few for what both clocks may be wrong
        ({"base_cycles": 3_101}, 100),
        ({"base_cycles": 3_000, "clock_hz": GHZ + GHZ // 10}, 103),  # a tenth of 25 ns
        ({"base_cycles": None}, 100),
        ({"base_cycles": None, "clock_hz": None}, 100),
    ],
)
def test_counters_that_disagree_are_joined_by_the_machines_clock(
    other: dict[str, Any], apart: int
) -> None:
    first, second = process(700, 10**18), process(701, 10**18 + 3_000, **other)
    found = one_trace("both", (first, second))
    assert starts(found) == [10, 3_010]
    assert [found.word(code) for code in found.runs["clock"]] == ["device", "anchors"]
    assert found.meta.notes[-1] == (
        "The processes count on clocks of their own, which the machine's clock joins; the order "
        f"between two of them is not known within {apart} ns."
    )


@pytest.mark.parametrize("base_cycles", [2_900, 3_100])
def test_the_counter_counts_up_to_what_both_clocks_may_be_wrong(base_cycles: int) -> None:
    found = one_trace(
        "both", (process(700, 10**18), process(701, 10**18 + 3_000, base_cycles=base_cycles))
    )
    assert starts(found) == [10, base_cycles + 10]


def test_a_base_that_the_host_moved_counts() -> None:
    first = process(700, 10**18, base_shift_ns=40)
    second = process(701, 10**18 + 3_000, base_cycles=3_000, base_shift_ns=70)
    assert starts(one_trace("both", (first, second))) == [10, 3_040]


def test_a_process_without_the_machines_clock_is_drawn_from_0() -> None:
    found = one_trace("both", (process(700, 10**18), process(701, None, base_cycles=3_000)))
    assert starts(found) == [10, 10]
    assert [found.word(code) for code in found.runs["clock"]] == ["device", "unknown"]
    assert found.meta.notes[-1] == (
        "Nothing tells when rank 1 ran beside the others; it is drawn from 0 ns."
    )
    none = one_trace("both", [process(number, None) for number in (1, 2)])
    assert none.meta.host_clock is None and len(none.meta.notes) == 2


def test_eight_processes_are_named() -> None:
    found = one_trace("many", [process(100 + n, 10**18) for n in range(10)])
    assert found.meta.notes[0].endswith("rank 7 is process 107 and 2 more.")
    assert len(found.cores) == len(found.tasks) == 10
    eight = one_trace("many", [process(100 + n, 10**18) for n in range(8)])
    assert eight.meta.notes[0].endswith("rank 7 is process 107.")


def test_one_process_has_its_trace() -> None:
    alone = process(700, 10**18)
    assert one_trace("other", [alone]) is alone


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")


def test_programs_one_after_the_other_are_one_trace(program: Path, tmp_path: Path) -> None:
    done = collected(
        tmp_path, "sh", "-c", f"{program} 300; {program} 200", options=("--one-trace",)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("500 tasks, 4 cores") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["sh.lanes"]
    trace = load(tmp_path / "sh.lanes")
    assert len(set(trace.cores["process"].tolist())) == 2
    assert all(entry.closes and entry.total == entry.delivered for entry in trace.meta.ledger)
    assert [trace.word(code) for code in trace.runs["clock"]] == ["device", "anchors"]
    said = re.search(r"not known within ([\d,]+) ns", trace.meta.notes[-1])
    assert said is not None and int(said[1].replace(",", "")) < 1_000_000
    run, start, end = (trace.tasks[name] for name in ("run", "start_ns", "end_ns"))
    assert end[run == 0].max() < start[run == 1].min()
    assert lanescope.report(tmp_path / "sh.lanes").text()


def test_one_process_is_stored_as_without_the_option(program: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, program, "100", options=("--one-trace",))
    assert done.returncode == 0
    trace = load(tmp_path / "own_runtime.lanes")
    assert len(trace.tasks) == 100 and trace.meta.process is not None


def test_in_python_it_is_asked_of_the_result(program: Path) -> None:
    found = lanescope.collect(["sh", "-c", f"{program} 30 & {program} 20; wait"])
    assert len(found.together("both").tasks) == 50
    with pytest.raises(UsageError, match="2 processes recorded"):
        _ = found.trace
