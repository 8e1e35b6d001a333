"""Pages about streams, whole: the verdict, the streams, why they were idle, the critical path."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from lanescope.analyze.streams.breakdown import Breakdown, DeviceTime, StreamTime
from lanescope.analyze.streams.breakdown_section import (
    BREAKDOWN,
    shown_answers,
    streams_section,
    verdict_section,
)
from lanescope.analyze.streams.idle import IdleReason, IdleTime, NamedTime
from lanescope.analyze.streams.idle_section import host_section, reasons_section
from lanescope.analyze.streams.path_section import CRITICAL_PATH, path_section
from lanescope.analyze.streams.path_time import CriticalTime, PathPart
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.render.plain import render_sections

ANSWERS: Any = SimpleNamespace()


def idle(name: str, host_rows: dict[str, int], device: int | None = None, **ns: int) -> IdleTime:
    total = sum(ns.values())
    reasons = tuple(
        IdleReason(what, IDLE_LABELS[what], part, part / total) for what, part in ns.items()
    )
    rows = tuple(NamedTime(row, part) for row, part in host_rows.items())
    events = (NamedTime("stream 9", 5),) if "event" in ns else ()
    return IdleTime(0, name, None, device, 1_000, total, reasons, events, rows)


DEVICES = (
    DeviceTime(None, 0, 2, 1_000, 500, 100, 50, 350, 300, 200),
    DeviceTime(None, 1, 1, 1_000, 400, 0, 0, 600, 0, 0),
)
IDLE = (
    idle(
        "device 0",
        {"aten::item": 150, "aten::mm": 50},
        host_busy=200,
        host_waiting=50,
        event=95,
        call=5,
    ),
    idle("device 1", {"aten::item": 30}, host_busy=30, nothing=570),
)
NEVER = IdleTime(None, "d", None, None, 1_000, 0, (), (), ())
VERDICT = """\
Verdict
  The 2 devices were busy 52.5% of 1.00 µs: compute 45.0%, communication that nothing hides 5.0%,
  copies and fills that nothing hides 2.5%. The rest, idle: nothing launched 28.5%, late launch,
  host busy 11.5%, waited for an event 4.8%. Of 280 ns in which the host was late it was longest in:
  aten::item 64.3%, aten::mm 17.9%. Compute hides 66.7% of 300 ns of communication. The least busy
  is device 1 with 40.0%.

  device time                          time ns  device 0  device 1
  -----------------------------------  -------  --------  --------
  compute                                  900     50.0%     40.0%
  communication that nothing hides         100     10.0%      0.0%
  copies and fills that nothing hides       50      5.0%      0.0%
  idle: late launch, host busy             230     20.0%      3.0%
  idle: late launch, host waited            50      5.0%      0.0%
  idle: in the launch call                   5      0.5%      0.0%
  idle: waited for an event                 95      9.5%      0.0%
  idle: nothing launched                   570      0.0%     57.0%
  in all                                 2,000    100.0%    100.0%
  Shares of the span of a device; every column adds up to 100 %.
"""


def test_the_verdict_tiles_devices_and_span() -> None:
    assert render_sections([verdict_section(DEVICES, IDLE)]) == VERDICT
    assert shown_answers(DEVICES, IDLE) == [
        *("compute_ns", "exposed_communication_ns", "exposed_memory_ns"),
        *("host_busy", "host_waiting", "call", "event", "nothing"),
    ]


def test_one_device_that_never_waits_has_a_short_verdict() -> None:
    busy = DeviceTime(None, None, 1, 1_000, 1_000, 0, 0, 0, 0, 0)
    (line,) = verdict_section([busy], [NEVER]).lines
    assert line == "The device was busy 100.0% of 1.00 µs: compute 100.0%."


def test_the_short_table_adds_up_what_is_below_one_percent() -> None:
    assert BREAKDOWN.brief is not None
    answer = Breakdown(DEVICES, ())
    answers: Any = {"idle": SimpleNamespace(devices=IDLE)}
    (brief,) = BREAKDOWN.brief(answer, answers)
    first, *others = brief.columns
    assert first.cells[-1] == "everything else"
    assert "idle: in the launch call" not in first.cells
    assert [column.title for column in others] == ["device 0", "device 1"]
    assert [round(sum(column.cells), 9) for column in others] == [1.0, 1.0]
    assert others[0].cells[-1] == 0.005
    assert BREAKDOWN.brief(Breakdown((), ()), answers) == []
    assert BREAKDOWN.sections(Breakdown((), ()), answers) == []


def test_eight_devices_have_a_column_and_four_on_the_short_page() -> None:
    many = Breakdown(tuple(replace(DEVICES[0], device=k) for k in range(10)), ())
    answers: Any = {"idle": SimpleNamespace(devices=(IDLE[0],) * 10)}
    (whole,) = BREAKDOWN.sections(many, answers)
    assert BREAKDOWN.brief is not None
    (brief,) = BREAKDOWN.brief(many, answers)
    assert (len(whole.columns), len(brief.columns)) == (2 + 8, 1 + 4)


STREAM = StreamTime(0, "stream 7", None, 0, 10, 8, 400, 300, 900, 600, 5, 0)


def test_streams_are_shown_by_their_busy_time_up_to_twenty() -> None:
    streams = [replace(STREAM, name=f"s{k}", busy_ns=k, overlapping=k % 2) for k in range(22)]
    section = streams_section(streams, "stream")
    assert section.title == "Streams"
    assert section.columns[0].cells == tuple(f"s{k}" for k in range(21, 1, -1))
    assert section.columns[4].cells == (2,) * 20
    assert section.columns[-1].cells[:2] == (1, None)
    assert section.notes[-1] == "2 more streams in --json."
    assert len(streams_section(streams[:20], "stream").notes) == 1


REASONS = """\
Why streams were idle
  stream 7 waited for events of: stream 9.

  idle                      stream 7 ns  stream 9 ns
  ------------------------  -----------  -----------
  late launch, host busy            200           30
  late launch, host waited           50            0
  in the launch call                  5            0
  waited for an event                95            0
  nothing launched                    0          570
  in all                            350          600
  A stream is idle while it runs nothing in the span of its device.
