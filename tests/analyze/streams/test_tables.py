"""Tables about streams: how many rows each shows, what it says of the others, and what is blank."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.analyze.analysis import Answers
from lanescope.analyze.streams.breakdown import Breakdown, DeviceTime
from lanescope.analyze.streams.breakdown_section import BREAKDOWN, verdict_section
from lanescope.analyze.streams.collectives import COLLECTIVES, CollectiveKind
from lanescope.analyze.streams.copies import COPIES, Copy
from lanescope.analyze.streams.host import HOST_WORK, HostWork, HostWorker
from lanescope.analyze.streams.idle import Idle, IdleReason, IdleTime, NamedTime
from lanescope.analyze.streams.idle_section import IDLE, host_section, reasons_section
from lanescope.analyze.streams.kernels import KERNELS, KernelCost
from lanescope.analyze.streams.launches import LAUNCHES, Delay, Launches, LaunchQueue
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.analyze.streams.steps import STEPS, ProgramStep, Steps, StepSpread
from lanescope.render.page import Section
from lanescope.render.plain import render_sections
from lanescope.trace.vocabulary import Vocabulary

ANSWERS: Any = SimpleNamespace(vocabulary=SimpleNamespace(lane="stream"))


def sections(analysis: Any, answer: Any) -> list[Section]:
    shown: list[Section] = analysis.sections(answer, ANSWERS)
    return shown


def shown(analysis: Any, answer: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """First column and notes of a table."""
    (section,) = sections(analysis, answer)
    return section.columns[0].cells, section.notes


# ---- kernels, copies, collectives ----


def kernel_costs(count: int) -> tuple[KernelCost, ...]:
    return tuple(
        KernelCost(f"k{n}", None, 1, 5, 5.0, 5, 5, 0.1, None, None, None, None, None)
        for n in range(count)
    )


def test_fifteen_kernels_are_shown_and_four_on_the_short_page() -> None:
    names = tuple(f"k{n}" for n in range(15))
    assert shown(KERNELS, kernel_costs(15)) == (names, ())
    assert shown(KERNELS, kernel_costs(17)) == (names, ("2 more kernels in --json.",))
    assert KERNELS.brief is not None
    (four,) = KERNELS.brief(kernel_costs(4), ANSWERS)
    (six,) = KERNELS.brief(kernel_costs(6), ANSWERS)
    assert four.columns[0].cells == six.columns[0].cells == names[:4]
    assert (four.notes, six.notes) == ((), ("2 more kernels.",))
    assert KERNELS.sections((), ANSWERS) == KERNELS.brief((), ANSWERS) == []


COPY = Copy("copy", "copy", 2, 50, 4096, 0, 2.5e9)
COPIES_PAGE = """\
Copies and fills
  name  count  time ns    bytes  GB/s  without bytes
  ----  -----  -------  -------  ----  -------------
  copy      2       50  4.10 kB  2.50              -
  fill      2       50        -     -              2
