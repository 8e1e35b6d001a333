"""A part for a person who asks for it: what is refused, and what the sentence says there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, phase, task

from lanescope.errors import UsageError
from lanescope.trace import Trace, save
from lanescope.trace.some import load_some, select_some

MS = 1_000_000


def traced(cores: tuple[int, ...] = (0, 1, 2), functions: tuple[str, ...] = ("QK",)) -> Trace:
    """Tasks from 2 to 5 ms on core 1, a phase from 1 to 6 ms."""
    return make_trace(
        {"name": "run"},
        tasks=[task(1, 2 * MS, None, 3 * MS, 4 * MS, 5 * MS, task=7, func=0)],
        phases=[phase("poll", MS, 6 * MS)],
        cores=[{"core": core} for core in cores],
        functions=[{"func": number, "name": name} for number, name in enumerate(functions)],
    )


def refused(trace: Trace, folder: Path, **limits: Any) -> str:
    """The sentence, which is the same for a trace in memory and a stored one."""
    with pytest.raises(UsageError) as caught:
        select_some(trace, **limits)
    path = save(trace, folder / "a.lanes")
    with pytest.raises(UsageError) as stored:
        load_some(path, **limits)
    assert str(stored.value) == str(caught.value)
    return str(caught.value)


def test_a_part_with_something_in_it_is_what_select_takes(tmp_path: Path) -> None:
    trace = traced()
    path = save(trace, tmp_path / "a.lanes")
    for limits in ({"core": "1"}, {"since": 6 * MS}, {"until": MS}, {"function": "QK"}):
        for part in (select_some(trace, **limits), load_some(path, **limits)):
            assert part.meta == trace.select(**limits).meta
            assert len(part.tasks) == len(trace.select(**limits).tasks)
    assert select_some(trace, since=None, core=None) is trace


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"since": 7 * MS}, "time 7000000 ns to …"),
        ({"until": MS - 1}, "time … to 999999 ns"),
        ({"core": "0"}, "cores 0"),
        ({"core": "0,1", "since": "5.5ms"}, "time 5500000 ns to …; cores 0,1"),
        ({"function": "QK", "until": "1.5ms"}, "time … to 1500000 ns; functions QK"),
    ],
)
def test_a_part_with_nothing_in_it_is_refused_with_what_there_is(
    tmp_path: Path, limits: dict[str, Any], said: str
) -> None:
    """Phases are of no core: beside cores or functions they do not count."""
    assert refused(traced(), tmp_path, **limits) == (
        f"run has nothing in this part ({said}); "
        "it has cores 0 to 2 and functions QK, and runs from 1ms to 6ms"
    )


@pytest.mark.parametrize(
    ("cores", "there"),
    [
        ((), "no cores"),
        ((4,), "cores 4"),
        ((3, 4), "cores 3 to 4"),
        ((0, 2), "cores 0, 2"),
        (tuple(range(0, 16, 2)), "cores 0, 2, 4, 6, 8, 10, 12, 14"),
        (tuple(range(0, 18, 2)), "cores 0, 2, 4, 6, 8, 10, 12, 14, …"),
    ],
)
def test_a_core_that_is_not_there_is_refused_with_those_that_are(
    tmp_path: Path, cores: tuple[int, ...], there: str
) -> None:
    sentence = refused(traced(cores), tmp_path, core="99")
    assert sentence == f"no core 99 in run; it has {there}"


def test_functions_are_named_up_to_eight(tmp_path: Path) -> None:
    names = tuple(f"f{number}" for number in range(9))
    said = refused(traced(functions=names), tmp_path, since="7ms")
    assert "and functions f0, f1, f2, f3, f4, f5, f6, f7, …, and runs" in said
    said = refused(traced(functions=names[:8]), tmp_path / "b", since="7ms")
    assert "f6, f7, and runs" in said
    assert "functions" not in refused(traced(functions=()), tmp_path / "c", since="7ms")


def test_a_window_that_ends_before_it_starts_is_refused(tmp_path: Path) -> None:
    assert refused(traced(), tmp_path, since="3ms", until="2.5ms") == (
        "expected --since before --until, found 3ms and 2.5ms"
    )
    assert len(select_some(traced(), since="3ms", until="3ms").tasks) == 1


def test_a_trace_without_times_runs_from_zero_to_zero(tmp_path: Path) -> None:
    bare = make_trace({"name": "run"}, tasks=[{"task": 1, "kind": "node"}])
    assert refused(bare, tmp_path, since=1).endswith("it has no cores, and runs from 0ms to 0ms")
