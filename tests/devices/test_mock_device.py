"""The headers on a memory that is not coherent: nothing is lost, and no hook can be left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.devices.mock import PROTOCOLS, Run, build, hooks_in_headers, outcome

SIZES = ({}, {"tasks": 500, "records": 2, "buffers": 3, "pre_dispatch": 2})
MEMORIES = ({}, {"evicts": 40, "arrives": 4}, {"evicts": 3, "arrives": 2})
"""Nothing moves by itself; seldom; all the time."""


def runs(seeds: tuple[int, ...] = (1, 2)) -> list[Run]:
    """Runs that must be sound, the likeliest to show a fault first."""
    return [
        Run(protocol, on_full, seed=seed, **size, **memory)
        for seed in seeds
        for size in SIZES
        for memory in MEMORIES
        for protocol in PROTOCOLS[::-1]
        for on_full in ("block", "drop")
    ]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("mock"))


def test_nothing_is_lost_doubled_or_torn_and_no_line_has_two_writers(program: Path) -> None:
    wrong = {run: found for run in runs() if (found := outcome(program, run).wrong)}
    assert wrong == {}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("pre_dispatch", [0, 2])
def test_so_it_is_with_random_eviction(program: Path, protocol: str, pre_dispatch: int) -> None:
    run = Run(protocol, "block", 20_000, 8, 3, pre_dispatch, seed=5, evicts=6, arrives=6)
    assert outcome(program, run).wrong == ""


@pytest.mark.stress
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ten_million_records_with_random_eviction(program: Path, protocol: str) -> None:
    """Three cores with two records per task: the core's, and the controller's."""
    records = 0
    for seed, on_full in enumerate(("block", "drop")):
        tasks = 900_000
        run = Run(protocol, on_full, tasks, 16, 4, 2, seed=seed + 1, evicts=8, arrives=8)
        assert outcome(program, run).wrong == ""
        records += 6 * tasks
    print(f"{protocol}: {records:,} records")
    assert records > 10_000_000


# ---- Every hook is needed ------------------------------------------------------------------------


def called_hooks(program: Path) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for run in runs((1,)):
        found |= outcome(program, run).hooks.keys()
    return found


def test_the_runs_call_every_hook_that_the_headers_have(program: Path) -> None:
    assert called_hooks(program) == hooks_in_headers()


@pytest.mark.parametrize(
    "hook", sorted(hooks_in_headers()), ids=lambda hook: f"{hook[0]}:{hook[1]}"
)
def test_a_hook_that_is_left_out_is_found(program: Path, hook: tuple[str, int]) -> None:
    assert any(outcome(program, run, hook).wrong for run in runs())


# ---- What a core does ----------------------------------------------------------------------------

COUNTED = ("stores", "flushes", "barriers", "loads", "clocks")


def per_task_and_buffer(program: Path, protocol: str) -> tuple[list[int], list[int]]:
    """What one task costs its core, and one buffer beside its tasks, at level 2."""

    def counts(tasks: int, records: int) -> list[int]:
        run = Run(protocol, "block", tasks, records, buffers=2 + 2000 // records)
        found = outcome(program, run)
        assert found.wrong == ""
        return [found.counts[name] for name in COUNTED]

    one, two = counts(1000, 4000), counts(2000, 4000)
    task = [(b - a) // 1000 for a, b in zip(one, two, strict=True)]
    assert [a + 1000 * each for a, each in zip(one, task, strict=True)] == two
    few, many = counts(1000, 100), counts(2000, 100)
    buffer = [(b - a - 1000 * each) // 10 for a, b, each in zip(few, many, task, strict=True)]
    return task, buffer


def test_what_a_core_does_is_what_the_page_says(program: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "recording.md").read_text()
    print(f"protocol, per task and per buffer: {', '.join(COUNTED)}")
    for protocol in PROTOCOLS:
        task, buffer = per_task_and_buffer(program, protocol)
        row = " | ".join(map(str, (*task, *buffer)))
        print(f"| {protocol} | {row} |")
        assert f"| {protocol} | {row} |" in page
        assert (task[COUNTED.index("flushes")], task[COUNTED.index("loads")]) == (1, 0)