"""


def test_reasons_have_a_column_per_stream() -> None:
    two = replace(IDLE[0], name="stream 7"), replace(IDLE[1], name="stream 9")
    assert render_sections([reasons_section(two, "stream")]) == REASONS


def test_six_streams_with_the_most_explained_idle_time_are_shown() -> None:
    streams = [idle(f"s{k}", {}, host_busy=k + 1, nothing=1_000 - 2 * k) for k in range(8)]
    section = reasons_section(streams, "stream")
    assert [column.title for column in section.columns[1:]] == [f"s{k}" for k in range(7, 1, -1)]
    assert section.notes[-1] == "2 more streams in --json."
    assert len(reasons_section(streams[:6], "stream").notes) == 1


def test_streams_of_one_name_are_told_apart() -> None:
    twice = [replace(IDLE[0], name="s", device=k, rank=3) for k in range(2)]
    titles = [column.title for column in reasons_section(twice, "stream").columns[1:]]
    assert titles == ["rank 3 device 0 s", "rank 3 device 1 s"]


def test_rows_of_the_host_are_summed_over_devices() -> None:
    section = host_section(IDLE)
    assert section is not None
    names, times, shares = (column.cells for column in section.columns)
    assert (names, times) == (("aten::item", "aten::mm"), (180, 50))
    assert shares == (180 / 280, 50 / 280)
    rows = {f"r{k}": 10 - k for k in range(10)}
    most = host_section([idle("d", rows, host_busy=55)])
    assert most is not None and most.columns[0].cells == tuple(f"r{k}" for k in range(8))


def test_a_host_that_was_never_late_has_no_table() -> None:
    assert host_section([idle("d", {"aten::mm": 5}, nothing=10)]) is None
    assert host_section([idle("d", {}, host_busy=10)]) is None


PATH = CriticalTime(
    start_ns=0,
    end_ns=1_000,
    parts=(PathPart("device", "on a device", 600, 0.6), PathPart("host", "on the host", 300, 0.3),
           PathPart("gap", "between both", 100, 0.1), PathPart("none", "at nothing", 0, 0.0)),
    rows=12,
    launches=3,
    releases=2,
    kernels=(NamedTime("gemm", 400), NamedTime("copy", 200), NamedTime("never", 0)),
    host_rows=(NamedTime("aten::mm", 300),),
)  # fmt: skip
PATH_PAGE = """\
Critical path over host and devices
  from                       0 ns to 1.00 µs
  rows of devices            12
  their calls came too late  3
  the host waited for them   2

  the path was at  time ns  share
  ---------------  -------  -----
  on a device          600  60.0%
  on the host          300  30.0%
  between both         100  10.0%

On the critical path longest
  where   what      time ns  of the path
  ------  --------  -------  -----------
  device  gemm          400        40.0%
  device  copy          200        20.0%
  host    aten::mm      300        30.0%
"""


def test_the_critical_path() -> None:
    assert render_sections(CRITICAL_PATH.sections(PATH, ANSWERS)) == PATH_PAGE
    assert CRITICAL_PATH.sections(None, ANSWERS) == []
    assert path_section(PATH).columns[0].cells == ("on a device", "on the host", "between both")


def test_the_short_page_names_three_of_each_and_two_kernels_on_one_line() -> None:
    assert CRITICAL_PATH.brief is not None
    names = ("k" * 40, "b", "c")
    many = replace(PATH, kernels=tuple(NamedTime(k, 100 - n) for n, k in enumerate(names)))
    (brief,) = CRITICAL_PATH.brief(many, ANSWERS)
    assert brief.facts == (
        ("was at", "on a device 60.0%, on the host 30.0%, between both 10.0%"),
        ("kernels", f"{'k' * 33}… 10.0%, b 9.9%"),
        ("host", "aten::mm 30.0%"),
    )
    assert CRITICAL_PATH.brief(replace(PATH, end_ns=0), ANSWERS) == []
    assert CRITICAL_PATH.brief(None, ANSWERS) == []


def test_eight_names_of_device_and_host_are_shown() -> None:
    names = tuple(NamedTime(f"n{n}", 100 - n) for n in range(10))
    longest = CRITICAL_PATH.sections(replace(PATH, kernels=names, host_rows=names), ANSWERS)[1]
    assert longest.columns[0].cells == ("device",) * 8 + ("host",) * 8
