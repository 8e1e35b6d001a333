"""The report as plain text, whole."""

from __future__ import annotations

from tests.analyze.hand import entry, make_trace, phase, task

from lanescope.reports import build_report

FULL = """\
Verdict
  The 2 cores were running 30.0% of 30.00 µs. The rest: no task for this core 33.3%, waiting on data
  20.0%, dispatched, not picked up (switch) 11.7%. On the critical path cores run for 60.0% of the
  time, most of it QK (33.3%); its longest wait is dispatched, not picked up (switch), 23.3%.
  Submits were not recorded, so the scheduler's share may be the orchestrator's.

  core time                           time µs    chip     aic     aiv
  ----------------------------------  -------  ------  ------  ------
  running                               18.00   30.0%   33.3%   26.7%
  waiting on data                       12.00   20.0%    0.0%   40.0%
  ready, not dispatched (scheduler)      3.00    5.0%    0.0%   10.0%
  dispatched, not picked up (switch)     7.00   11.7%    6.7%   16.7%
  no task for this core                 20.00   33.3%   60.0%    6.7%
  in all                                60.00  100.0%  100.0%  100.0%
  Shares of cores x window; every column adds up to 100 %.

Capture
  name    hand
  origin  simulated, written by tests
  chip    a2a3, clock 50 MHz
  level   3: core start/end, dispatch and finish, scheduler phases
  cores   2 of 2 ran something (aic 1 of 1, aiv 1 of 1)
  tasks   2 runs of 2 tasks
  phases  scheduler 3
  edges   1 pair in 1 row

Losses
  Nothing lost: all 2 records delivered.

Time
  makespan    30.00 µs, earliest dispatch to latest finish (0 ns to 30.00 µs)
  observed    27.00 µs, earliest receive or start to latest end (1.00 µs to 28.00 µs)
  time range  26.00 µs, first start to last end (2.00 µs to 28.00 µs)
  base        0 ns is cycle 1,000

  cores  number  used  tasks  busy µs  utilisation
  -----  ------  ----  -----  -------  -----------
  aic         1     1      1    10.00        33.3%
  aiv         1     1      1     8.00        26.7%

Critical path
  observed  2 runs, 30.00 µs
  static    18.00 µs (60.0% of the window) in 2 tasks, each with all cores to itself
  no slack  2 tasks; longer ones lengthen it
  edges     1 pair, 0 of them implied

  on the path                         time µs   share
  ----------------------------------  -------  ------
  running                               18.00   60.0%
  dispatched, not picked up (switch)     7.00   23.3%
  ready, not dispatched (scheduler)      3.00   10.0%
  end to finish of the last              2.00    6.7%
  in all                                30.00  100.0%

Critical path: functions
  function  runs  running µs  share  wait before µs  static runs  static µs
  --------  ----  ----------  -----  --------------  -----------  ---------
  SF           1        8.00  26.7%            8.00            1       8.00
  QK           1       10.00  33.3%            2.00            1      10.00

Critical path: what runs waited for
  waited for             edge  runs  until start ns
  ---------------------  ----  ----  --------------
  data                   edge     1           8,000
  nothing that is known  -        1           2,000

Functions: time on the core
  id  function  count  total µs   share  mean µs  p50 µs  p99 µs  min µs  max µs
  --  --------  -----  --------  ------  -------  ------  ------  ------  ------
  0   QK            1     10.00   55.6%    10.00   10.00   10.00   10.00   10.00
  1   SF            1      8.00   44.4%     8.00    8.00    8.00    8.00    8.00
      TOTAL         2     18.00  100.0%     9.00    8.00   10.00    8.00   10.00

Functions: from dispatch to finish
  id  function  latency µs  p50 µs  p99 µs   exec  tail µs  head µs  propagation µs  setup µs
  --  --------  ----------  ------  ------  -----  -------  -------  --------------  --------
  0   QK             15.00   15.00   15.00  66.7%     3.00     2.00            1.00      1.00
  1   SF             15.00   15.00   15.00  53.3%     2.00     5.00            3.00      2.00
      TOTAL          15.00   15.00   15.00  60.0%     2.50     3.50            2.00      1.50
  tail: end to finish; head: dispatch to start = propagation (to receive) + setup.

Scheduler threads
  thread  phases  span µs   busy   idle  loops  per loop ns  dispatched  completed
  ------  ------  -------  -----  -----  -----  -----------  ----------  ---------
  0            3    40.00  50.0%  50.0%      8      5,000.0           2          2

Scheduler phases
  phase     role   count  total µs  share
  --------  -----  -----  --------  -----
  complete  outer      1     15.00  37.5%
  dispatch  outer      1      5.00  12.5%
  idle      idle       -     20.00  50.0%
  resolve   inner      1      4.00  10.0%
  The outer phases and idle add up to the span. Inner phases lie inside outer ones.

Ready queues
  queue  samples  max depth  mean depth
  -----  -------  ---------  ----------
  aic          2          4        4.00
  The mean is weighted by time.

Overhead as the simpler runtime's tools define it
  window           26.00 µs (first start to last end)
  all overhead     0.0% of it
  has overhead     11.5% of it
  switch bound     0 ns to 0 ns
  static CPM path  18.00 µs, 69.2% of it, in 2 tasks

  cores  used  overhead  switches  each ns  least/core ns  mean/core ns  most/core ns
  -----  ----  --------  --------  -------  -------------  ------------  ------------
  aic       1      0.0%         0      0.0              0           0.0             0
  aiv       1     11.5%         0      0.0              0           0.0             0

Head and tail by the same tools
        p10 ns  p25 ns  p50 ns  p75 ns  p90 ns  p95 ns  p99 ns  max ns  mean ns
  ----  ------  ------  ------  ------  ------  ------  ------  ------  -------
  head   2,000   2,000   5,000   5,000   5,000   5,000   5,000   5,000  3,500.0
  tail   2,000   2,000   3,000   3,000   3,000   3,000   3,000   3,000  2,500.0
  Head: start after dispatch or after the core's last task, whichever is later. Tail: from end to
  finish.

Notes
  Made by hand.
"""


