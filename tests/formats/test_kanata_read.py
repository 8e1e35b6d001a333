"""Kanata logs of processor simulators, and damaged ones; ours are in test_round_trips.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.simpler.runs import rows

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.trace import Trace

# The first sample of the format's documentation: two instructions, the second one is flushed.
SAMPLE = """Kanata\t0004
C=\t216
I\t0\t0\t0
L\t0\t0\t12000d918 iBC(r17)
S\t0\t0\tF
C\t1
S\t0\t0\tX
I\t1\t1\t0
L\t1\t0\t12000d91c r4 = iALU(r3, r2)
S\t1\t0\tF
C\t1
R\t0\t0\t0
S\t1\t0\tX
W\t1\t0\t0
C\t1
R\t1\t1\t1
"""


def kanata(folder: Path, text: str) -> Trace:
    (folder / "a.kanata").write_text(text)
    return import_trace(folder / "a.kanata")


def test_instructions_are_tasks_and_their_stages_marks(tmp_path: Path) -> None:
    trace = kanata(tmp_path, SAMPLE)
    assert rows(trace, "tasks", "task", "core", "start_ns", "end_ns", "start_cycles") == [
        (0, 0, 0, 2, 216),
        (1, 0, 1, 3, 217),
    ]
    assert trace.text("functions", "name") == [
        "12000d918 iBC(r17)",
        "12000d91c r4 = iALU(r3, r2)",
    ]
    assert rows(trace, "marks", "task", "pipe", "start_ns", "end_ns") == [
        (0, "F", 0, 1),
        (0, "X", 1, 2),
        (1, "F", 1, 2),
        (1, "X", 2, 3),
    ]
    assert rows(trace, "cores", "core", "name", "lane") == [(0, "thread 0", "track")]
    assert rows(trace, "edges", "pred", "succ") == [(0, 1)]
    assert trace.meta.notes == (
        "Cycles of a simulator whose rate is not known are drawn as nanoseconds.",
    )


def test_a_log_may_end_early_or_be_empty(tmp_path: Path) -> None:
    assert len(kanata(tmp_path, "Kanata\t0004\n").tasks) == 0
    cut = SAMPLE[: SAMPLE.index("R\t0")]
    assert rows(kanata(tmp_path, cut), "tasks", "start_ns", "end_ns") == [(0, 2), (1, 2)]


@pytest.mark.parametrize(
    "line",
    ["S\t9\t0\tF", "C\tmany", f"C\t{1 << 70}", "I\t5", "L\t7\t0\tx", "R\tx", "I\t1\t2\tthree"],
)
def test_a_line_that_makes_no_sense_is_named(tmp_path: Path, line: str) -> None:
    text = SAMPLE + line + "\n"
    if line == "I\t5":
        assert len(kanata(tmp_path, text).tasks) == 2  # Not a command: passed over.
        return
    with pytest.raises(InputError) as caught:
        kanata(tmp_path, text)
    assert caught.value.problem.startswith(f"line 17: {line[:80]!r} is no command of Kanata 0004")


@pytest.mark.parametrize(
    ("thread", "cores"),
    [
        ((1 << 31) - 1, {0: 5, 1: (1 << 31) - 1}),
        (1 << 31, {0: 0, 1: 1}),
        (1 - (1 << 31), {0: 5, 1: 1 - (1 << 31)}),
        (-(1 << 31) - 1, {0: 1, 1: 0}),
    ],
)
def test_threads_whose_numbers_do_not_fit_are_numbered(
    tmp_path: Path, thread: int, cores: dict[int, int]
) -> None:
    trace = kanata(tmp_path, f"Kanata\t0004\nI\t0\t0\t5\nI\t1\t1\t{thread}\nC\t1\n")
    assert dict(rows(trace, "tasks", "task", "core")) == cores
    names = {cores[0]: "thread 5", cores[1]: f"thread {thread}"}
    assert dict(rows(trace, "cores", "core", "name")) == names
