"""The whole report of a small trace of streams, and of what the rest of the tool says of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.analyze.streams.made import full, of_streams, ran
from tests.analyze.tracks.test_slices import nested

import lanescope
from lanescope.errors import LanescopeError, UsageError
from lanescope.reports import build_report
from lanescope.reports.summary import sentence, summary

WHOLE = """\
Verdict
  Device 0 was busy 72.7% of 330 ns: compute 30.3%, communication that nothing hides 24.2%, copies
  and fills that nothing hides 18.2%. The rest, idle: in the launch call 12.1%, launched, on its way
  6.1%, could start, did not yet 6.1%. Compute hides 0.0% of 80 ns of communication.

  device time                            time ns  device 0
  -------------------------------------  -------  --------
  compute                                    100     30.3%
  communication that nothing hides            80     24.2%
  copies and fills that nothing hides         60     18.2%
  idle: late launch, no row of the host       10      3.0%
  idle: in the launch call                    40     12.1%
  idle: launched, on its way                  20      6.1%
  idle: could start, did not yet              20      6.1%
  in all                                     330    100.0%
  Shares of the span of a device; every column adds up to 100 %.

Capture
  name            hand
  origin          simulated, written by tests
  streams         2 of 2 ran something
  ran             2 kernels, 1 copy, 1 fill
  host rows       7
  edges           1 pair in 1 row
  counter values  2

Losses
  Not known: the trace has no ledger.

Time
  time range  330 ns, first start to last end (100 ns to 430 ns)

Streams
  stream  device  kernels  copies, fills  busy ns  span ns  idle ns
  ------  ------  -------  -------------  -------  -------  -------
  s0           0        1              2      160      330      170
  s1           0        1              0       80       80        0
  Idle is between the first start and the last end on the row's own lane.

Why streams were idle
  s1 waited for events of: s0.

  idle                             s0 ns  s1 ns
  -------------------------------  -----  -----
  late launch, no row of the host    110      0
  in the launch call                  40      0
  launched, on its way                20      0
  waited for an event                  0     55
  could start, did not yet             0     20
  nothing launched                     0    175
  in all                             170    250
  A stream is idle while it runs nothing in the span of its device.

Critical path over host and devices
  from                       0 ns to 450 ns
  rows of devices            1
  their calls came too late  1
  the host waited for them   1

  the path was at          time ns  share
  -----------------------  -------  -----
  copies and fills              10   2.2%
  rows of the host             125  27.8%
  the host, without a row      305  67.8%
  launched, on its way          10   2.2%

On the critical path longest
  where   what                   time ns  of the path
  ------  ---------------------  -------  -----------
  device  fill                        10         2.2%
  host    mm                          40         8.9%
  host    cudaMemcpyAsync             30         6.7%
  host    cudaLaunchKernel            25         5.6%
  host    cudaDeviceSynchronize       20         4.4%
  host    cudaMemsetAsync             10         2.2%

From launch to start
  with a recorded call  4 of 4

  from               min ns  median ns  mean ns  max ns
  -----------------  ------  ---------  -------  ------
  start of the call      20       50.0     48.8      75
  end of the call        10       25.0     32.5      70

Launched and not started
  stream  launched  most at once  mean
  ------  --------  ------------  ----
  s0             3             1  0.32
  s1             1             1  1.00
  The mean is weighted by time.

Steps
  A step takes 460 ns; the devices work for it 240 ns.

  step    length ns  busy ns  launched
  ------  ---------  -------  --------
  step 1        460      240         4
  Work belongs to the step in which it was launched.

Kernels
  kernel  runs  total ns  share  mean ns  min ns  max ns  blocks
  ------  ----  --------  -----  -------  ------  ------  ------
  gemm       1       100  55.6%    100.0     100     100       8
  reduce     1        80  44.4%     80.0      80      80       -

Copies and fills
  name  count  time ns    bytes   GB/s  without bytes
  ----  -----  -------  -------  -----  -------------
  copy      1       50  1.00 kB  20.00              -
  fill      1       10        -      -              1

Collectives
  operation   group  ranks  count  time ns  bytes  GB/s  numbered
  ----------  -----  -----  -----  -------  -----  ----  ------------------------
  all_reduce  dp         2      1       80   64 B  0.80  counted within the group
  The time of a collective holds the wait for the slowest rank, which a trace of one rank cannot
  tell apart.

Host
  t0 had rows in 143 ns, and waited for a device in 38 ns of it.

  row                    thread  count  own time ns  of the thread
  ---------------------  ------  -----  -----------  -------------
  mm                     t0          1           40          28.0%
  cudaDeviceSynchronize  t0          1           38          26.6%
  cudaMemcpyAsync        t0          1           30          21.0%
  cudaLaunchKernel       t0          2           25          17.5%
  cudaMemsetAsync        t0          1           10           7.0%
  Own time is without the rows inside a row.
"""


def test_the_whole_report() -> None:
    assert build_report(full()).text() == WHOLE


def test_nothing_speaks_of_cores_or_schedulers() -> None:
    assert not re.search(r"\b(cores?|scheduler|dispatch|level|makespan)\b", WHOLE)


def test_queues_are_called_queues() -> None:
    text = build_report(
        of_streams([ran(0, "gemm", 0, 5), ran(1, "gemm", 9, 10)], lane="queue")
    ).text()
    assert "\nQueues\n" in text
    assert "Why queues were idle" in text
    assert "stream" not in text


def test_several_devices_are_added_up() -> None:
    text = build_report(of_streams([ran(0, "gemm", 0, 5), ran(2, "gemm", 0, 10)])).text()
    assert text.splitlines()[1].strip().startswith("The 2 devices were busy 100.0% of 10 ns")


def test_an_empty_trace_of_streams_has_no_verdict() -> None:
    empty = of_streams([ran(0, "stand", 0, 5)])
    titles = [section.title for section in build_report(empty).sections()]
    assert titles == ["Capture", "Losses", "Time"]


def test_the_line_of_import() -> None:
    parts = "2 kernels, 1 copy, 1 fill on 2 streams, 1 host thread, 7 host rows, 1 step"
    line = sentence(summary(full(), Path("a.lanes")))
    assert line == f"a.lanes  {parts}, 1 collective, 2 counter values"
    assert sentence(summary(nested(), Path("a.lanes"))) == "a.lanes  4 slices on 1 track"


def test_a_replay_is_refused() -> None:
    with pytest.raises(
        LanescopeError, match="and the lanes of hand are streams; 'lanescope report'"
    ):
        lanescope.what_if(full())


@pytest.mark.parametrize(
    ("ask", "instead"),
    [(lanescope.verdict, "breakdown"), (lanescope.critical_path, "critical_path")],
)
def test_questions_about_cores_are_refused(ask: object, instead: str) -> None:
    wanted = f"the lanes of hand are streams, not cores; lanescope.report\\(trace\\).{instead} is"
    with pytest.raises(UsageError, match=wanted):
        ask(full())  # type: ignore[operator]
    with pytest.raises(
        UsageError, match=r"are tracks, not cores; lanescope.report\(trace\).slices"
    ):
        ask(nested())  # type: ignore[operator]