def test_a_whole_report() -> None:
    trace = make_trace(
        {
            "chip": "a2a3",
            "clock_hz": 50_000_000,
            "base_cycles": 1000,
            "level": 3,
            "queues": ("aic",),
            "notes": ("Made by hand.",),
            "ledger": (entry("core 0", 1, 1), entry("core 1", 1, 1)),
        },
        cores=[{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}],
        functions=[{"func": 0, "name": "QK"}, {"func": 1, "name": "SF"}],
        tasks=[
            task(0, 0, 1_000, 2_000, 12_000, 15_000, func=0, task=1),
            task(1, 15_000, 18_000, 20_000, 28_000, 30_000, func=1, task=2),
        ],
        phases=[
            phase("dispatch", 0, 5_000, loop=3, tasks=2, queue0_start=4, queue0_end=1),
            phase("resolve", 26_000, 30_000, loop=10),
            phase("complete", 25_000, 40_000, loop=10, tasks=2),
        ],
        edges=[{"pred": 1, "succ": 2}],
    )
    assert build_report(trace).text(100) == FULL


LOSSY = """\
! Warning
  Records were lost: 2 dropped and 1 unmatched of 18, in 1 lane. The figures below are incomplete.
  The ledger does not close in 1 lane: records are missing without a trace.

Capture
  name    hand
  origin  simulated, written by tests
  level   0: nothing
  tasks   none ran

Losses
  lane    records    total  delivered  dropped  unmatched  unaccounted  reason
  ------  ---------  -----  ---------  -------  ---------  -----------  ------------
  core 1  core_task      9          6        2          1            0  no free slot
  core 2  core_task      9          6        0          0            3  -

Time
  No task has times.
"""


def test_losses_stand_at_the_top_and_name_their_lanes() -> None:
    ledger = (
        entry("core 1", 9, 6, dropped=2, unmatched=1, reason="no free slot"),
        entry("core 2", 9, 6),
    )
    text = build_report(make_trace({"ledger": ledger})).text(100)
    assert text == LOSSY


def test_many_lossy_lanes_are_cut() -> None:
    ledger = tuple(entry(f"core {n}", 2, 1, dropped=1) for n in range(90))
    text = build_report(make_trace({"ledger": ledger})).text()
    assert text.count("core_task") == 20
    assert "and 70 more lanes" in text


def test_many_functions_are_cut_but_the_total_is_of_all() -> None:
    tasks = [task(0, None, None, 0, 1000 + n, None, func=n) for n in range(100)]
    text = build_report(make_trace(tasks=tasks)).text()
    assert "func_99 " in text and "func_59 " not in text
    assert "60 functions with less total time are not shown." in text
    assert "TOTAL       100" in text


def test_nothing_is_wider_than_asked() -> None:
    trace = make_trace(
        {"notes": ("word " * 60,)},
        tasks=[task(0, 0, 1, 2, 10_000_000, 11_000_000, func=0)],
        functions=[{"func": 0, "name": "a name of more than forty characters, surely"}],
        phases=[phase("dispatch", 0, 9, loop=1, tasks=1, pop_hit=1, pop_miss=1)],
    )
    text = build_report(trace).text(70)
    assert max(map(len, text.splitlines())) <= 70
    assert "a name of more than forty characters, s…" in text


def test_hostile_names_come_out_as_one_harmless_line() -> None:
    evil = "\x1b[2J[red]boo[/red]\n" + "y" * 1_000_000
    trace = make_trace(
        {"name": evil, "chip": evil, "origin": evil, "tool": evil, "notes": (evil,)},
        cores=[{"core": 0, "kind": evil}],
        functions=[{"func": 0, "name": evil}],
        tasks=[task(0, 0, 1, 2, 3, 4, func=0)],
        phases=[phase(evil, 0, 5, lane=evil)],
    )
    text = build_report(trace).text()
    assert len(text) < 9000
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert "[red]boo[/red]" in text


def test_columns_that_level_1_cannot_know_show_a_dash() -> None:
    trace = make_trace({"level": 1}, tasks=[task(0, None, 8, 10, 20, None, func=3)])
    assert """\
Functions: from dispatch to finish
  id  function  latency ns  p50 ns  p99 ns  exec  tail ns  head ns  propagation ns  setup ns
  --  --------  ----------  ------  ------  ----  -------  -------  --------------  --------
  3   func_3             -       -       -     -        -        -               -       2.0
      TOTAL              -       -       -     -        -        -               -       2.0
  No dispatch and no finish was recorded; setup: receive to start.
""" in build_report(trace).text()