"""


def test_copies_that_do_not_tell_their_bytes_have_no_rate() -> None:
    fill = Copy("fill", "fill", 2, 50, None, 2, None)
    assert render_sections(sections(COPIES, (COPY, fill))) == COPIES_PAGE
    assert sections(COPIES, ()) == []


def test_twenty_copies_and_twenty_collectives_are_shown() -> None:
    copies = tuple(replace(COPY, name=f"c{n}") for n in range(22))
    assert shown(COPIES, copies)[0] == tuple(f"c{n}" for n in range(20))
    one = CollectiveKind("send", "dp", "group", 2, 1, 80, 64, 0, 8e8)
    kinds = tuple(replace(one, kind=f"k{n}") for n in range(22))
    assert shown(COLLECTIVES, kinds)[0] == tuple(f"k{n}" for n in range(20))


def test_collectives_say_how_they_are_numbered() -> None:
    one = CollectiveKind("send", "dp", "group", 2, 1, 80, 64, 0, 8e8)
    blank = replace(one, size=None, bytes=None, bytes_per_s=None)
    kinds = (
        one,
        replace(blank, group="tp", matched="source"),
        replace(blank, group="pp", matched=""),
    )
    (section,) = sections(COLLECTIVES, kinds)
    assert [column.cells for column in section.columns[1:]] == [
        ("dp", "tp", "pp"),
        (2, None, None),
        (1, 1, 1),
        (80, 80, 80),
        ("64 B", None, None),
        (0.8, None, None),
        ("counted within the group", "the source numbers them", ""),
    ]
    assert sections(COLLECTIVES, ()) == []


# ---- launches, steps, the host ----


def queue(number: int, rows: int) -> LaunchQueue:
    return LaunchQueue(number, f"s{number}", rows, 1, None)


def test_launches_together_and_before_their_call_are_said_where_there_are_some() -> None:
    delay = Delay(2, -5, 1.0, 2.0, 9)
    plain = Launches(1200, 1100, 100, 0, 0, 0, delay, None, (queue(0, 2),))
    first, second = sections(LAUNCHES, plain)
    assert first.facts == (("with a recorded call", "1,100 of 1,200"),)
    assert [column.cells for column in first.columns] == [
        ("start of the call",), (-5,), (1.0,), (2.0,), (9,),
    ]  # fmt: skip
    assert [column.cells for column in second.columns] == [("s0",), (2,), (1,), (None,)]
    odd = replace(plain, early=1, graph_launches=2, graph_rows=5, from_call_end=delay)
    assert sections(LAUNCHES, odd)[0].facts[1:] == (
        ("launched together", "5 rows by 2 calls"),
        ("before their call", "1 row"),
    )
    assert sections(LAUNCHES, odd)[0].columns[0].cells == ("start of the call", "end of the call")
    assert sections(LAUNCHES, replace(plain, with_call=0)) == []


def test_twenty_queues_are_shown_those_with_most_rows_first() -> None:
    many = Launches(1, 1, 0, 0, 0, 0, None, None, tuple(queue(n, n) for n in range(22)))
    assert sections(LAUNCHES, many)[1].columns[0].cells == tuple(f"s{n}" for n in range(21, 1, -1))


def program_steps(count: int, **more: Any) -> Steps:
    found = tuple(ProgramStep(n, f"s{n}", 0, 5, 1, 2) for n in range(count))
    spread = StepSpread(2, 10, 20.0, 30)
    whole = {"steps": found, "length": spread, "busy": spread, "first_apart": False}
    return Steps(**{**whole, **more})


def test_twenty_steps_are_shown() -> None:
    names = tuple(f"s{n}" for n in range(20))
    note = "Work belongs to the step in which it was launched."
    assert shown(STEPS, program_steps(20)) == (names, (note,))
    assert shown(STEPS, program_steps(22)) == (names, (note, "2 more steps in --json."))


def test_a_step_without_a_name_has_its_number() -> None:
    nameless = (ProgramStep(7, "", 0, 5, 1, 2), ProgramStep(8, "b", 0, 5, 1, 2))
    assert shown(STEPS, program_steps(2, steps=nameless))[0] == ("7", "b")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            {},
            "A step takes 10 ns to 30 ns, median 20.0 ns; the devices work for it 10 ns to 30 ns, "
            "median 20.0 ns.",
        ),
        (
            {"first_apart": True, "busy": StepSpread(1, 4, 4.0, 4)},
            "Without the first step: a step takes 10 ns to 30 ns, median 20.0 ns; the devices work "
            "for it 4 ns.",
        ),
    ],
)
def test_the_line_about_steps(more: dict[str, Any], line: str) -> None:
    (section,) = sections(STEPS, program_steps(1, **more))
    assert section.lines == (line,)
    assert sections(STEPS, program_steps(0, length=None, busy=None)) == []


def test_fifteen_rows_of_the_host_and_three_threads_are_shown() -> None:
    def worker(number: int) -> HostWorker:
        work = tuple(HostWork(f"w{n}", "", 1, 4 * n + number, 0.1) for n in range(5))
        return HostWorker(number, f"t{number}", 5, 5, 60, 20, work)

    (section,) = sections(HOST_WORK, tuple(worker(number) for number in range(4)))
    assert section.lines == tuple(
        f"t{number} had rows in 60 ns, and waited for a device in 20 ns of it."
        for number in range(3)
    )
    ordered = [(f"w{n}", f"t{t}", 4 * n + t) for n in range(4, -1, -1) for t in range(3, -1, -1)]
    columns = [section.columns[k].cells for k in (0, 1, 3)]
    assert list(zip(*columns, strict=True)) == ordered[:15]


def test_a_host_without_own_time_has_no_table() -> None:
    idle = HostWorker(0, "t", 1, 1, 0, 0, (HostWork("w", "", 1, 0, None),))
    assert sections(HOST_WORK, (idle,)) == sections(HOST_WORK, ()) == []


# ---- the verdict and why streams were idle ----

DEVICE = DeviceTime(None, 0, 1, 1_000, 900, 0, 0, 100, 0, 0)


def waited(rows: dict[str, int] | None = None, **ns: int) -> IdleTime:
    reasons = tuple(IdleReason(what, IDLE_LABELS[what], part, None) for what, part in ns.items())
    named = tuple(NamedTime(name, part) for name, part in (rows or {}).items())
    return IdleTime(0, "s", None, None, 1_000, sum(ns.values()), reasons, (), named)


def test_a_reason_is_named_from_one_percent_on() -> None:
    (line,) = verdict_section([DEVICE], [waited(call=9, launch=10, graph=81)]).lines
    assert line == (
        "Device 0 was busy 90.0% of 1.00 µs: compute 90.0%. The rest, idle: "
        f"{IDLE_LABELS['graph']} 8.1%, {IDLE_LABELS['launch']} 1.0%."
    )


def test_the_three_longest_reasons_and_rows_of_the_host_are_named() -> None:
    rows = {"a": 1, "b": 4, "c": 2, "d": 3}
    (line,) = verdict_section(
        [DEVICE], [waited(rows, host_busy=10, call=30, launch=20, graph=40)]
    ).lines
    assert line.split("The rest, idle: ")[1] == (
        f"{IDLE_LABELS['graph']} 4.0%, {IDLE_LABELS['call']} 3.0%, {IDLE_LABELS['launch']} 2.0%. "
        "Of 10 ns in which the host was late it was longest in: b 40.0%, d 30.0%, c 20.0%."
    )


def test_rows_of_the_short_table_have_one_percent_or_more() -> None:
    assert BREAKDOWN.brief is not None
    answers: Any = {"idle": SimpleNamespace(devices=[waited(call=9, launch=10, graph=81)])}
    (brief,) = BREAKDOWN.brief(Breakdown((DEVICE,), ()), answers)
    names = ("compute", *(f"idle: {IDLE_LABELS[what]}" for what in ("launch", "graph")))
    assert set(brief.columns[0].cells) == {*names, "everything else"}
    assert brief.columns[1].cells[-1] == 0.009


def test_a_span_without_length_has_no_shares() -> None:
    empty = DeviceTime(None, 0, 1, 0, 0, 0, 0, 0, 0, 0)
    assert verdict_section([empty], [waited()]).lines == ("Device 0 was busy 0.0% of 0 ns.",)


def test_three_events_are_named() -> None:
    events = tuple(NamedTime(f"e{n}", 5) for n in range(4))
    section = reasons_section([replace(waited(event=20), events=events)], "queue")
    assert section.lines == ("s waited for events of: e0, e1, e2.",)
    assert section.title == "Why queues were idle"


def test_the_share_of_a_row_of_the_host_is_of_the_time_in_which_the_host_was_late() -> None:
    section = host_section([waited({"a": 30}, host_busy=20, host_waiting=40, call=7)])
    assert section is not None and section.columns[2].cells == (0.5,)


def test_streams_that_were_never_idle_have_no_table_of_reasons() -> None:
    answers = Answers(
        {"breakdown": Breakdown((), ())}, Vocabulary("streams", "stream", "kernel", "kernel")
    )
    never = Idle(devices=(), streams=(waited(),), early=0)
    once = Idle(devices=(waited({"a": 3}, host_busy=3),), streams=(waited(call=5),), early=0)
    assert IDLE.sections(never, answers) == []
    assert [section.title for section in IDLE.sections(once, answers)] == [
        "Why streams were idle",
        "What the host did while devices were idle",
    ]
